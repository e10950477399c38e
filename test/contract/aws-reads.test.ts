import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nothing } from '../../shared/agent/budgets/amount.ts';
import { type Consistency, consistencyOf } from '../../shared/agent/consistency.ts';
import { newDestination } from '../../shared/agent/outbound/destination.ts';
import type { LaterAnswers } from '../../shared/agent/ports/callbacks.ts';
import type { Fence } from '../../shared/agent/ports/fence.ts';
import type { Pinned } from '../../shared/agent/session/pinned.ts';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createBudgets } from '../../shared/aws/budgets.ts';
import { createConnections } from '../../shared/aws/connections.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { createInbox } from '../../shared/aws/inbox.ts';
import { openLater } from '../../shared/aws/later.ts';
import { dueShards } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import { createLog } from '../../shared/aws/log.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createRequestCounts } from '../../shared/aws/request-counts.ts';
import { createSessions } from '../../shared/aws/sessions.ts';
import { createSigns } from '../../shared/aws/signs.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createStreams } from '../../shared/aws/streams.ts';
import { createTickets } from '../../shared/aws/tickets.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SignStore } from '../../shared/edge/signs.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { overdueAt } from '../support/overdue.ts';
import { aFrame, anEvent, aResult, aSession, aSlot, commitOf, key, minutes, now, viewOf } from './harness.ts';

/** A read as DynamoDB received it. */
type Read = `${'GetItem' | 'BatchGetItem' | 'Query'} ${Consistency}`;
type Act<Store> = (store: Store) => Promise<unknown>;

const get: readonly Read[] = ['GetItem strong'];
const batch: readonly Read[] = ['BatchGetItem strong'];
const query: readonly Read[] = ['Query strong'];
/** A write checks the item by its own condition. */
const none: readonly Read[] = [];

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-admin'] };
const body = new Uint8Array();
const day = { tenant: 'acme', day: '2026-11-22' };
const decision = { approved: true, by: 'ana', at: now };
const amount = { tokens: 1, microUsd: 1, steps: 1 };
const moved = { left: amount, granted: { no: 1, total: amount }, returned: { no: 0, total: nothing } };
const installation = { team: 'T1', tenant: 'acme', botUser: 'U', secretId: 's', url: 'u', installedAt: now };
const stream = { ...key, id: 'r1' };
const noFence = { epoch: 9, inbox: [], consumed: [], inboxSeq: 0 } as unknown as Fence;
const place = { team: 'T1', channel: 'C1', thread: '1.1' };

/**
 * Every operation of every store with the reads that it makes and, for a strong read, why it must be strong. An
 * eventual read is answered by a replica that may lag. The emulators here never lag, so only this test shows it.
 */
const rows = {
  // `shared/agent/consistency.ts` says which of these must be strong, and why.
  sessions: {
    create: [none, (s) => s.create(aSession({ key: { ...key, sessionId: 's2' } }))],
    read: [get, (s) => s.read(key)],
    watch: [get, (s) => s.watch(key)],
    putDefinition: [none, (s) => s.putDefinition('acme', 'other', {} as Pinned)],
    definition: [get, (s) => s.definition('acme', 'hash1')],
    claim: [none, (s) => s.claim({ key, invocationId: 'a', messageId: 'm', now, leaseMs: minutes })],
    slots: [
      [...query, ...query],
      async (s) => {
        await s.slots(key, 0);
        await s.slots(key, 0, { below: 9, bytes: 1 });
      },
    ],
    packs: [
      // Slots that no pack has are read as slots.
      ['Query eventual', 'Query strong'],
      async (s) => {
        await s.putSlot(key, 1, aSlot(0));
        await s.packs(key, 'p1', 0, 1);
        await s.packs(key, 'p1', 0, 1);
      },
    ],
    putPack: [none, (s) => s.putPack(key, 'p1', [aSlot(0)])],
    putSlot: [none, (s) => s.putSlot(key, 1, aSlot(0))],
    fence: [none, (s) => s.fence(key, 1, 0, ['c1'])],
    putResult: [none, (s) => s.putResult(key, 0, aResult('c1'))],
    results: [query, (s) => s.results(key, 0)],
    decide: [none, (s) => s.decide(key, 'w1', decision)],
    beginCall: [none, (s) => s.beginCall(key, 'w1', { invocationId: 'x', until: now }, true, now)],
    finishCall: [none, (s) => s.finishCall(key, 'w1', now)],
    commit: [none, async (s) => s.commit(commitOf(await viewOf({ sessions: s })))],
    extend: [none, (s) => s.extend(key, 1, now)],
    cancel: [none, (s) => s.cancel(key, now)],
    knock: [none, (s) => s.knock(key, now)],
    restore: [none, (s) => s.restore(key, aSession(), { nudges: [] })],
    revoke: [none, (s) => s.revoke(key, 'g1')],
    addFork: [none, (s) => s.addFork(key, 's2')],
    removeFork: [none, (s) => s.removeFork(key, 's2')],
    subscribe: [none, (s) => s.subscribe(key, 'connection1')],
    unsubscribe: [none, (s) => s.unsubscribe(key, 'connection1')],
    // The index names the sessions; HEAD decides.
    overdue: [
      [...dueShards.map((): Read => 'Query eventual'), 'BatchGetItem strong'],
      (s) => overdueAt({ sessions: s }, now + 60 * minutes),
    ],
    postpone: [none, (s) => s.postpone(key, now, now)],
  } satisfies Rows<ReturnType<typeof createSessions>>,
  inbox: {
    accept: [none, (s) => s.accept(key, anEvent('e2'), now)],
    refill: [query, async (s) => s.refill(key, noFence)],
    read: [batch, (s) => s.read(key, ['e1'])],
    markDone: [none, (s) => s.markDone(key, ['e1'])],
  } satisfies Rows<ReturnType<typeof createInbox>>,
  // `shared/agent/consistency.ts` says why these must be strong.
  later: {
    urlOf: [none, async (s) => s.urlOf('t')],
    grant: [
      none,
      (s) => s.grant('h1', { ...key, slot: 0, callId: 'c1', name: 'x', id: 'a1', expiresAt: now }),
    ],
    granted: [get, (s) => s.granted('h1')],
    settle: [none, (s) => s.settle(key, 'a1', { result: aResult('c1') })],
    resolve: [none, (s) => s.resolve(key, 'w1', now)],
    countTold: [none, (s) => s.countTold('h1', now)],
    settled: [[...get, ...get], (s) => s.settled(key, ['a1', 'a2'])],
  } satisfies Rows<LaterAnswers>,
  log: {
    append: [none, (s) => s.append(key, [aFrame(1)])],
    read: [query, (s) => s.read(key, 0, 10)],
  } satisfies Rows<ReturnType<typeof createLog>>,
  // A transfer is planned from this read. If it is stale, the condition of the write refuses it, and the tenant would
  // be refused with it.
  budgets: {
    limits: [get, (s) => s.limits('acme')],
    root: [get, (s) => s.root(day)],
    putRoot: [none, (s) => s.putRoot(day, { rev: 1, shards: {} })],
    shard: [get, (s) => s.shard(day, 0)],
    move: [none, async (s) => s.move(day, 0, await s.shard(day, 0), moved)],
    hold: [none, (s) => s.hold(day, 0, { sessionId: 's1', epoch: 1, amount })],
    settle: [none, (s) => s.settle(day, 0, { sessionId: 's1', epoch: 1, amount }, amount)],
  } satisfies Rows<ReturnType<typeof createBudgets>>,
  signs: {
    read: [['GetItem eventual'], (s) => s.read({ server: 's', model: 'm', group: 0 })],
    put: [none, (s) => s.put({ server: 's', model: 'm', group: 0 }, { until: now, code: 'c' })],
  } satisfies Rows<SignStore>,
  // A listener that was put before the first commit must receive that commit.
  outbound: {
    put: [none, (s) => s.put(key, newDestination('callback', 'callback', null))],
    list: [query, (s) => s.list(key)],
    hurry: [none, (s) => s.hurry(key, 'callback')],
    claim: [none, (s) => s.claim(key, 'callback', 'a', minutes, now)],
    advance: [none, (s) => s.advance(key, 'callback', 'a', { cursor: 1 })],
    release: [none, (s) => s.release(key, 'callback', 'a', 0)],
  } satisfies Rows<ReturnType<typeof createOutbound>>,
  // A revoked key is refused as soon as its revocation is acknowledged, and a minted key is valid at once.
  apiKeys: {
    mint: [none, (s) => s.mint(ada, 'ci')],
    verify: [get, async (s) => s.verify(`sl_acme.${'a'.repeat(12)}_${'0'.repeat(64)}`)],
    isLive: [get, (s) => s.isLive('acme.aaaaaaaaaaaa')],
    list: [query, (s) => s.list('acme')],
    revoke: [none, (s) => s.revoke('acme', 'aaaaaaaaaaaa')],
  } satisfies Rows<ReturnType<typeof createApiKeys>>,
  tickets: {
    issue: [none, (s) => s.issue(ada)],
    redeem: [none, (s) => s.redeem('ticket')],
  } satisfies Rows<ReturnType<typeof createTickets>>,
  // A connection's first message follows its opening immediately.
  connections: {
    open: [none, (s) => s.open('c1', ada)],
    callerOf: [get, (s) => s.callerOf('c1')],
    gone: [batch, (s) => s.gone(['c1'])],
    remember: [none, (s) => s.remember('c1', key)],
    close: [none, (s) => s.close('c1')],
  } satisfies Rows<ReturnType<typeof createConnections>>,
  // If a session that has just begun were not seen, it would lose its place.
  limits: {
    message: [none, (s) => s.message('acme')],
    session: [
      batch,
      async (s) => {
        await s.session({ tenant: 'acme', sessionId: 'x1' });
        await s.session({ tenant: 'acme', sessionId: 'x2' });
      },
    ],
    giveBack: [none, (s) => s.giveBack({ tenant: 'acme', sessionId: 'x1' }, { since: now })],
    forget: [none, (s) => s.forget({ tenant: 'acme', sessionId: 'x1' })],
  } satisfies Rows<ReturnType<typeof createLimits>>,
  requestCounts: {
    take: [none, (s) => s.take('acme', 1, 1, 10)],
  } satisfies Rows<ReturnType<typeof createRequestCounts>>,
  // A response that does not see its own place ends.
  streams: {
    open: [none, (s) => s.open(stream, now)],
    holds: [get, (s) => s.holds(stream)],
    close: [none, (s) => s.close(stream, now)],
  } satisfies Rows<ReturnType<typeof createStreams>>,
  // A workspace's first delivery may follow its installation immediately; a session is listed as soon as it was
  // recorded.
  slack: {
    installation: [get, (s) => s.installation('T1')],
    install: [none, (s) => s.install(installation)],
    uninstall: [none, (s) => s.uninstall('T1', now)],
    claimRenewal: [none, (s) => s.claimRenewal('T1', now, now)],
    issueState: [none, (s) => s.issueState('acme')],
    redeemState: [none, (s) => s.redeemState('state')],
    once: [none, (s) => s.once('T1', 'say/1.1', 'a')],
    noteShared: [none, (s) => s.noteShared('T1', 'C1', true)],
    isShared: [get, (s) => s.isShared('T1', 'C1')],
    noteTurn: [none, (s) => s.noteTurn({ team: 'T1', channel: 'C1', thread: '1.1' }, '1.2', 'bot', 3)],
    linkThread: [none, (s) => s.linkThread({ team: 'T1', channel: 'C1', thread: '1.1' }, key)],
    linkedTo: [get, (s) => s.linkedTo({ team: 'T1', channel: 'C1', thread: '1.1' })],
    noteSession: [
      none,
      (s) => s.noteSession('acme', 'T1', 'U1', { sessionId: 's1', place, title: 't', at: now }),
    ],
    sessionsIn: [query, (s) => s.sessionsIn('acme', 'T1', '', 10)],
    sessionsOf: [query, (s) => s.sessionsOf('acme', 'T1', 'U1')],
  } satisfies Rows<ReturnType<typeof createSlackStore>>,
  hooks: {
    note: [none, (s) => s.note({ tenant: 'acme', source: 'github', id: 'd1', body, signed: body })],
  } satisfies Rows<ReturnType<typeof createHookLog>>,
};

/** A row per operation: what it reads, and a call of it. */
type Rows<Store> = { [Operation in keyof Store]: readonly [readonly Read[], Act<Store>] };

describe('aws: reads, as DynamoDB receives them', () => {
  let aws: EmbeddedAws;
  let seen: Read[];
  let client: DynamoDBClient;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
    client = listening(aws.newDynamoClient(), (read) => seen.push(read));
  });
  afterAll(() => {
    client.destroy();
    return aws.stop();
  });
  beforeEach(() => {
    seen = [];
  });

  async function open() {
    const dynamo = createDynamo(client, await aws.createTable());
    const clock = { now: () => now };
    const items = { dynamo, clock, bodies: createBodies(createBlobs(aws.clients.s3(), aws.bucket)) };
    const stores = {
      sessions: createSessions(items),
      inbox: createInbox(items),
      log: createLog(items),
      later: openLater('https://api.test', items),
      budgets: createBudgets(items),
      signs: createSigns(dynamo),
      outbound: createOutbound(dynamo),
      apiKeys: createApiKeys(dynamo, clock),
      tickets: createTickets(dynamo, clock),
      connections: createConnections(dynamo, clock),
      requestCounts: createRequestCounts(dynamo, clock),
      limits: createLimits(
        dynamo,
        { clock, ids: { random: () => 0 } },
        { messagesPerMinute: 9, sessionsAtOnce: 1 },
      ),
      streams: createStreams(dynamo, clock, 9),
      slack: createSlackStore(dynamo, clock),
      hooks: createHookLog(dynamo, clock),
    };
    await stores.sessions.create(aSession());
    await stores.inbox.accept(key, anEvent('e1'), now);
    return stores;
  }

  for (const [name, operations] of Object.entries(rows)) {
    test.each(Object.entries<readonly [readonly Read[], Act<never>]>(operations))(
      `${name}.%s`,
      async (operation, [reads, act]) => {
        const stores: Record<string, object> = await open();
        const store = stores[name] as never;
        seen = [];
        await act(store);
        // Reads that another operation makes on its behalf belong to that operation.
        const own = operation === 'commit' || operation === 'move' ? seen.slice(1) : seen;
        // Partitions are read in parallel.
        if (operation === 'overdue') own.sort((a, b) => (a < b ? 1 : -1));
        expect(own).toEqual(reads);
      },
    );
  }

  test('the wire agrees with what the ports say about their reads', () => {
    const told = Object.entries(consistencyOf).flatMap(([store, reads]) =>
      Object.entries<Consistency>(reads).map(([operation, consistency]) => {
        const made = (rows[store as 'sessions'] as Record<string, readonly [readonly Read[], unknown]>)[
          operation
        ];
        return [`${store}.${operation}`, consistency, made?.[0][0]?.split(' ')[1]];
      }),
    );
    expect(told.filter(([, said, made]) => said !== made)).toEqual([]);
  });
});

/** Reports every read that goes out, by the bytes of its request. */
function listening(client: DynamoDBClient, tell: (read: Read) => void): DynamoDBClient {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const name = String(context.commandName).replace('Command', '');
      const { body } = args.request as { body: string | Uint8Array };
      const request = JSON.parse(Buffer.from(body).toString());
      const asked =
        name === 'BatchGetItem' ? Object.values<Asked>(request.RequestItems)[0] : (request as Asked);
      if (name === 'GetItem' || name === 'BatchGetItem' || name === 'Query' || name === 'Scan')
        tell(`${name as 'Query'} ${asked?.ConsistentRead === true ? 'strong' : 'eventual'}`);
      return next(args);
    },
    { step: 'finalizeRequest', name: 'listening' },
  );
  return client;
}

interface Asked {
  readonly ConsistentRead?: boolean;
}
