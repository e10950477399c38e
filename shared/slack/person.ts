/**
 * Identifies people in Slack. In a channel that is shared with another organisation (Slack Connect) and in those of an
 * Enterprise Grid, people of other workspaces write and click, and Slack names them in several ways:
 *
 * - `user.team_id` of a click is the workspace of the user who clicked, `team.id` the one whose app has the button; for
 *   people of an Enterprise Grid it is the id of the organisation, `E…` (docs.slack.dev, block_actions and
 *   block_suggestion payloads; slackapi/java-slack-sdk#1041).
 * - `event.user_team` and `source_team` are there when a channel is shared. Then `event.team` and the envelope's
 *   `team_id` may name any of the teams: only `authorizations` names the workspace that has installed the app
 *   (slackapi/java-slack-sdk#629, and the recordings in bolt-python's tests/slack_bolt/request/test_internals.py).
 */

import type { EventEnvelope, SaidEvent } from './payloads.ts';
import type { Installation } from './store.ts';

/** A person, as Slack has signed it. */
export interface Person {
  readonly user: string;
  /**
   * For people of the organisation that has installed the app, the workspace that has: their ids are unique in it. For
   * all others, their own workspace (`T…`) or organisation (`E…`), as Slack names it; {@link NOWHERE} when it does not.
   */
  readonly userTeam: string;
  /** The person is of another organisation, or of one that Slack does not name. */
  readonly external: boolean;
}

/** The team of a person whose team Slack does not name. No team id of Slack begins with U. */
export const NOWHERE = 'UNKNOWN';

type Home = Pick<Installation, 'team' | 'enterprise' | 'orgWide'>;

/** The author of an event's message. */
export function speakerOf(
  event: Pick<SaidEvent, 'user' | 'user_team' | 'source_team' | 'team'>,
  envelope: EventEnvelope,
  installed: Home,
): Person {
  const { user = '', user_team, source_team, team } = event;
  const { is_ext_shared_channel: shared, team_id, enterprise_id, authorizations } = envelope;
  const authorized = authorizations?.find((one) => one.team_id === installed.team);
  const home = { ...installed, enterprise: installed.enterprise ?? authorized?.enterprise_id ?? undefined };
  const named = user_team ?? source_team ?? undefined;
  // In a channel that is not shared with another organisation, everyone belongs to this one.
  if (!(shared ?? named !== undefined)) return own(user, home);
  const theirs = named ?? team ?? undefined;
  // The envelope's own pair says to which organisation its workspace belongs.
  const sameOrganisation =
    theirs !== undefined &&
    theirs === team_id &&
    home.enterprise !== undefined &&
    enterprise_id === home.enterprise;
  return sameOrganisation ? own(user, home) : personOf(user, theirs, home);
}

/** The user who clicked. */
export const clickerOf = (
  {
    user,
    team,
  }: {
    user: { id: string; team_id?: string | null };
    team?: { id: string; enterprise_id?: string | null } | null;
  },
  installed: Home,
): Person => {
  const enterprise = installed.enterprise ?? team?.enterprise_id ?? undefined;
  // If the organisation has installed the app, `team` is the workspace of the click.
  if (installed.orgWide && team && user.team_id === team.id && team.enterprise_id === enterprise)
    return own(user.id, installed);
  return personOf(user.id, user.team_id ?? undefined, { ...installed, enterprise });
};

/** The user of a slash command: Slack offers them to members of the workspace that has installed the app. */
export const memberOf = (user: string, { team }: Pick<Home, 'team'>): Person => own(user, { team });

function personOf(user: string, team: string | undefined, home: Home): Person {
  const isOwn = team !== undefined && (team === home.team || team === home.enterprise);
  return isOwn ? own(user, home) : { user, userTeam: team ?? NOWHERE, external: true };
}

const own = (user: string, { team }: Home): Person => ({ user, userTeam: team, external: false });
