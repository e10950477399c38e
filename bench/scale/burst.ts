import { createHmac } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type HookContext, takeDelivery } from '../../functions/webhooks/take.ts';
import { defineWebhook } from '../../shared/agent/define/webhook.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDeadDeliveries } from '../../shared/aws/dead-deliveries.ts';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { noCallbacks } from '../../shared/callbacks/none.ts';
import { says } from '../../testing/scripted-model.ts';
import { worker } from './agent.ts';
import { runningClock } from './clock.ts';
import { PARTITION } from './limits.ts';
import { createLedger, type Heat } from './table/ledger.ts';
import { countingTable } from './table/table.ts';
import { scaleWorld } from './world.ts';

export interface BurstOptions {
  readonly deliveries: number;
  /** Time over which they arrive, evenly. */
  readonly seconds: number;
  /** Sessions that they are for, in turn. */
  readonly sessions: number;
  /** Each n-th arrives once more, a second later. */
  readonly againEach: number;
}

/** The result of a burst. */
export interface Burst {
  readonly sent: number;
  /** Answered with 202, and with 200 as duplicates. */
  readonly accepted: number;
  readonly duplicates: number;
  /** The longest wait of a sender, in ms of virtual time; the services take no time. */
  readonly slowestMs: number;
  /** Deliveries that sessions received once each, and in order of arrival. */
  readonly inOrder: number;
  readonly modelCalls: number;
  /** Seconds until all of them were processed. */
  readonly seconds: number;
  readonly heats: readonly Heat[];
}

const SECRET = 'hush';
const TENANT = 'acme';
/** How long a model call takes. */
const MODEL_MS = 6_000;

/** Simultaneous webhooks, in virtual time, with the real webhook route and the real step. */
export async function burst({ deliveries, seconds, sessions, againEach }: BurstOptions): Promise<Burst> {
  const clock = runningClock();
  const ledger = createLedger(clock.now);
  const table = countingTable(ledger);
  const begunAt = clock.now();
  let asked = 0;
  const resting = new Set<string>();
  const told = new Map<string, string[]>();
  const world = scaleWorld({
    ...{ clock, table, agent: worker(clock.sleep, 0) },
    modelOf: ({ sessionId }) => ({
      async complete({ messages }) {
        asked += 1;
        resting.delete(sessionId);
        told.set(
          sessionId,
          messages.flatMap(({ role, content }) => (role === 'user' ? wordsIn(content) : [])),
        );
        await clock.sleep(MODEL_MS);
        return says('Seen.');
      },
    }),
    onRest: ({ sessionId }) => void resting.add(sessionId),
  });
  const context = hookContext(world.io, table, clock);

  const answers: {
    readonly n: number;
    readonly status: number;
    readonly sessionId: string;
    readonly ms: number;
  }[] = [];
  const send = async (n: number): Promise<void> => {
    const at = clock.now();
    const body = JSON.stringify({ session: n % sessions, says: `<${n}>` });
    const { statusCode: status, body: answer = '{}' } = await takeDelivery(
      eventOf(body, n),
      context,
      at + 29_000,
    );
    answers.push({
      n,
      status: Number(status),
      sessionId: JSON.parse(answer).sessionId,
      ms: clock.now() - at,
    });
  };
  const again = new Set<Promise<void>>();
  for (let n = 0; n < deliveries; n++) {
    await send(n);
    if (n % againEach === 0) again.add(clock.sleep(1000).then(() => send(n)));
    await passUntil(begunAt + ((n + 1) * seconds * 1000) / deliveries);
  }
  await passUntil(clock.now() + 1100);
  await Promise.all(again);
  await world.runUntil(() => [...told.values()].flat().length >= deliveries && resting.size === told.size);

  const ofSession = Map.groupBy(
    answers.filter(({ status }) => status === 202),
    ({ sessionId }) => sessionId,
  );
  const inOrder = [...ofSession].map(([sessionId, all]) => {
    const sent = all.map(({ n }) => `<${n}>`);
    const heard = told.get(sessionId) ?? [];
    return heard.length === sent.length ? sent.filter((words, i) => heard[i] === words).length : 0;
  });
  return {
    sent: answers.length,
    accepted: answers.filter(({ status }) => status === 202).length,
    duplicates: answers.filter(({ status }) => status === 200).length,
    slowestMs: Math.max(...answers.map(({ ms }) => ms)),
    inOrder: inOrder.reduce((sum, n) => sum + n, 0),
    modelCalls: asked,
    seconds: (clock.now() - begunAt) / 1000,
    // Deliveries and sessions are partitions of their own, so their heat is not scaled.
    heats: ledger.heats(seconds),
  };

  async function passUntil(at: number): Promise<void> {
    if (at <= clock.now()) return;
    let isThen = false;
    void clock.sleep(at - clock.now()).then(() => {
      isThen = true;
    });
    await world.runUntil(() => isThen);
  }
}

/** Whether all were accepted without waiting, each was received once and in order, and no key was too hot. */
export const isTaken = ({ accepted, duplicates, sent, inOrder, slowestMs, heats }: Burst): boolean =>
  accepted + duplicates === sent &&
  inOrder === accepted &&
  slowestMs < 10_000 &&
  heats.every(
    ({ writesASecond, readsASecond }) => writesASecond <= PARTITION.writes && readsASecond <= PARTITION.reads,
  );

export function showBurst({ sent, accepted, duplicates, inOrder, modelCalls, seconds, heats }: Burst): void {
  const hottest = heats.toSorted((a, b) => b.writesASecond - a.writesASecond)[0];
  console.log(
    `\na burst at the door: ${sent} webhooks, ${accepted} accepted, ${duplicates} known, ${inOrder} told once and in order;` +
      ` ${modelCalls} model calls, the last after ${seconds.toFixed(0)} s; hottest key ${hottest?.kind}: ${hottest?.writesASecond.toFixed(0)} writes a second`,
  );
}

/** The marks of deliveries in a session's messages, in order. */
const wordsIn = (content: unknown): string[] => JSON.stringify(content).match(/<\d+>/g) ?? [];

function eventOf(body: string, n: number): APIGatewayProxyEventV2 {
  const mac = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = {
    'x-hub-signature-256': `sha256=${mac}`,
    'x-github-event': 'issues',
    'x-github-delivery': `delivery-${n}`,
  };
  return {
    headers,
    body,
    isBase64Encoded: false,
    rawPath: '/hooks/github',
    rawQueryString: '',
    requestContext: { domainName: 'hooks.example', http: { method: 'POST' } },
    pathParameters: { source: 'github' },
  } as unknown as APIGatewayProxyEventV2;
}

function hookContext(
  io: ReturnType<typeof scaleWorld>['io'],
  table: ReturnType<typeof countingTable>,
  clock: ReturnType<typeof runningClock>,
): HookContext {
  const source = defineWebhook<{ session: number; says: string }>({
    verify: { kind: 'github', secret: 'SECRET' },
    tenant: TENANT,
    map: ({ payload }) => ({
      agent: 'worker',
      sessionKey: `issue ${payload.session}`,
      message: payload.says,
    }),
  });
  return {
    io,
    hookLog: createHookLog(table, clock),
    dead: createDeadDeliveries(table, createBodies(io.blobs), clock),
    countDead: () => {},
    secretsOf: async () => [SECRET],
    webhooks: { github: source },
    agents: [worker(clock.sleep, 0)],
    priceOf: async () => undefined,
    callbacks: noCallbacks,
    isOutage: () => false,
    hasSlack: false,
  };
}
