import * as z from 'zod';

/**
 * A bot's token. If the app rotates its tokens, it ends after 12 hours, and is renewed with a refresh token that is
 * good once (docs.slack.dev/authentication/using-token-rotation).
 */
export interface BotToken {
  readonly token: string;
  /** Absent if the token does not end. */
  readonly renewal?: {
    readonly refresh: string;
    /** Epoch ms at which `token` ends. If there are two tokens of one installation, the newer one ends later. */
    readonly expiresAt: number;
  };
}

const Kept = z.object({
  token: z.string(),
  renewal: z.object({ refresh: z.string(), expiresAt: z.number() }),
});

/** The secret in which a token is kept: only the token itself, if it does not end. */
export const asSecret = ({ token, renewal }: BotToken): string =>
  renewal ? JSON.stringify({ token, renewal }) : token;

/** Reads a secret that {@link asSecret} has made. Throws for any other text; the error does not repeat it. */
export function fromSecret(text: string): BotToken {
  if (!text.startsWith('{')) return { token: text };
  const kept = Kept.safeParse(JSON.parse(text));
  if (!kept.success)
    throw new Error(
      'the secret of a Slack bot is not in the format that Steploop writes: install the app again',
    );
  return kept.data;
}

/**
 * The part of an answer of `oauth.v2.access` that says when a token ends
 * (docs.slack.dev/reference/methods/oauth.v2.access): both fields are there when the app rotates its tokens, and
 * neither when it does not.
 */
export const ends = {
  refresh_token: z.string().min(1).nullish(),
  /** Seconds. */
  expires_in: z.number().positive().nullish(),
};
/** With rotation they begin with `xoxe.`. */
export const accessToken = z.string().regex(/^(xoxe\.)?xoxb-/);

/** The token that Slack has given at `now` (epoch ms). */
export const botTokenOf = (
  given: {
    access_token: string;
    refresh_token?: string | null | undefined;
    expires_in?: number | null | undefined;
  },
  now: number,
): BotToken => ({
  token: given.access_token,
  ...(given.refresh_token &&
    given.expires_in && {
      renewal: { refresh: given.refresh_token, expiresAt: now + given.expires_in * 1000 },
    }),
});
