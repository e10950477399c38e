import * as z from 'zod';
import { type Destination, newDestination } from '../agent/outbound/destination.ts';

/** The name of the channel that ships. A definition's own channels have other names. */
export const EMAIL = 'email';

/** A destination of kind `channel`. */
export const ChannelPlace = z.object({
  channel: z.string(),
  thread: z.string(),
  /** The subject of the person who began the thread. */
  person: z.string(),
  from: z.string(),
  place: z.unknown(),
});
export type ChannelPlace = z.output<typeof ChannelPlace>;

/** The listener of a session that began in a channel. */
export const channelDestination = (place: ChannelPlace): Destination =>
  newDestination('channel', 'channel', place);

/** The subject of a person in a channel. The prefixes keep one from posing as another. */
export const subjectOf = (channel: string, id: string): string =>
  channel === EMAIL ? `email:${id}` : `channel:${channel}:${id}`;
