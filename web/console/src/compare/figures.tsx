import { count, duration, reasonWords, stateWords, usd } from '../parts/words.ts';
import { figuresOf, type Figures as Sums } from './pairs.ts';
import type { Side } from './use-side.ts';

interface FiguresProps {
  readonly left: Side;
  readonly right: Side;
  readonly sharedSteps: number;
}

interface Line {
  readonly name: string;
  readonly of: (sums: Sums) => number;
  readonly shown: (value: number) => string;
}

const lines: readonly Line[] = [
  { name: 'Steps', of: ({ steps }) => steps, shown: count },
  { name: 'Tool calls', of: ({ calls }) => calls, shown: count },
  { name: 'Tool calls that failed', of: ({ failedCalls }) => failedCalls, shown: count },
  { name: 'Input tokens', of: ({ input }) => input, shown: count },
  { name: 'Cached input', of: ({ cached }) => cached, shown: count },
  { name: 'Output tokens', of: ({ output }) => output, shown: count },
  { name: 'Cost', of: ({ costUsd }) => costUsd, shown: usd },
  { name: 'Working time', of: ({ workMs }) => workMs, shown: duration },
  { name: 'Waiting time', of: ({ waitMs }) => waitMs, shown: duration },
];

/** The figures of both sides, and what B has more or less. */
export function Figures({ left, right, sharedSteps }: FiguresProps) {
  const [a, b] = [figuresOf(left.steps), figuresOf(right.steps)];
  return (
    <section className="card" aria-label="Figures">
      <h2>Figures</h2>
      <div className="wide">
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col">A</th>
              <th scope="col">B</th>
              <th scope="col">B minus A</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Ending</th>
              <td>{endingOf(left)}</td>
              <td>{endingOf(right)}</td>
              <td />
            </tr>
            {lines.map(({ name, of, shown }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="figure">{shown(of(a))}</td>
                <td className="figure">{shown(of(b))}</td>
                <td className="figure">{signed(of(b) - of(a), shown)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sharedSteps > 0 && (
        <p className="dim">
          {sharedSteps === 1 ? 'The first step is' : `The first ${count(sharedSteps)} steps are`} shared by
          both: included in the figures of both, but paid for once. A was charged{' '}
          {usd(left.session.totals.costUsd)}, B {usd(right.session.totals.costUsd)}.
        </p>
      )}
    </section>
  );
}

/** How the last run ended. The endings of earlier runs are not part of a session's state. */
function endingOf({ session, runs, runId }: Side): string {
  if (runId !== undefined && runId !== runs.at(-1)) return 'Not kept for earlier runs';
  const { state, reason } = session;
  return reason ? reasonWords[reason] : stateWords[state];
}

const signed = (by: number, shown: (value: number) => string): string => {
  if (by === 0) return '=';
  return `${by > 0 ? '+' : '−'}${shown(Math.abs(by))}`;
};
