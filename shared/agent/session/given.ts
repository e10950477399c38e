import { isRecord } from '../plain/merge.ts';
import type { Block } from './slots.ts';

/**
 * What a server gave with a block of its reply, and only the model that gave it is sent again: it stands under `_given` of the block.
 * No other model, no export and no person is shown it.
 */
export interface Given {
  /** The call's id as the server wrote it, where the block has one of ours. */
  readonly id?: string;
  /** The field of the message in which thinking came, or `parts` where it was a part of the content. */
  readonly as?: string;
  /** Unknown fields of the call, and of its `function`. */
  readonly call?: Fields;
  readonly function?: Fields;
  /** Unknown fields of the message. They stand on the first block of the reply. */
  readonly message?: Fields;
  /** Sources that the reply cites, to be told to people. They stand on the first block of the reply, and no server is sent them. */
  readonly citations?: readonly GivenCitation[];
}

/** A source that a reply cites, in the words of the Messages API. */
export interface GivenCitation {
  readonly url: string;
  readonly title?: string;
  readonly cited_text?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** What was given with a block; empty when nothing was. */
export const givenOf = ({ _given: given }: Block): Given => (isRecord(given) ? given : {});

/** The block with what was given with it. Nothing is added when that is nothing. */
export const withGiven = (block: Block, given: Given): Block =>
  Object.keys(given).length > 0 ? { ...block, _given: { ...givenOf(block), ...given } } : block;

/** The block as everybody may have it. */
export function withoutGiven(block: Block): Block {
  if (!('_given' in block)) return block;
  const { _given, ...rest } = block;
  return rest;
}
