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
}

const WIDTH = 420;
const HEIGHT = 130;
const LEFT = 32;
const BELOW = 28;
/** Bars between two labelled times. */
const NAMED = 15;

const label = { className: 'tick' };

/** Values over time as bars that start at zero. */
export function Bars({ words, bars }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
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
        tickFormat={String}
        tickLabelProps={{ ...label, textAnchor: 'end', dx: -4, dy: 4 }}
        hideTicks
      />
      <AxisBottom
        top={HEIGHT - BELOW}
        scale={x}
        tickValues={bars.flatMap(({ at }, i) => (i % NAMED === 0 ? [at] : []))}
        tickFormat={(at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
        tickLabelProps={{ ...label, textAnchor: 'start', dx: -4 }}
      />
    </svg>
  );
}
