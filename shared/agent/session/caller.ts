import { plainName } from '../plain/plain-name.ts';
import { zoneNamed } from '../plain/zones.ts';

/** How a sender to a session was verified, and by which channel the message came. */
export interface CallerFacts {
  /** A JWT, an API key, the deployment's token, a message signed by Slack or verified by a channel, a webhook, or a schedule of the definition. */
  readonly kind: 'jwt' | 'key' | 'token' | 'slack' | 'channel' | 'webhook' | 'schedule';
  /** Roles of a JWT; absent if it names none. */
  readonly roles?: readonly string[];
  /** The sender's name, as the verified credential or Slack gives it. It carries no rights. */
  readonly name?: string;
  /** IANA name of the sender's time zone, as given by the sender or the credential. */
  readonly zone?: string;
  readonly channel: 'http' | 'agui' | 'chat' | 'slack' | 'channel' | 'webhook' | 'schedule';
}

/** A person or machine whose words a run reads, as far as the edge has verified them. */
export interface Speaker {
  /** Subject; absent where nothing is known of the speaker. */
  readonly by?: string;
  readonly caller?: CallerFacts;
}

/** A sender of messages that a run has read, as HEAD keeps it. */
export interface StoredCaller extends CallerFacts {
  readonly subject: string;
}

/** The senders that a run remembers for its tools. */
export interface KnownCallers {
  /** Senders whose verification is known. */
  readonly callers?: readonly StoredCaller[];
  /** Set if the run has also read messages of senders whose verification is not known, or of too many senders. */
  readonly strangers?: true;
}

/** A sender of messages that a run has read, as its tools see them. */
export interface Caller {
  readonly tenant: string;
  /** `user:<sub>`, `key:<keyId>`, `slack:<workspace>:<user>`, `webhook:<source>`, `schedule:<id>`, or `operator`. */
  readonly subject: string;
  readonly kind: CallerFacts['kind'];
  /** Roles with the sender's last message; empty except for JWTs. */
  readonly roles: readonly string[];
  readonly channel: CallerFacts['channel'];
  /** The sender's name, for people to read: give no rights for it. Absent if it is not known. */
  readonly name?: string;
  /** IANA name of the sender's time zone, as of the last message; absent if it is not known. */
  readonly zone?: string;
}

/** The people and machines that a call acts for. */
export interface Callers {
  readonly user?: Caller;
  readonly requesters: readonly Caller[];
}

/** Callers of one run that are remembered: they are part of HEAD, which is written twice a step. */
const MAX_CALLERS = 20;
/** Roles of one caller that are remembered, and characters of one. Roles that are left out give no rights. */
const MAX_ROLES = 20;
const MAX_ROLE = 100;

/** The facts of a verified sender. */
interface Verified {
  readonly kind: CallerFacts['kind'];
  readonly roles?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly zone?: string | undefined;
}

/** The stored facts of a verified sender, with only as many roles as HEAD has room for. */
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

/** Whether a sender may have roles that were left out: a rule for any role may then apply. */
export const mayHaveMoreRoles = ({ roles = [] }: Pick<CallerFacts, 'roles'>): boolean =>
  roles.length === MAX_ROLES;

/** A message that a run reads now: its sender, as far as known. */
interface HeardMessage {
  readonly by?: string;
  readonly caller?: CallerFacts;
}

/**
 * The senders of a run after it has read more messages. The facts of a sender are those of the last message. A message of an
 * unknown sender, or one caller too many, means that the run is not for one person alone.
 */
export function withCallers(
  { callers = [], strangers }: KnownCallers,
  said: readonly HeardMessage[],
): KnownCallers {
  const all = new Map(callers.map((caller) => [caller.subject, caller]));
  let unknown = strangers ?? false;
  for (const { by, caller } of said) {
    if (by === undefined || !caller || (!all.has(by) && all.size === MAX_CALLERS)) unknown = true;
    else all.set(by, { subject: by, ...caller });
  }
  return { ...(all.size > 0 && { callers: [...all.values()] }), ...(unknown && { strangers: true }) };
}

/** Whether the caller is a user that a tool may act for. Webhooks, and schedules of the definition, act for no user. */
const isPerson = ({ kind }: Pick<CallerFacts, 'kind'>): boolean => kind !== 'webhook' && kind !== 'schedule';

/** The people and machines that have asked for the run. */
export function callersOf(tenant: string, run: KnownCallers | undefined): Callers {
  const requesters = (run?.callers ?? []).map(
    ({ roles = [], ...caller }): Caller => ({ tenant, ...caller, roles }),
  );
  const [first, ...others] = requesters;
  const alone = first && others.length === 0 && !run?.strangers && isPerson(first);
  return { requesters, ...(alone && { user: first }) };
}
