import { plainName } from '../plain/plain-name.ts';
import { zoneNamed } from '../plain/zones.ts';

/** How somebody who wrote to a session was verified, and which way they came. */
export interface CallerFacts {
  /** A JWT, an API key, the deployment's token, words that Slack has signed, or a webhook. */
  readonly kind: 'jwt' | 'key' | 'token' | 'slack' | 'webhook';
  /** Of a JWT; absent when it names none. */
  readonly roles?: readonly string[];
  /** Their name, as the verified credential or Slack says. No right hangs on it. */
  readonly name?: string;
  /** IANA name of their time zone, as they or their credential say. */
  readonly zone?: string;
  readonly channel: 'http' | 'agui' | 'chat' | 'slack' | 'webhook';
}

/** A sender of messages that a run has read, as HEAD keeps it. */
export interface StoredCaller extends CallerFacts {
  readonly subject: string;
}

/** The senders that a run remembers for its tools. */
export interface KnownCallers {
  /** Those of whom is known how they were verified. */
  readonly callers?: readonly StoredCaller[];
  /** It has read messages of others besides, of whom that is not known, or who were too many. */
  readonly strangers?: true;
}

/** A sender of messages that a run has read, as its tools see them. */
export interface Caller {
  readonly tenant: string;
  /** `user:<sub>`, `key:<keyId>`, `slack:<workspace>:<user>`, `webhook:<source>`, or `operator`. */
  readonly subject: string;
  readonly kind: CallerFacts['kind'];
  /** Of their last message; empty for all but JWTs. */
  readonly roles: readonly string[];
  readonly channel: CallerFacts['channel'];
  /** Their name, for people to read: give no right for it. Absent when it is not known. */
  readonly name?: string;
  /** IANA name of their time zone, as of their last message; absent when it is not known. */
  readonly zone?: string;
}

/** The people and machines that a call acts for. */
export interface Callers {
  readonly user?: Caller;
  readonly requesters: readonly Caller[];
}

/** Callers of one run that are remembered: they are written with HEAD, twice a step. */
const MAX_CALLERS = 20;
/** Roles of one caller that are remembered, and characters of one. Roles that are left out give no right. */
const MAX_ROLES = 20;
const MAX_ROLE = 100;

/** The facts of a verified sender. */
interface Verified {
  readonly kind: CallerFacts['kind'];
  readonly roles?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly zone?: string | undefined;
}

/** The facts that are kept of a verified sender: of roles no more than HEAD has room for. */
export function callerFacts(
  { kind, roles = [], name = '', zone }: Verified,
  channel: CallerFacts['channel'],
  saidZone?: string,
): CallerFacts {
  const called = plainName(name);
  const there = zoneNamed(saidZone) ?? zoneNamed(zone);
  const kept = roles.filter((role) => role.length <= MAX_ROLE && role.isWellFormed()).slice(0, MAX_ROLES);
  return {
    kind,
    channel,
    ...(kept.length > 0 && { roles: kept }),
    ...(called && { name: called }),
    ...(there && { zone: there }),
  };
}

/** Whether somebody may have roles that were left out: what holds for a role may hold for them then. */
export const mayHaveMoreRoles = ({ roles = [] }: Pick<CallerFacts, 'roles'>): boolean =>
  roles.length === MAX_ROLES;

/** One of the messages that a run reads now: who has said it, as far as that is known. */
interface Said {
  readonly by?: string;
  readonly caller?: CallerFacts;
}

/**
 * Those whose messages a run has read, when it reads some more. What is known of somebody is what came with their last
 * message. A message of nobody known, and one caller too many, make the run one that is not one person's alone.
 */
export function withCallers({ callers = [], strangers }: KnownCallers, said: readonly Said[]): KnownCallers {
  const all = new Map(callers.map((caller) => [caller.subject, caller]));
  let unknown = strangers ?? false;
  for (const { by, caller } of said) {
    if (by === undefined || !caller || (!all.has(by) && all.size === MAX_CALLERS)) unknown = true;
    else all.set(by, { subject: by, ...caller });
  }
  return { ...(all.size > 0 && { callers: [...all.values()] }), ...(unknown && { strangers: true }) };
}

/** The people and machines that have asked for the run. */
export function callersOf(tenant: string, run: KnownCallers | undefined): Callers {
  const requesters = (run?.callers ?? []).map(
    ({ roles = [], ...caller }): Caller => ({ tenant, ...caller, roles }),
  );
  const [first, ...others] = requesters;
  const alone = first && others.length === 0 && !run?.strangers && first.kind !== 'webhook';
  return { requesters, ...(alone && { user: first }) };
}
