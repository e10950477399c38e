import type { GuardReplay, ReplayAnswer, ReplayedVerdict } from '../../../client/index.ts';
import { plain } from '../parts/plain.ts';
import { count } from '../parts/words.ts';
import { effectWords } from './words.ts';

interface SaidProps {
  readonly name: string;
  readonly said: Pick<GuardReplay, 'said' | 'more'>;
  /** How the preset ends runs, in words. */
  readonly ends: readonly string[];
  readonly runs: ReplayAnswer['runs'];
}

/** The verdicts of one preset, with what the model would have read. */
export function Said({ name, said: { said, more }, ends, runs }: SaidProps) {
  const verdicts = said.length === 1 ? '1 verdict' : `${count(said.length + (more ?? 0))} verdicts`;
  return (
    <details className="guard-said">
      <summary>
        <strong>{name}</strong>{' '}
        <span className="dim">
          {said.length === 0 ? 'silent' : verdicts}
          {ends.map((end) => `, ${end}`)}
        </span>
      </summary>
      {said.length > 0 && (
        <div className="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">Guard</th>
                <th scope="col">Effect</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {said.map((one, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and nothing else is unique
                <tr key={i}>
                  <td>{placeOf(one, runs)}</td>
                  <td>
                    {plain(one.guard)} <span className="dim">{plain(one.code)}</span>
                  </td>
                  <td>{effectWords[one.effect]}</td>
                  <td>
                    {plain(one.message)}
                    {one.text !== undefined && (
                      <details>
                        <summary className="dim">What the model reads</summary>
                        <p className="plain">{plain(one.text)}</p>
                      </details>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more !== undefined && <p className="dim">The first {count(said.length)} are shown.</p>}
    </details>
  );
}

/** `7`, or with the number of the run if there are several: `2.7`. */
export function placeOf(
  { runId, step }: Pick<ReplayedVerdict, 'runId' | 'step'>,
  runs: ReplayAnswer['runs'],
): string {
  if (runs.length < 2) return String(step);
  return `${runs.findIndex((run) => run.runId === runId) + 1}.${step}`;
}
