/** A run as an A2A task: its id and its state. Pure. A2A 1.0, sections 3.4 and 4.1: https://a2a-protocol.org/v1.0.0/specification/ */

import type { SnapshotMessage } from '../../contract/events.ts';
import type { WaitInfo } from '../../contract/http.ts';
import type { State } from '../../contract/session.ts';

export type TaskStateName = 'submitted' | 'working' | 'input_required' | 'completed' | 'failed' | 'canceled';

/** A run of a session, as an A2A client sees it. */
export interface RunAsTask {
  /** The run's id. */
  readonly id: string;
  /** The session's id. */
  readonly contextId: string;
  readonly state: TaskStateName;
  /** Why it has failed, in words. */
  readonly message?: string | undefined;
  /** The agent's last words. */
  readonly answer?: string | undefined;
  /** The answer of an agent that answers with an object. */
  readonly object?: unknown;
  /** Requests that people must decide before it continues. */
  readonly asks: readonly WaitInfo[];
  /** Its part of the conversation. */
  readonly messages: readonly SnapshotMessage[];
}

/** The task state for the state of a session whose run it is. */
export function taskStateOf(state: State): TaskStateName {
  switch (state) {
    case 'idle':
    case 'running':
    case 'waiting_for_tool':
      return 'working';
    case 'waiting_for_input':
      return 'input_required';
    case 'completed':
      return 'completed';
    case 'cancelled':
      return 'canceled';
    case 'error':
    case 'timed_out':
    case 'max_steps':
    case 'budget_exceeded':
      return 'failed';
    default:
      return state satisfies never;
  }
}

/** Whether a task accepts no more messages. */
export const isOver = (state: TaskStateName): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled';

/** Whether it continues by itself. */
export const goesOn = (state: TaskStateName): boolean => state === 'submitted' || state === 'working';

/** The session and the first slot of the run that a task id names; undefined if it has another form. */
export function runNamed(taskId: string): { readonly sessionId: string; readonly slot: number } | undefined {
  const [, sessionId, slot] = /^(.+)-(\d{1,10})$/.exec(taskId) ?? [];
  return sessionId === undefined ? undefined : { sessionId, slot: Number(slot) };
}
