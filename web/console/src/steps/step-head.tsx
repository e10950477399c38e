import type { CallInfo, StepInfo } from '../../../client/index.ts';
import { count, duration, usd } from '../parts/words.ts';
import { kindWords } from './kinds.ts';
import { phasesOf, totalMs } from './phases.ts';

/** Ms above which a wait is shown. */
const WAIT_MS = 1_000;

export interface StepHeadProps {
  readonly step: StepInfo;
  /** Ms of the longest step, which fills the line. */
  readonly longest: number;
  /** USD that the session had cost after it. */
  readonly soFar: number;
  /** Idle ms before the step, if it starts a run. */
  readonly rest: number | undefined;
}

/** A step's line while it is closed: what it did, what went wrong, its time and its cost. */
export function StepHead({ step, longest, soFar, rest }: StepHeadProps) {
  const { kind, costUsd, lost, verdicts, calls, stop, fold, times, attempt = 1, retries = 0 } = step;
  const total = totalMs(step);
  const { waitMs = 0 } = times;
  return (
    <>
      {rest !== undefined && <span className="dim rest">New run, {duration(rest)} after the last one</span>}
      <span className="row">
        <strong>
          {kindWords[kind]} {step.step}
        </strong>
        {kind === 'model' && stop === undefined && <span className="badge bad">no reply</span>}
        {attempt > 1 && (
          <span className="badge bad">
            attempt {attempt}: {attempt === 2 ? 'its worker died' : `${attempt - 1} workers died`}
          </span>
        )}
        {retries > 0 && (
          <span className="badge warn">
            {retries} earlier {retries === 1 ? 'try' : 'tries'}
          </span>
        )}
        {waitMs >= WAIT_MS && <span className="badge warn">waited {duration(waitMs)}</span>}
        {step.finding && (
          <span className={step.finding === 'stuck' ? 'badge warn' : 'badge'} title={step.why}>
            {step.finding.replace('_', ' ')}
          </span>
        )}
        {lost && <span className="badge bad">{usd(lost.costUsd)} lost</span>}
        {verdicts.map(({ guard, code }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a journal only grows
          <span key={i} className="badge warn" title={code}>
            {guard}
          </span>
        ))}
        <span className="row amounts">
          {total > 0 && <span className="figure">{duration(total)}</span>}
          {costUsd !== undefined && (
            <span className="figure">
              {usd(costUsd)} <span className="dim">{usd(soFar)} so far</span>
            </span>
          )}
        </span>
      </span>
      <span className="waterfall" aria-hidden="true">
        {phasesOf(step).map(({ name, words, ms }) => (
          <span
            key={name}
            className={`phase ${name}`}
            title={`${duration(ms)} ${words}`}
            // A wait may last for days, and is no work: it has a mark of fixed width.
            style={{ width: name === 'wait' ? 8 : `${(100 * ms) / longest}%` }}
          />
        ))}
      </span>
      <span className="clip dim">
        {fold && `${count(fold.tokens.before)} → ${count(fold.tokens.after)} tokens, ${fold.why}`}
        {calls.map(callWords).join(', ') || step.text}
      </span>
    </>
  );
}

const callWords = ({ name, outcome, decision, decidedBy }: CallInfo): string => {
  const came = outcome === 'ok' ? '' : ` (${outcome})`;
  return decidedBy === undefined ? name + came : `${name}${came}, ${decision ?? 'approved'} by ${decidedBy}`;
};
