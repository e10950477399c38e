/**
 * Names and time zones of people in Slack. Slack is asked once an hour for each, and an answer is never waited for
 * long.
 */

import * as z from 'zod';
import { recent } from '../agent/plain/recent.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { TokenOf } from './renewed.ts';
import type { Installation } from './store.ts';

/** Name and time zone of a person; empty when Slack does not tell them. */
export interface Profile {
  readonly name?: string;
  /** IANA name of their time zone, as Slack tells it. */
  readonly zone?: string;
  /** Their own workspace. */
  readonly team?: string;
  /** It is no person, but an app's bot. */
  readonly isBot?: true;
}

export type ProfileOf = (
  installation: Pick<Installation, 'team' | 'secretId'>,
  user: string,
) => Promise<Profile>;

/**
 * Time in ms for one request: Slack gives up on an event after 3 s, so after this time the message goes in without a
 * name.
 */
const TIMEOUT_MS = 1_000;
/** Time in ms for which an answer is used, and for which Slack is not asked again after it gave none. */
const KEPT_MS = 3_600_000;
const SILENT_MS = 300_000;
/** People who are remembered. */
const MOST = 1_000;

/** `users.info` needs the scope `users:read`, and may be asked 100 times a minute (docs.slack.dev/reference/methods/users.info). */
const Info = z.object({
  ok: z.literal(true),
  user: z.object({
    real_name: z.string().nullish(),
    tz: z.string().nullish(),
    is_bot: z.boolean().nullish(),
    team_id: z
      .string()
      .regex(/^[A-Z0-9]{1,32}$/)
      .nullish()
      .catch(undefined),
    profile: z.object({ display_name: z.string().nullish(), real_name: z.string().nullish() }).nullish(),
  }),
});

export interface ProfileOptions {
  /** Slack's Web API: `https://slack.com/api/`. */
  readonly apiUrl: string;
  readonly tokenOf: TokenOf;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Never rejects. Without the scope, during an outage, or above the rate limit the answer is empty. By plain `fetch`: Slack's library takes longer to load
 * than this call does.
 */
export function createProfiles({ apiUrl, tokenOf, clock }: ProfileOptions): ProfileOf {
  const known = recent<{ readonly profile: Profile; readonly until: number }>(MOST);
  return async (installation, user) => {
    const key = `${installation.team} ${user}`;
    const before = known.get(key);
    if (before && before.until > clock.now()) return before.profile;
    const found = await asked(installation, user).catch(() => undefined);
    const profile = found ?? before?.profile ?? {};
    known.set(key, { profile, until: clock.now() + (found ? KEPT_MS : SILENT_MS) });
    return profile;
  };

  async function asked(installation: Parameters<ProfileOf>[0], user: string): Promise<Profile | undefined> {
    const url = new URL('users.info', apiUrl);
    url.searchParams.set('user', user);
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${await tokenOf(installation)}` },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { data } = Info.safeParse(await response.json());
    if (!data) return undefined;
    const { real_name, tz, is_bot, team_id: team, profile } = data.user;
    const name = profile?.display_name || real_name || profile?.real_name;
    return {
      ...(name && { name: name.slice(0, 200) }),
      ...(tz && { zone: tz }),
      ...(team && { team }),
      ...(is_bot && { isBot: true }),
    };
  }
}
