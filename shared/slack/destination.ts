import { type Destination, newDestination } from '../agent/outbound/destination.ts';
import { escapeMrkdwn } from './escape.ts';

/** Characters of a title: Slack shows more lines than people read. */
const MAX_TITLE = 300;

/** Shows a session in a channel. `title` is the first line of its thread. */
export const slackDestination = (team: string, channel: string, agent: string, title: string): Destination =>
  newDestination('slack', 'slack', {
    place: { team, channel },
    opens: `*${escapeMrkdwn(agent)}*: ${escapeMrkdwn(title.slice(0, MAX_TITLE).toWellFormed())}`,
  });
