/**
 * Where everything lies in the one table. A partition is a session, and its key starts with the tenant, so that a role
 * can be confined to it (`dynamodb:LeadingKeys`).
 *
 * | sk                 | item                                                     |
 * |--------------------|----------------------------------------------------------|
 * | `HEAD`             | the session's one mutable item                           |
 * | `M#0000000007`     | slot 7 of the transcript                                 |
 * | `P#id#last#first`  | another copy of slots `first` to `last`, deflated        |
 * | `R#0000000008#id`  | the result of call `id`, for the batch of slot 8         |
 * | `I#id`             | an accepted event; expires                               |
 * | `Q#time#id`        | that the event waits for room in the inbox; expires      |
 * | `A#id`             | the outcome of a call that may be answered later; expires |
 * | `V#last#first`     | event frames `first` to `last`; expires                  |
 * | `O#name`           | an external listener, and how far it has heard           |
 * | `E#time#hash`      | a mail that the session has received                     |
 * | `LISTED`           | what lists show of the session                           |
 * | `G#hash`           | the hash of a token of a call that is answered later; expires |
 * | `F#run#person`     | a person's rating of a run's answer                      |
 *
 * Other items are beside the sessions:
 *
 * - pinned definitions under `tenant#definition#hash`
 * - deliveries of webhooks under `tenant#hook#source#hash`, and those that could not be carried out under
 *   `tenant#hooks#dead`
 * - ids of mails under `tenant#mail#hash`
 * - uploads that no message has taken over yet under `tenant#upload#id`
 * - the deletion of a person's data, notes of the sessions that it deletes, and of uploads, under `tenant#person#hash`
 * - counted days, and how far that is, under `tenant#history#days`
 * - API keys under `tenant#api#keys`, one item each
 * - a tenant's counts under `tenant#limits#…`
 * - a day's budget under `tenant#budget#day` and `tenant#budget#day#shard`, and a tenant's own limits under
 *   `tenant#budget#limits`
 * - schedules under `tenant#schedules#shard`, one item each, and what became of their ticks under `tenant#schedule#id`
 *   (`schedules-layout.ts`)
 * - what agents remember under `tenant#memory#tenant` and `tenant#memory#user#hash`, one item a fact
 * - what belongs to no tenant, or to none yet (tickets, connections, tokens of calls that are answered later, and signs
 *   of models' rate limits) under keys that start with `_`, which no tenant's name does
 */

import type { BudgetDay } from '../agent/budgets/store.ts';
import type { Owner } from '../agent/memories/store.ts';
import { hash } from '../agent/plain/hash.ts';
import { SWEEP_STEP_MS } from '../agent/session/wake.ts';
import type { SessionKey, State } from '../contract/session.ts';
import type { SignOf } from '../edge/signs.ts';
import type { ItemKey } from './dynamo.ts';

/**
 * Number of partitions over which sessions are spread in the index of due sessions (`tableLayout.due`). Each takes
 * 1,000 write units a second. A running session costs one unit when its run begins, one when it ends, and two each five
 * minutes in between (`sweepAtFor`): some 4 million may run at once. An empty partition costs half a read unit a minute
 * (docs/cost.md). If you lower the number, keep sweeping the partitions that fall away.
 */
const DUE_SHARDS = 32;

/** A session's place in that index. */
interface DuePlace {
  readonly dueShard: string;
  /**
   * See `sweepAtFor`: without a phase all running sessions would move in the index in the same seconds of each five
   * minutes.
   */
  readonly phaseMs: number;
}

/** The place is a hash of the session's key, so no tenant and no moment has a partition of its own. */
export function duePlaceOf(key: SessionKey): DuePlace {
  const hex = hash(pkOf(key), 16);
  return {
    dueShard: `due#${Number.parseInt(hex.slice(0, 8), 16) % DUE_SHARDS}`,
    phaseMs: Number.parseInt(hex.slice(8), 16) % SWEEP_STEP_MS,
  };
}

/**
 * All partitions that may hold sessions. Up to 0.1.0 there was one, `due`: a session that has waited since then, or
 * that a worker of that version has written, stays there until its next wake.
 */
export const dueShards: readonly string[] = [
  'due',
  ...Array.from({ length: DUE_SHARDS }, (_, n) => `due#${n}`),
];

const DAY = 24 * 3600;
/** The partition of the index of due sessions that holds tombstones until they are removed. There are few at a time. */
export const buriedShard = 'buried';
/** The one that holds deletions of people's data until they have ended. */
export const peopleShard = 'people';
/** The one that holds tenants whose days are counted. */
export const historyShard = 'history';

/** Lifetimes, in seconds, of items that are useful only for a while. */
export const lifetime = {
  log: 7 * DAY,
  /** How long replays of an event are recognized. HEAD also recognizes them as long as the event waits. */
  event: 30 * DAY,
  /** How long deliveries of a webhook's sender are recognized: the longest retries last about three days. */
  hook: 30 * DAY,
  /** A dead delivery that was carried out. */
  settledHook: DAY,
  /** Read only to recover the step that wrote it. */
  result: 30 * DAY,
  /** A connection's item outlives the connection, because `$disconnect` may come late. */
  connectionItem: 3 * 3600,
  /** The budget of a day, counted from its last transfer, so that people can look at it. */
  budget: 7 * DAY,
  /** A tenant's messages of one minute, or requests of one second. */
  count: 300,
  /** A sign of a rate limit, counted from its end: it is not read after that. */
  sign: 300,
} as const;

/** The value of the TTL attribute. DynamoDB deletes expired items days late: readers must not rely on it. */
export const ttlFrom = (nowMs: number, seconds: number): number => Math.floor(nowMs / 1000) + seconds;

export const pkOf = ({ tenant, sessionId }: SessionKey): string => `${tenant}#${sessionId}`;

/** The inverse of {@link pkOf}: neither name contains `#`. */
export function sessionKeyOf(pk: string): SessionKey {
  const [tenant = '', sessionId = ''] = pk.split('#');
  return { tenant, sessionId };
}

/** The highest sort key that starts with `prefix`. */
export const endOf = (prefix: string): string => `${prefix}\uffff`;

export const headKey = (key: SessionKey): ItemKey => ({ pk: pkOf(key), sk: 'HEAD' });
export const slotSk = (n: number): string => `M#${digits(n, 10)}`;
export const slotKey = (key: SessionKey, n: number): ItemKey => ({ pk: pkOf(key), sk: slotSk(n) });
/** Prefix of packs with this id. */
export const packPrefix = (id: string): string => `P#${id}#`;
/** The last slot comes first: the packs that sort after slot `n` are those that end there or later. */
export const packSk = (id: string, last: number, first?: number): string =>
  `${packPrefix(id)}${digits(last, 10)}${first === undefined ? '' : `#${digits(first, 10)}`}`;
export const resultSk = (n: number, callId = ''): string => `R#${digits(n, 10)}#${callId}`;
export const eventKey = (key: SessionKey, eventId: string): ItemKey => ({
  pk: pkOf(key),
  sk: `I#${eventId}`,
});
/** Events that wait for room in the inbox, in order of arrival. */
export const overflowPrefix = 'Q#';
export const overflowKey = (key: SessionKey, at: number, eventId: string): ItemKey => ({
  pk: pkOf(key),
  sk: `${overflowPrefix}${digits(at, 16)}#${eventId}`,
});
export const listingKey = (key: SessionKey): ItemKey => ({ pk: pkOf(key), sk: 'LISTED' });
/** By this prefix, the process that deletes a session finds the tokens of its calls. */
export const tokenPrefix = 'G#';
export const tokenKey = (key: SessionKey, hash: string): ItemKey => ({
  pk: pkOf(key),
  sk: `${tokenPrefix}${hash}`,
});
/** Ratings of a session's answers, by run and person. */
export const feedbackPrefix = 'F#';
export const feedbackKey = (key: SessionKey, runId: string, by: string): ItemKey => ({
  pk: pkOf(key),
  sk: `${feedbackPrefix}${runId}#${by}`,
});

/** A token of a call that is answered later, by its hash. No tenant's name starts with `_`. */
export const grantKey = (hash: string): ItemKey => ({ pk: `_later#${hash}`, sk: 'LATER' });

/** The groups of states that share a partition of the index of lists: running, waiting, failed and done. */
const listedGroups: Readonly<Record<State, string>> = {
  idle: 'running',
  running: 'running',
  waiting_for_tool: 'waiting',
  waiting_for_input: 'waiting',
  completed: 'done',
  cancelled: 'done',
  error: 'failed',
  timed_out: 'failed',
  max_steps: 'failed',
  budget_exceeded: 'failed',
};

/**
 * Number of partitions over which each group is spread. One takes 1,000 write units a second. A session that begins and
 * ends costs 6 of them in all, so a tenant may begin some 2,000 a second. A page of all states asks 16.
 */
const LISTED_SHARDS = 4;

/** The partition of the index for a session in that state. */
export const listedAs = (key: SessionKey, state: State): string =>
  listedPartition(key.tenant, listedGroups[state], Number.parseInt(hash(pkOf(key), 8), 16) % LISTED_SHARDS);

/** All partitions that may hold sessions in these states. */
export function listedPartitions(tenant: string, states: readonly State[]): string[] {
  const groups = [...new Set(states.map((state) => listedGroups[state]))];
  return groups.flatMap((group) =>
    Array.from({ length: LISTED_SHARDS }, (_, n) => listedPartition(tenant, group, n)),
  );
}

const listedPartition = (tenant: string, group: string, n: number): string =>
  `${tenant}#listed#${group}#${n}`;

export const logSk = (last: number, first?: number): string =>
  first === undefined ? `V#${digits(last, 16)}` : `V#${digits(last, 16)}#${digits(first, 16)}`;

export const destinationPrefix = 'O#';
export const destinationKey = (key: SessionKey, name: string): ItemKey => ({
  pk: pkOf(key),
  sk: `${destinationPrefix}${name}`,
});

/** Mails that a session has received, in order of their arrival. */
export const mailPrefix = 'E#';
export const mailKey = (key: SessionKey, at: number, hash: string): ItemKey => ({
  pk: pkOf(key),
  sk: `${mailPrefix}${digits(at, 16)}#${hash}`,
});
/** The session of a mail, by the hash of the address of ours and of its id. */
export const mailIdKey = (tenant: string, hash: string): ItemKey => ({
  pk: `${tenant}#mail#${hash}`,
  sk: 'MAIL',
});

export const definitionKey = (tenant: string, hash: string): ItemKey => ({
  pk: `${tenant}#definition#${hash}`,
  sk: 'DEFINITION',
});

/** A budget's parts have partitions of their own, so that none is hot. No session's key has this many `#`. */
export const budgetRootKey = ({ tenant, day }: BudgetDay): ItemKey => ({
  pk: `${tenant}#budget#${day}`,
  sk: 'ROOT',
});
export const budgetShardKey = ({ tenant, day }: BudgetDay, n: number): ItemKey => ({
  pk: `${tenant}#budget#${day}#${n}`,
  sk: 'SHARD',
});
export const budgetLimitsKey = (tenant: string): ItemKey => ({
  pk: `${tenant}#budget#limits`,
  sk: 'LIMITS',
});

/** The partition of a tenant's API keys. A session's partition has one `#`, so none can have the same name. */
export const apiKeysPk = (tenant: string): string => `${tenant}#api#keys`;
export const apiKeyKey = (tenant: string, keyId: string): ItemKey => ({
  pk: apiKeysPk(tenant),
  sk: `KEY#${keyId}`,
});

/** A delivery of a webhook's sender, by the hash of its id. */
export const hookKey = (tenant: string, source: string, hash: string): ItemKey => ({
  pk: `${tenant}#hook#${source}#${hash}`,
  sk: 'HOOK',
});
/** The signed bytes of a webhook's delivery, by their hash. */
export const signedHookKey = (tenant: string, source: string, hash: string): ItemKey => ({
  pk: `${tenant}#hook#${source}#${hash}`,
  sk: 'SIGNED',
});

/** The partition of a tenant's deliveries that could not be carried out. */
export const deadPk = (tenant: string): string => `${tenant}#hooks#dead`;
export const deadKey = (tenant: string, id: string): ItemKey => ({ pk: deadPk(tenant), sk: `DEAD#${id}` });
export const deadBodyKey = (tenant: string, id: string): ItemKey => ({
  pk: deadPk(tenant),
  sk: `BODY#${id}`,
});

/**
 * The partition of an owner's facts. A subject may contain any character, so its hash stands for it: no subject can
 * name another partition.
 */
export const memoryPk = ({ tenant, user }: Owner): string =>
  `${tenant}#memory#${user === undefined ? 'tenant' : `user#${hash(user)}`}`;
export const factPrefix = 'FACT#';
export const factKey = (owner: Owner, id: string): ItemKey => ({
  pk: memoryPk(owner),
  sk: `${factPrefix}${id}`,
});

/** The partitions of the sessions of a Slack workspace, and of those that a person has spoken in. */
export const slackWorkspacePk = (tenant: string, team: string): string => `${tenant}#slack#${team}`;
export const slackHomePk = (tenant: string, team: string, user: string): string =>
  `${tenant}#slack#${team}#${user}`;
export const slackWorkspaceKey = (tenant: string, team: string, sessionId: string): ItemKey => ({
  pk: slackWorkspacePk(tenant, team),
  sk: `S#${sessionId}`,
});
export const slackHomeKey = (tenant: string, team: string, user: string, sessionId: string): ItemKey => ({
  pk: slackHomePk(tenant, team, user),
  sk: `S#${sessionId}`,
});

/** An announced upload. */
export const uploadKey = (tenant: string, id: string): ItemKey => ({
  pk: `${tenant}#upload#${id}`,
  sk: 'UPLOAD',
});

/** The count of messages that the tenant has sent in this minute since 1970, as item `n` of several counts them. */
export const messagesKey = (tenant: string, minute: number, n: number): ItemKey => ({
  pk: limitsPk(tenant, 'messages', n),
  sk: `MINUTE#${minute}`,
});
/** The count of requests that the tenant has sent in this second since 1970, as far as environments have asked for it. */
export const requestsKey = (tenant: string, second: number): ItemKey => ({
  pk: limitsPk(tenant, 'requests', 0),
  sk: `SECOND#${second}`,
});
/** The tenant's sessions that were allowed to start, as far as item `n` holds them. */
export const runningKey = (tenant: string, n: number): ItemKey => ({
  pk: limitsPk(tenant, 'running', n),
  sk: 'RUNNING',
});

/** The tenant's open SSE responses, as far as item `n` holds them. */
export const streamsKey = (tenant: string, n: number): ItemKey => ({
  pk: limitsPk(tenant, 'streams', n),
  sk: 'STREAMS',
});

/**
 * Items of one limit have partitions of their own, so that none is hot. The first keeps the name that it had when it
 * was the only one.
 */
const limitsPk = (tenant: string, limit: string, n: number): string =>
  `${tenant}#limits#${limit}${n === 0 ? '' : `#${n}`}`;

/**
 * The sign that a model's server refuses, for one group of environments. Each has a partition of its own, so that none
 * is hot.
 */
export const signKey = ({ server, model, group }: SignOf): ItemKey => ({
  pk: `_sign#${hash(JSON.stringify([server, model]))}#${group}`,
  sk: 'SIGN',
});

const digits = (n: number, width: number) => String(n).padStart(width, '0');
