/** Decisions by clicks and forms: in whose name, and what a person is told if they do not count. */

import { byOf } from '../../shared/slack/asks.ts';
import { escapeMrkdwn } from '../../shared/slack/escape.ts';
import type { Person } from '../../shared/slack/person.ts';
import type { SlackPlace } from '../../shared/slack/place.ts';
import type { DecidedAs } from '../middleware/decide.ts';
import type { SlackContext } from './context.ts';

/** Where a click was made, and by whom. */
export interface Click {
  readonly place: SlackPlace;
  readonly by: Person;
}

/** The person who has clicked, for the agent's rules. */
export async function deciderAt({ place, by }: Click, { store }: Pick<SlackContext, 'store'>) {
  const { user, userTeam, external } = by;
  const { team, channel } = place;
  // An outsider in the channel proves that it is shared.
  const shared = external || (await store.isShared(team, channel));
  const slack = { team, channel, user, userTeam, external, shared };
  return { subject: byOf(userTeam, user), kind: 'slack', slack } as const;
}

/** Why a decision did not count, as a sentence of plain text; undefined if it did. */
export function refusalOf(decided: DecidedAs): string | undefined {
  switch (decided.kind) {
    case 'decided':
      return undefined;
    case 'forbidden':
    case 'no_change':
      return `You may not decide this. ${decided.why}`;
    case 'ungrantable':
      return decided.why;
    case 'already_decided':
      return 'This was already decided.';
    case 'closed':
    case 'unknown':
      return 'This request is no longer open: it was decided, has expired, or was stopped.';
    case 'busy':
      return 'That did not work. Please click again.';
    default:
      return decided satisfies never;
  }
}

/** Tells only the person who has clicked. `text` is plain. */
export const whisper = (
  text: string,
  { place, by }: Click,
  { jobs }: Pick<SlackContext, 'jobs'>,
): Promise<void> =>
  jobs.send({ kind: 'whisper', place: { ...place }, user: by.user, text: escapeMrkdwn(text), tries: 0 });
