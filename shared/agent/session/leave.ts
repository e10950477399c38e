import type { Level } from '../config/levels.ts';

/** Whether a call may run, and who has said so: of each call of which somebody says something. */
export interface Leave {
  readonly decision: 'allow' | 'ask' | 'forbid';
  /** Which rule: `<policy>.<rule>`, `<policy> (<mode>, <level>)`; `tool` and `effect` are what asks without a policy. */
  readonly rule: string;
  /** The grant that it runs under, and epoch ms at which that ends. */
  readonly grant?: string;
  readonly until?: number;
  /** Who has approved it, as the edge has verified them. */
  readonly by?: string;
}

/** Leaves of one batch, by call. */
export type Leaves = Readonly<Record<string, Leave>>;

/** What a person allows beyond the call that they are asked about, as they say it. */
export interface NewGrant {
  /** For how long: while this run goes on, or in the whole session. */
  readonly scope: 'run' | 'session';
  /** For calls of this tool with the very same arguments, or for all of its calls that are no more dangerous. */
  readonly alike: 'call' | 'tool';
  /** For so many calls; 5 when neither this nor `seconds` is said (T22). */
  readonly uses?: number;
  /** For so many seconds from the decision on. */
  readonly seconds?: number;
}

/** A session without what was granted and taken back. */
export const withoutRevoked = <Granted extends { readonly grants?: readonly Grant[] }>(
  session: Granted,
  revoked: readonly string[],
): Granted =>
  session.grants && revoked.length > 0
    ? { ...session, grants: session.grants.filter(({ id }) => !revoked.includes(id)) }
    : session;

/** Leave that a person has given for calls to come. */
export interface Grant {
  /** That of the wait with whose decision it came: so it is given once. */
  readonly id: string;
  readonly tool: string;
  /** It covers no call that is more dangerous than the one that its giver was shown. */
  readonly level: Level;
  /** Digest of the arguments that it is for, as the tool reads them; absent when it is for any. */
  readonly digest?: string;
  /** The one run that it is for; absent when it is for the session. */
  readonly run?: string;
  /** Calls that it still covers; absent when only time ends it. */
  readonly usesLeft?: number;
  /** Epoch ms at which it ends. */
  readonly until?: number;
  /** Who has given it, and when: epoch ms. */
  readonly by: string;
  readonly at: number;
}

/** What somebody has said to one call besides approving it, which its {@link Leave} tells: kept for people, and nothing goes by it. */
export interface Said {
  readonly outcome: 'denied' | 'answered';
  /** Who, as the edge has verified them. */
  readonly by: string;
}

/** By call. */
export type SaidToCalls = Readonly<Record<string, Said>>;
