import { type Fields, fieldsIn } from '../rule.ts';

export const chatOf = ({ messages }: Fields): readonly Fields[] => fieldsIn(messages);

export const callsOf = ({ tool_calls: calls }: Fields): readonly Fields[] => fieldsIn(calls);

export const functionOf = ({ function: called }: Fields): Fields => fieldsIn([called])[0] ?? {};

/** A call in the history, and its place. */
export interface CallPlace {
  readonly message: number;
  readonly at: number;
  readonly call: Fields;
  readonly in: Fields;
}

/** The first call in the history for which `find` returns something. */
export function inCalls<R>(body: Fields, find: (place: CallPlace) => R | undefined): R | undefined {
  for (const [message, one] of chatOf(body).entries()) {
    for (const [at, call] of callsOf(one).entries()) {
      const found = find({ message, at, call, in: one });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The tool messages right after a message. */
export function answersAfter(messages: readonly Fields[], at: number): readonly Fields[] {
  const after = messages.slice(at + 1);
  const end = after.findIndex(({ role }) => role !== 'tool');
  return end < 0 ? after : after.slice(0, end);
}
