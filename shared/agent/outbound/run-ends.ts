import type { Frame, RunOutcome, RunResult } from '../../contract/events.ts';
import { defined } from '../plain/defined.ts';

/** The end of a run, or its wait for a person, as the event log shows it. */
export interface RunEnd {
  /** Seq of the run's terminal event: unique in the session, and permanent. */
  readonly seq: number;
  readonly runId: string;
  readonly result: RunResult;
  readonly interrupts?: Extract<RunOutcome, { type: 'interrupt' }>['interrupts'];
}

/** State from the frames before a cursor. */
export interface Read {
  readonly runId?: string;
  /** The result of the run that ends with the next terminal event. */
  readonly result?: RunResult;
}

/**
 * Reads one frame. An end consists of two events: `steploop.ended` has its result, and AG-UI's own event, which follows in the
 * same commit, says that the run is over.
 */
export function readFrame(read: Read, { seq, event }: Frame): { read: Read; end?: RunEnd } {
  switch (event.type) {
    case 'RUN_STARTED':
      return { read: { runId: event.runId } };
    case 'CUSTOM':
      return { read: event.name === 'steploop.ended' ? { ...read, result: event.value } : read };
    case 'RUN_FINISHED': {
      const { runId, result, outcome } = event;
      const interrupts = outcome.type === 'interrupt' ? outcome.interrupts : undefined;
      return { read: {}, end: { seq, runId, result, ...defined({ interrupts }) } };
    }
    case 'RUN_ERROR':
      return read.runId && read.result
        ? { read: {}, end: { seq, runId: read.runId, result: read.result } }
        : { read: {} };
    default:
      return { read };
  }
}
