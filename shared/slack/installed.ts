/**
 * The installation to which a request of Slack belongs. An app is installed into a workspace, or for a whole
 * organisation (Enterprise Grid), and then one token serves all of its workspaces
 * (docs.slack.dev/enterprise/organization-ready-apps). Requests name the workspace, the organisation, and with
 * `is_enterprise_install` which of the two has installed the app.
 */

import type { EventEnvelope } from './payloads.ts';
import type { Installation, SlackStore } from './store.ts';

/** The owner as a request names it. */
export interface Whose {
  readonly team?: string | null | undefined;
  readonly enterprise?: string | null | undefined;
  readonly orgWide?: boolean | null | undefined;
}

/** The installation that the request names, or else the other of workspace and organisation, if that has the app. */
export async function installedFor(
  store: Pick<SlackStore, 'installation'>,
  ...named: readonly Whose[]
): Promise<Installation | undefined> {
  const ids = named.flatMap(({ team, enterprise, orgWide }) =>
    orgWide ? [enterprise, team] : [team, enterprise],
  );
  for (const id of new Set(ids)) {
    const installation = id ? await store.installation(id) : undefined;
    if (installation) return installation;
  }
  return undefined;
}

/**
 * The owner of an event. In a channel that is shared with another organisation `team_id` may be either of the two;
 * `authorizations` names the one that has installed the app (`person.ts`), and comes first.
 */
export function whoseEvent({ team_id, enterprise_id, authorizations }: EventEnvelope): Whose[] {
  const [authorized] = authorizations ?? [];
  return [
    ...(authorized
      ? [
          {
            team: authorized.team_id,
            enterprise: authorized.enterprise_id,
            orgWide: authorized.is_enterprise_install,
          },
        ]
      : []),
    { team: team_id, enterprise: enterprise_id },
  ];
}
