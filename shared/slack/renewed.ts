import type { Clock } from '../agent/ports/ports.ts';
import type { Answer } from './api.ts';
import type { BotToken } from './bot-token.ts';
import type { Installation, SlackStore, SlackTokens } from './store.ts';

/** The token of an installation, valid now. `fresh`: for a caller that was just refused with the previous one. */
export type TokenOf = (
  installation: Pick<Installation, 'team' | 'secretId'>,
  fresh?: boolean,
) => Promise<string>;

export interface RenewingOptions {
  readonly tokens: Pick<SlackTokens, 'get' | 'put'>;
  readonly store: Pick<SlackStore, 'claimRenewal'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Exchanges a refresh token at Slack. */
  readonly renew: (refresh: string) => Promise<Answer<BotToken>>;
  /** Slack refuses to renew it: the app must be installed again. */
  readonly onRefused: (facts: { readonly team: string; readonly reason: string }) => void;
}

/** How long before its end a token is renewed, in ms; the SDKs of Slack do the same (bolt-python, `token_rotation_expiration_minutes`). */
const AHEAD_MS = 2 * 3_600_000;
/** How long one function may take to renew a token, in ms: a call has 10 s, and the secret is written at most three times. */
const CLAIM_MS = 60_000;
/** How long, in ms, and how often other functions look for the new token when the old one has ended meanwhile. */
const LOOK_MS = 500;
const LOOKS = 12;
const WRITES = 3;

/**
 * Tokens that are renewed when they are about to end. A refresh token is good once, so one function renews: a
 * conditional write decides which. The other functions continue with their token, which is good for two hours more, or,
 * if it has ended, read what that function has written. Rejects when there is none in time, so that a queue retries.
 */
export function renewing({ tokens, store, clock, renew, onRefused }: RenewingOptions): TokenOf {
  const isFar = ({ renewal }: BotToken) => !renewal || renewal.expiresAt - clock.now() > AHEAD_MS;
  const isGood = ({ renewal }: BotToken) => !renewal || renewal.expiresAt > clock.now();

  async function write(team: string, token: BotToken): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await tokens.put(team, token);
        return;
      } catch (error) {
        // A token that is not written is lost: Slack no longer accepts the old refresh token.
        if (tries === WRITES) throw error;
        await clock.sleep(LOOK_MS);
      }
    }
  }

  /** Renews the token. Undefined when Slack gave no answer. */
  async function renewed(team: string, old: BotToken, secretId: string): Promise<BotToken | undefined> {
    const answer = await renew(old.renewal?.refresh ?? '');
    if (answer.kind === 'ok') {
      await write(team, answer.value);
      return answer.value;
    }
    if (answer.kind !== 'refused') return undefined;
    const now = await tokens.get(secretId, true);
    if (isFar(now)) return now;
    onRefused({ team, reason: answer.error });
    // Slack's own answer says what is wrong with it.
    return old;
  }

  return async ({ team, secretId }, fresh = false) => {
    let bot = await tokens.get(secretId, fresh);
    if (isFar(bot)) return bot.token;
    // The value that is read may be as old as the cache of secrets.
    for (let looks = 0; looks < LOOKS; looks++) {
      bot = await tokens.get(secretId, true);
      if (isFar(bot) || !bot.renewal) return bot.token;
      if (await store.claimRenewal(team, bot.renewal.expiresAt, clock.now() + CLAIM_MS)) {
        const next = await renewed(team, bot, secretId);
        if (next) return next.token;
      }
      if (isGood(bot)) return bot.token;
      await clock.sleep(LOOK_MS);
    }
    throw new Error(`the token of the Slack workspace ${team} has ended, and is not renewed yet`);
  };
}
