import type { SessionKey } from '../contract/session.ts';
import type { BotToken } from './bot-token.ts';
import type { SlackPlace } from './place.ts';

/** A workspace that has installed the app, or an organisation (Enterprise Grid) that has, for all of its workspaces. */
export interface Installation {
  /**
   * The workspace's id, `T…`; for an organisation's installation the organisation's, `E…`, which its places have too.
   */
  readonly team: string;
  /** Whether an organisation installed it. */
  readonly orgWide?: boolean;
  readonly tenant: string;
  /** The organisation (Enterprise Grid) of the workspace; absent when it has none, or Slack was not asked. */
  readonly enterprise?: string;
  /** The bot's user id in it. */
  readonly botUser: string;
  /** Secrets Manager id of the bot's token (`bot-token.ts`). */
  readonly secretId: string;
  /** `https://acme.slack.com/`, to link to messages; absent when Slack did not say. */
  readonly url?: string;
  /** Epoch ms. */
  readonly installedAt: number;
}

/** A session that a user has spoken in, for their App Home. */
export interface UserSession {
  readonly sessionId: string;
  readonly place: SlackPlace;
  /** The user's first words in it. */
  readonly title: string;
  /** Epoch ms of their last words in it. */
  readonly at: number;
}

/**
 * Slack's records beside the sessions. Rejects when the store cannot be reached; each operation but `redeemState` may
 * then be done again. A `redeemState` that rejects may have used the state up: the user starts again at the consent
 * page.
 */
export interface SlackStore {
  installation(team: string): Promise<Installation | undefined>;
  /** `taken`: the workspace belongs to another tenant, which must uninstall the app first. */
  install(installation: Installation): Promise<'installed' | 'taken'>;
  /** Forgets an installation that was made before `before` (epoch ms). */
  uninstall(team: string, before: number): Promise<'uninstalled' | 'kept'>;
  /**
   * Claims the right to renew the token that ends at `expiresAt` (epoch ms), until `until` (epoch ms). One caller gets
   * it; another one may get it when that time is over, or for a token that ends later.
   */
  claimRenewal(team: string, expiresAt: number, until: number): Promise<boolean>;
  /** A secret for one pass through Slack's consent page: single use, ten minutes. */
  issueState(tenant: string): Promise<string>;
  /** The tenant that the state was issued to; undefined when it is unknown, expired or used. */
  redeemState(state: string): Promise<string | undefined>;
  /**
   * Keeps a value under a name of the workspace's, if there is none, for two days: longer than Slack repeats itself (an
   * app may ask for a day of it). Returns the stored value, which is the first one that was written.
   */
  once(team: string, name: string, value: string): Promise<{ value: string; isNew: boolean }>;
  /**
   * Notes whether a channel is shared with another organisation, according to the last message in it. Kept for 90 days.
   */
  noteShared(team: string, channel: string, shared: boolean): Promise<void>;
  /** Whether the channel is shared; undefined when nothing was noted. */
  isShared(team: string, channel: string): Promise<boolean | undefined>;
  /**
   * Notes that a bot wrote to ours in a thread (or under another name), and returns how many of its messages came in a row, at most
   * `most` + 1: further ones are not counted. A person's message ends the row. Kept for two days after the last one. Idempotent.
   */
  noteTurn(place: Required<SlackPlace>, ts: string, by: 'bot' | 'person', most: number): Promise<number>;
  /** Notes that a thread which the bot has opened is a session's, for 90 days. Idempotent. */
  linkThread(place: Required<SlackPlace>, session: SessionKey): Promise<void>;
  /** The session whose thread it is, if the bot has opened it. */
  linkedTo(place: Required<SlackPlace>): Promise<SessionKey | undefined>;
  /**
   * Notes that the user has spoken in a session. `team` is their own, so the same id in another team is another user.
   */
  noteSession(tenant: string, team: string, user: string, session: UserSession): Promise<void>;
  /** Ids of a workspace's sessions in which a user has spoken within 90 days, in order, those after `after`. */
  sessionsIn(tenant: string, team: string, after: string, limit: number): Promise<string[]>;
  /** A user's sessions, the one they last spoke in first. */
  sessionsOf(tenant: string, team: string, user: string): Promise<UserSession[]>;
}

/**
 * The bots' tokens, one secret for each workspace or organisation that has installed the app. Rejects when the service cannot be reached, and may have been applied then;
 * each operation may be done again.
 */
export interface SlackTokens {
  /** Stores a token and replaces an older one. Returns the secret's id. */
  put(team: string, token: BotToken): Promise<string>;
  /**
   * The token. `fresh`: its current value, for a caller that was just refused with the previous one. Rejects when there
   * is none.
   */
  get(secretId: string, fresh?: boolean): Promise<BotToken>;
  /** Forgets a token for good. A token that does not exist counts as forgotten. */
  remove(secretId: string): Promise<void>;
}
