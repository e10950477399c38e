import type { Level } from '../config/levels.ts';

/** Whether a call may run, and who decided it. Recorded for each call on which there was a decision. */
export interface Leave {
  readonly decision: 'allow' | 'ask' | 'forbid';
  /** The deciding rule: `<policy>.<rule>`, or `<policy> (<mode>, <level>)`; `tool` and `effect` ask without a policy. */
  readonly rule: string;
  /** The grant that it runs under, and epoch ms at which the grant ends. */
  readonly grant?: string;
  readonly until?: number;
  /** The person who approved it, as the edge has verified them. */
  readonly by?: string;
}

/** The permissions of one batch, by call. */
export type Leaves = Readonly<Record<string, Leave>>;

/** A grant in a person's decision, beyond the call that they are asked about. */
export interface NewGrant {
  /** How long it applies: while this run is active, or in the whole session. */
  readonly scope: 'run' | 'session';
  /** Which calls it covers: calls of this tool with exactly the same arguments, or all of its calls that are no more dangerous. */
  readonly alike: 'call' | 'tool';
  /** For this many calls; 5 if neither this nor `seconds` is given. */
  readonly uses?: number;
  /** For this many seconds after the decision. */
  readonly seconds?: number;
}

/** A session without revoked grants. */
export const withoutRevoked = <Granted extends { readonly grants?: readonly Grant[] }>(
  session: Granted,
  revoked: readonly string[],
): Granted =>
  session.grants && revoked.length > 0
    ? { ...session, grants: session.grants.filter(({ id }) => !revoked.includes(id)) }
    : session;

/** A permission that a person has given for later calls. */
export interface Grant {
  /** The id of the wait with whose decision it came, so it is given once. */
  readonly id: string;
  readonly tool: string;
  /** It covers no call that is more dangerous than the one that the person was shown. */
  readonly level: Level;
  /** Digest of the arguments that it is for, as the tool reads them; absent if it is for any. */
  readonly digest?: string;
  /** The one run that it is for; absent if it is for the session. */
  readonly run?: string;
  /** Calls that it still covers; absent if only time ends it. */
  readonly usesLeft?: number;
  /** Epoch ms at which it ends. */
  readonly until?: number;
  /** The person who gave it, and when: epoch ms. */
  readonly by: string;
  readonly at: number;
}

/**
 * A person's decision on one call other than an approval, which the call's {@link Leave} records. It is stored for people; no
 * code depends on it.
 */
export interface PersonDecision {
  readonly outcome: 'denied' | 'answered';
  /** The person, as the edge has verified them. */
  readonly by: string;
}

/** By call. */
export type SaidToCalls = Readonly<Record<string, PersonDecision>>;
