import type { StopContext } from '../../shared/agent/define/index.ts';
import { hash } from '../../shared/agent/plain/hash.ts';

/** Messages that a call has sent to its agent. The entry is stored before and after each message, so that a message is not sent twice. */
export interface Entry {
  /** `sending` from before a message until its answer: if the worker dies meanwhile, the agent may have it. */
  readonly state: 'sending' | 'sent';
  /** The agent's id of the task. Absent until the first answer, and if the agent has answered with a message alone. */
  readonly taskId?: string;
  readonly contextId?: string;
  /** People's answers to its questions that were sent, or are being sent. */
  readonly answers: number;
  /** The answer of an agent that has begun no task. */
  readonly reply?: string;
}

/** The tasks that calls of this session have given to one agent, by a name for each that the model may use. */
export interface Book {
  get(task: string): Promise<Entry | undefined>;
  put(task: string, entry: Entry): Promise<void>;
}

/** The name of the task that a call begins: the same for every attempt at it. */
export const taskNameOf = (idempotencyKey: string): string => hash(idempotencyKey, 12);

/**
 * The id of a call's message, the same for every attempt at it.
 *
 * @param n 0 for the task, and n for the n-th answer of people
 */
export const messageIdOf = (idempotencyKey: string, n: number): string =>
  `steploop-${hash(`${idempotencyKey}:${n}`, 32)}`;

/**
 * The model names tasks by names of ours. Only tasks of this session have one, so that no text of an agent can lead to a task of
 * another session, which has the same credential.
 */
export function bookOf(agent: string, { blobs }: StopContext['services']): Book {
  const nameOf = (task: string) => `a2a-${hash(`${agent}:${task}`, 24)}`;
  return {
    async get(task) {
      const text = await blobs.get(nameOf(task));
      return text === undefined ? undefined : (JSON.parse(text) as Entry);
    },
    put: (task, entry) => blobs.put(nameOf(task), JSON.stringify(entry)),
  };
}
