import type { ChannelAnswer, ChannelAsk } from '../agent/define/channel.ts';
import type { SessionKey } from '../contract/session.ts';
import type { ChannelPlace } from './place.ts';

/** An ask, before it has a link. */
export type Asked = Omit<ChannelAsk, 'link'> & { readonly waitId: string };

/** A turn in which a channel says something. */
export interface Turn {
  readonly key: SessionKey;
  /** The session's agent, by name. */
  readonly agent: string;
  readonly at: ChannelPlace;
  /** A link with which this person decides the ask. */
  readonly linkFor: (person: string, asked: Asked) => Promise<string>;
  readonly signal: AbortSignal;
}

/** How a channel speaks. Each function rejects if it must be tried again, and may be called again after it has succeeded. */
export interface Voice {
  readonly progress?: (turn: Turn) => Promise<void>;
  readonly ask: (asked: Asked, turn: Turn) => Promise<void>;
  readonly answer: (answer: ChannelAnswer, turn: Turn) => Promise<void>;
}

/** Nothing can be said any longer, so it is not tried again: the address does not exist. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}
