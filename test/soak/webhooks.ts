import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { endOf, overflowPrefix, pkOf } from '../../shared/aws/layout.ts';
import type { SnapshotMessage } from '../../shared/contract/events.ts';
import { DEFAULT_TENANT } from '../../shared/contract/identity.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type AskedModel, ruleModel, sayText, sayTextHeld } from '../support/rule-model.ts';
import { inAssembly, others } from '../support/synthesize.ts';
import { BURST_ISSUE, type Planned, planned, type SoakPlan, signedHeaders } from './deliveries.ts';
import { type Answered, type Judged, judge } from './judge.ts';

export interface SoakOptions extends SoakPlan {
  /** Number of concurrent deliveries. */
  readonly senders: number;
  /** Deliveries are spread evenly over this many seconds, and senders do not wait for each other, as in a burst. */
  readonly within?: number;
  /** Time that the model takes for an answer, in ms. */
  readonly modelMs: number;
  readonly say?: (line: string) => void;
  /** Gets the functions' log lines. */
  readonly log?: (line: string) => void;
}

export interface SoakReport extends Judged {
  /** Number of deliveries sent, including repeated ones. */
  readonly sent: number;
  /** Number of those that had been sent before. */
  readonly again: number;
  /** Events that waited next to the inbox of the burst's issue when the burst was over. */
  readonly waitedBeside: number;
  readonly modelCalls: number;
  readonly sendSeconds: number;
  readonly seconds: number;
}

/** Seconds within which all sessions must come to rest after the last delivery. */
const PATIENCE_S = 600;

/**
 * Delivers as GitHub does, each event once and whatever the answer, to the whole embedded stack. The gateway, the
 * bundled functions, DynamoDB and SQS decide the order here; an in-process run would leave out all of these except the
 * core.
 */
export const soakWebhooks = (options: SoakOptions): Promise<SoakReport> =>
  inAssembly(others.soak, (assembly) => soak(assembly, options));

/** Like {@link soakWebhooks}, with an assembly from an earlier synthesis. */
export async function soak(assembly: string, options: SoakOptions): Promise<SoakReport> {
  const { senders, within = 0, modelMs, say = () => {} } = options;
  let waitedBeside: number | undefined;
  const burst = Promise.withResolvers<void>();
  await using model = await ruleModel((asked) => answerTo(asked, modelMs, burst.promise));
  await using world = await embedded({
    model,
    assembly,
    ...(options.log && { log: options.log }),
  });
  await pinged(world, senders);

  const began = Date.now();
  const deliveries = planned(options);
  const lastOfBurst = deliveries.findLastIndex(({ issue, isAgain }) => issue === BURST_ISSUE && !isAgain);
  const answered: Answered[] = [];
  let next = 0;
  const sender = async () => {
    for (let n = next++; n < deliveries.length; n = next++) {
      const delivery = deliveries[n];
      if (!delivery) return;
      if (within > 0) await pause(began + (n * within * 1000) / deliveries.length - Date.now());
      answered.push(await send(world, delivery));
      if (n >= lastOfBurst && waitedBeside === undefined) {
        const { sessionId } = answered.find((one) => one.delivery.issue === BURST_ISSUE) ?? {};
        waitedBeside = await placesIn(world, sessionId ?? '');
        burst.resolve();
      }
      if (answered.length % 100 === 0)
        say(`${answered.length} of ${deliveries.length} deliveries are answered`);
    }
  };
  await Promise.all(Array.from({ length: within > 0 ? deliveries.length : senders }, sender));
  const sendSeconds = (Date.now() - began) / 1000;

  say('all are sent; waiting for rest');
  const ids = [...new Set(answered.flatMap(({ sessionId }) => sessionId ?? []))];
  const told = new Map<string, readonly string[]>();
  for (const id of ids) told.set(id, await toldAtRest(world, id));
  return {
    ...judge(answered, told),
    sent: deliveries.length,
    again: deliveries.filter(({ isAgain }) => isAgain).length,
    waitedBeside: waitedBeside ?? 0,
    modelCalls: model.asked.length,
    sendSeconds,
    seconds: (Date.now() - began) / 1000,
  };
}

/**
 * The first answer to the issue of the burst ends when the burst has arrived. So its inbox was full, on any machine.
 */
function answerTo({ turn, lastText, n }: AskedModel, modelMs: number, burst: Promise<void>) {
  const isFirstOfBurst = turn === 0 && lastText.includes(`issue ${BURST_ISSUE}:`);
  const until = isFirstOfBurst ? Promise.all([burst, pause(modelMs)]) : pause(modelMs);
  return modelMs > 0 || isFirstOfBurst ? sayTextHeld(`Answer ${n}`, until, '.') : sayText(`Answer ${n}.`);
}

/**
 * Sends what GitHub sends when a webhook is created, until each sender has an answer. Environments of the embedded
 * stack share the cores of everything else while they start, unlike those of Lambda.
 */
async function pinged(world: Embedded, senders: number): Promise<void> {
  const ping = { id: '', issue: 0, says: '', body: '{"zen":"Keep it logically awesome."}', isAgain: false };
  const headers = {
    ...signedHeaders(ping, world.webhookSecret),
    'x-github-event': 'ping',
    'x-github-delivery': 'p',
  };
  const one = async () => {
    while ((await world.api('POST', '/hooks/github', ping.body, headers)).status !== 200) await pause(500);
  };
  await Promise.all(Array.from({ length: senders }, one));
}

/** The number of events that wait next to the inbox of a session. */
async function placesIn(world: Embedded, sessionId: string): Promise<number> {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: world.stack.endpoints.dynamodb,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const table = createDynamo(client, world.stack.outputs.TableName ?? '');
  const key = { tenant: DEFAULT_TENANT, sessionId };
  let places = 0;
  for await (const _place of table.range(pkOf(key), overflowPrefix, endOf(overflowPrefix))) places += 1;
  client.destroy();
  return places;
}

/** Sends once, as GitHub does. */
async function send(world: Embedded, delivery: Planned): Promise<Answered> {
  const startedAt = performance.now();
  const { status, body } = await world.api(
    'POST',
    '/hooks/github',
    delivery.body,
    signedHeaders(delivery, world.webhookSecret),
  );
  const endedAt = performance.now();
  const { sessionId, duplicate, title = body?.message } = body ?? {};
  return { delivery, startedAt, endedAt, status, title, sessionId, duplicate };
}

/** The messages that a session got, in order, once nothing waits for it any more. */
async function toldAtRest(world: Embedded, id: string): Promise<string[]> {
  for (const end = Date.now() + PATIENCE_S * 1000; Date.now() < end; await pause(200)) {
    const { state, waiting } = await world.atRest(id, PATIENCE_S);
    if (state !== 'completed') throw new Error(`${id} is ${state}`);
    if (waiting !== 0) continue;
    const said: string[] = [];
    for (let from: string | undefined = '0'; from !== undefined; ) {
      const page: { messages: SnapshotMessage[]; next?: string } = (
        await world.api('GET', `/sessions/${id}/messages?from=${from}`)
      ).body;
      said.push(...page.messages.flatMap(({ role, content }) => (role === 'user' ? String(content) : [])));
      from = page.next;
    }
    return said;
  }
  throw new Error(`${id} is not at rest after ${PATIENCE_S} s`);
}
