import { isRecord } from '../plain/merge.ts';
import type { Block } from './slots.ts';

/**
 * Data that a server gave with a block of its reply, and that only the same model is sent again: it is stored under `_given` of
 * the block. It is not sent to other models, exported, or shown to people.
 */
export interface Given {
  /** The call's id as the server wrote it, if the block has one of ours. */
  readonly id?: string;
  /** The field of the message in which thinking came, or `parts` if it was a part of the content. */
  readonly as?: string;
  /** Unknown fields of the call, and of its `function`. */
  readonly call?: Fields;
  readonly function?: Fields;
  /** Unknown fields of the message. They are on the first block of the reply. */
  readonly message?: Fields;
  /** Sources that the reply cites, which are shown to people. They are on the first block of the reply, and are not sent to servers. */
  readonly citations?: readonly GivenCitation[];
}

/** A source that a reply cites, with the field names of the Messages API. */
export interface GivenCitation {
  readonly url: string;
  readonly title?: string;
  readonly cited_text?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The data given with a block; empty if there is none. */
export const givenOf = ({ _given: given }: Block): Given => (isRecord(given) ? given : {});

/** The block with the data given with it. Unchanged if there is none. */
export const withGiven = (block: Block, given: Given): Block =>
  Object.keys(given).length > 0 ? { ...block, _given: { ...givenOf(block), ...given } } : block;

/** The block without that data, for all other readers. */
export function withoutGiven(block: Block): Block {
  if (!('_given' in block)) return block;
  const { _given, ...rest } = block;
  return rest;
}
