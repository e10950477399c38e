import { byteLength } from '../agent/plain/utf8.ts';
import { MAX_POST_BYTES, type Sockets } from '../agent/ports/sockets.ts';

export type PostAnswer = Awaited<ReturnType<Sockets['post']>>;

/** Sockets that keep what was posted. */
export interface MemorySockets extends Sockets {
  /** All posts that were answered `sent`, in order. */
  readonly sent: readonly { readonly connectionId: string; readonly data: string }[];
  /** Sets the answer to posts to a connection from now on. */
  answer(connectionId: string, answer: PostAnswer): void;
}

/** Sockets in memory: every connection exists until `answer` says otherwise. */
export function createSockets(): MemorySockets {
  const sent: { connectionId: string; data: string }[] = [];
  const answers = new Map<string, PostAnswer>();
  return {
    sent,
    async post(connectionId, data) {
      const isTooLarge = byteLength(data) > MAX_POST_BYTES;
      const answer = isTooLarge ? 'failed' : (answers.get(connectionId) ?? 'sent');
      if (answer === 'sent') sent.push({ connectionId, data });
      return answer;
    },
    answer(connectionId, answer) {
      answers.set(connectionId, answer);
    },
  };
}
