import type { DayInfo } from '../../../client/index.ts';
import { Bars } from '../parts/bars.tsx';
import { ScrolledTable } from '../parts/scrolled-table.tsx';
import { count, duration, usd } from '../parts/words.ts';

/** Labelled days of a chart, at most. */
const LABELS = 4;

interface Chart {
  readonly title: string;
  readonly of: (day: DayInfo) => number;
  readonly shown: (value: number) => string;
}

const charts: readonly Chart[] = [
  { title: 'Runs a day', of: ({ runs }) => runs, shown: count },
  { title: 'Failed runs a day', of: ({ failed }) => failed, shown: count },
  { title: 'Models a day, USD', of: ({ costUsd }) => costUsd, shown: usd },
  { title: 'p50 of a run', of: ({ durations }) => durations.p50Ms ?? 0, shown: duration },
  { title: 'p95 of a run', of: ({ durations }) => durations.p95Ms ?? 0, shown: duration },
];

/** The days as bars, and below the same as a table. */
export const Charts = ({ days }: { readonly days: readonly DayInfo[] }) => (
  <section aria-label="By day">
    <h2>By day</h2>
    <div className="row charts">
      {charts.map((chart) => (
        <DayChart key={chart.title} days={days} chart={chart} />
      ))}
    </div>
    <details>
      <summary>All days as a table</summary>
      <ScrolledTable label="All days">
        <thead>
          <tr>
            {['Day', 'Runs', 'Failed', 'Steps', 'Models, USD', 'p50', 'p95'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, runs, failed, steps, costUsd, durations, partial }) => (
            <tr key={day}>
              <th scope="row">
                {day}
                {partial && '*'}
              </th>
              <td>{count(runs)}</td>
              <td>{count(failed)}</td>
              <td>{count(steps)}</td>
              <td>{usd(costUsd)}</td>
              <td>{durations.p50Ms !== undefined && duration(durations.p50Ms)}</td>
              <td>{durations.p95Ms !== undefined && duration(durations.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </details>
  </section>
);

function DayChart({ days, chart }: { readonly days: readonly DayInfo[]; readonly chart: Chart }) {
  const { title, of, shown } = chart;
  const most = Math.max(0, ...days.map(of));
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <Bars
        words={`${title}, at most ${shown(most)}`}
        bars={days.map((day) => ({ at: Date.parse(day.day), value: of(day) }))}
        labelEach={Math.ceil(days.length / LABELS)}
        label={(at) =>
          new Date(at).toLocaleDateString([], { month: 'short', day: 'numeric', timeZone: 'UTC' })
        }
        shown={shown}
      />
    </figure>
  );
}
