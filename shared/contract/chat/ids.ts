import type { SnapshotMessage } from '../events.ts';

/**
 * The id of the answer to a user's message, by the session's own id of that message. It is the same over any stream and
 * after any reload.
 */
export const answerIdOf = (userMessageId: string): string => `answer-${userMessageId.replace(/^user-/, '')}`;

/** The id of the message with a call's result. */
export const resultIdOf = (callId: string): string => `result-${callId}`;

/** The user's message with which the last turn of these begins. */
export const lastOfUser = (messages: readonly SnapshotMessage[]): string | undefined =>
  messages.findLast(({ role }) => role === 'user')?.id;

/**
 * The messages after a user's message, and nothing when it is not among these; without its id, the messages after the
 * last one.
 */
export function turnOf(messages: readonly SnapshotMessage[], own: string | undefined): SnapshotMessage[] {
  const at = messages.findLastIndex(({ id, role }) => (own === undefined ? role === 'user' : id === own));
  return own !== undefined && at < 0 ? [] : messages.slice(at + 1);
}
