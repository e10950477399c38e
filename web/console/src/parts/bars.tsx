import { AxisBottom, AxisLeft } from '@visx/axis';
import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';

interface BarsProps {
  /** The chart in words, for screen readers. */
  readonly words: string;
  readonly bars: readonly {
    /** Epoch ms. */
    readonly at: number;
    readonly value: number;
  }[];
  /** Bars from one labelled time to the next. */
  readonly labelEach: number;
  readonly label: (at: number) => string;
  /** A value, for people. */
  readonly shown: (value: number) => string;
}

const WIDTH = 420;
const HEIGHT = 130;
const LEFT = 56;
const BELOW = 28;

const tick = { className: 'tick' };

/** Values over time as bars that start at zero. */
export function Bars({ words, bars, labelEach, label, shown }: BarsProps) {
  const highest = Math.max(...bars.map(({ value }) => value));
  const most = highest > 0 ? highest : 1;
  const x = scaleBand({ domain: bars.map(({ at }) => at), range: [LEFT, WIDTH], padding: 0.2 });
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - BELOW, 6] });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="bars" role="img" aria-label={words}>
      {bars.map(({ at, value }) => (
        <Bar
          key={at}
          x={x(at) ?? 0}
          y={y(value)}
          width={x.bandwidth()}
          height={HEIGHT - BELOW - y(value)}
          className="bar-of"
        />
      ))}
      <AxisLeft
        left={LEFT}
        scale={y}
        tickValues={[0, most]}
        tickFormat={(value) => shown(Number(value))}
        tickLabelProps={{ ...tick, textAnchor: 'end', dx: -4, dy: 4 }}
        hideTicks
      />
      <AxisBottom
        top={HEIGHT - BELOW}
        scale={x}
        tickValues={bars.flatMap(({ at }, i) => (i % labelEach === 0 ? [at] : []))}
        tickFormat={label}
        tickLabelProps={{ ...tick, textAnchor: 'middle' }}
      />
    </svg>
  );
}
