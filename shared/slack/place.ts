/** Where in Slack a session lives. */
export interface SlackPlace {
  readonly team: string;
  readonly channel: string;
  /** The thread; absent for the top level of a direct message. */
  readonly thread?: string;
}

/** Whether a channel is a user's direct messages with the bot, by its id. */
export const isDirect = (channel: string): boolean => channel.startsWith('D');

/** The key of a place's session. Each thread is a session, and so is the top level of a direct message. */
export const placeKeyOf = ({ team, channel, thread }: SlackPlace): string =>
  `${team}:${channel}:${thread ?? 'direct'}`;
