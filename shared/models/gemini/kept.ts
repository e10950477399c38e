import { isRecord } from '../../agent/plain/merge.ts';
import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';

/**
 * The part that a signature belongs to. Every signature is kept as thinking, so that it is left out with thinking: for
 * another model, and when the context that it was given for is gone. Absent if the thinking itself is the part.
 */
export type Signed =
  /** The call after it. */
  | 'call'
  /** The text after it. */
  | 'text'
  /** A text without words, which is not stored as a text: the thinking has it. */
  | 'blank';

/** The part that the signature in a block of thinking belongs to. */
export function signedBy(block: Block): Signed | undefined {
  const { message } = givenOf(block);
  const of = isRecord(message) ? message.of : undefined;
  return of === 'call' || of === 'text' || of === 'blank' ? of : undefined;
}

/** The block that keeps a signature. */
export const signatureBlock = (signature: string, of?: Signed) => ({
  ...{ type: 'thinking', thinking: '', signature },
  ...(of && { _given: { message: { of } } }),
});
