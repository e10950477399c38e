import type { State } from '../../../../shared/contract/session.ts';
import type { SessionRow } from '../../../client/index.ts';
import { isFinal, ProblemError } from '../../../client/problem.ts';

/** Actions for many sessions at once. */
export const bulkActions = ['retry', 'stop', 'delete'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** Sessions whose run is in progress or waits. */
const going: readonly State[] = ['running', 'waiting_for_tool', 'waiting_for_input'];
/** Sessions whose last run ended early. */
const early: readonly State[] = ['error', 'cancelled', 'timed_out', 'max_steps', 'budget_exceeded'];

/** Whether an action applies to a session in this state. The server decides again. */
export function appliesTo(action: BulkAction, state: State): boolean {
  switch (action) {
    case 'retry':
      return early.includes(state);
    case 'stop':
      return going.includes(state);
    case 'delete':
      return !going.includes(state);
    default:
      return action satisfies never;
  }
}

/** A session that an action failed for, and why. */
export interface BulkFailure {
  readonly row: SessionRow;
  readonly error: unknown;
}

/** How far an action is. */
export interface BulkProgress {
  readonly done: number;
  readonly failures: readonly BulkFailure[];
}

interface BulkRun {
  readonly act: (sessionId: string) => Promise<unknown>;
  readonly onProgress: (progress: BulkProgress) => void;
  /** When it aborts, no further session is begun. */
  readonly signal: AbortSignal;
  /** Waits before another attempt, in ms, or until `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Sessions at a time: a console must not use up the tenant's requests. */
const AT_ONCE = 4;
/** Ms before each further attempt of a request that a retry may help. */
const PAUSES = [1_000, 3_000, 9_000];

/** Does an action to each session; a failure does not stop the others. */
export async function runBulk(rows: readonly SessionRow[], { act, onProgress, signal, pause }: BulkRun) {
  const failures: BulkFailure[] = [];
  let done = 0;
  const left = [...rows];
  const work = async () => {
    for (let row = left.shift(); row && !signal.aborted; row = left.shift()) {
      const error = await failureOf(row.sessionId);
      if (error === undefined) done++;
      else failures.push({ row, error });
      onProgress({ done, failures: [...failures] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  async function failureOf(sessionId: string): Promise<unknown> {
    for (const ms of [...PAUSES, undefined]) {
      try {
        await act(sessionId);
        return undefined;
      } catch (error) {
        const isLast = ms === undefined || signal.aborted;
        if (isLast || (error instanceof ProblemError && isFinal(error.problem))) return error;
        await pause(ms, signal);
      }
    }
    return undefined;
  }
}
