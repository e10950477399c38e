import type { SessionRow } from '../../../client/index.ts';
import { Bars } from '../parts/bars.tsx';
import { count } from '../parts/words.ts';
import { type Minute, perMinute } from './rates.ts';

/** Minutes from one labelled time to the next. */
const LABEL_MINUTES = 15;

/** Runs and steps per minute, over the last hour. */
export function Throughput({ rows }: { readonly rows: readonly SessionRow[] }) {
  const minutes = perMinute(rows, Date.now());
  const sum = (of: 'runs' | 'steps') => minutes.reduce((all, one) => all + one[of], 0);
  return (
    <section aria-label="Throughput">
      <h2>Last hour, by minute</h2>
      <div className="row charts">
        <Chart minutes={minutes} of="runs" title={`Finished runs: ${count(sum('runs'))}`} />
        <Chart minutes={minutes} of="steps" title={`Steps: ${count(sum('steps'))}`} />
      </div>
      <p className="dim">
        Counts the last run of each session in the minute in which it ended. Running runs are not included.
      </p>
    </section>
  );
}

interface ChartProps {
  readonly minutes: readonly Minute[];
  readonly of: 'runs' | 'steps';
  readonly title: string;
}

const Chart = ({ minutes, of, title }: ChartProps) => {
  const most = Math.max(...minutes.map((one) => one[of]));
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <Bars
        words={`${title}, at most ${count(most)} in a minute`}
        bars={minutes.map((one) => ({ at: one.at, value: one[of] }))}
        labelEach={LABEL_MINUTES}
        label={(at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
        shown={count}
      />
    </figure>
  );
};
