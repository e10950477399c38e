import { setTimeout as pause } from 'node:timers/promises';
import type { Wire } from '../../local/stack/wire.ts';
import type { WaitInfo } from '../../shared/contract/http.ts';
import { connect } from '../../web/client/connect.ts';
import { emptyView, fold } from '../../web/client/view.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { ruleModel } from '../support/rule-model.ts';
import { followPlan, ONCE, somePlan } from './plan.ts';
import { type Subject, verify } from './verify.ts';

export interface ChaosOptions {
  readonly sessions: number;
  /** Environments to kill while sessions run. */
  readonly kills: number;
  /** Seeds the choice of plans and victims. The machine's timing determines the rest. */
  readonly seed: number;
  /**
   * Also kills workers of queued calls that have only just begun. Their message comes back after the queue's own
   * visibility timeout, 930 s.
   */
  readonly early?: boolean;
  /** The cloud assembly; by default the test run's own. */
  readonly assembly?: string;
  readonly say?: (line: string) => void;
}

export interface ChaosReport {
  readonly sessions: number;
  readonly kills: number;
  readonly modelCalls: number;
  readonly steps: number;
  readonly onceStarts: number;
  /** Sentences; empty if all is well. */
  readonly wrong: readonly string[];
}

/** Maximum number of concurrent sessions. Each has its own environments, which are slow to start on two cores. */
const AT_ONCE = 25;
const LEASE_SECONDS = 3;

/** Runs sessions on the embedded stack, kills environments under them, and checks the result. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { sessions, kills, seed, assembly, early = false, say = () => {} } = options;
  const atOnce = Math.min(AT_ONCE, sessions);
  const patience = early ? 1_100 : 200;
  const random = randomFrom(seed);
  let killed = 0;
  let going = true;
  let kill: (prefix: string) => void = () => {};
  const wire: Wire = {
    async after({ operation, body }) {
      const victim = workerOf(operation, body);
      if (victim && random() < 0.5) setTimeout(() => kill(victim), random() * 120).unref();
    },
  };
  await using model = await ruleModel(followPlan);
  await using world = await embedded({
    model,
    assembly,
    wire,
    leaseSeconds: LEASE_SECONDS,
    tools: async () => {
      await pause(random() * 40);
      return { ok: true };
    },
  });
  const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
  const client = connect({ httpUrl, socketUrl, token: world.token });

  kill = (prefix) => {
    if (going && killed < kills) killed += world.stack.kill(prefix, 1);
  };
  const killer = (async () => {
    while (going && killed < kills) {
      await pause(50 + random() * 300);
      const worker = random() < 0.5 ? 'AgentsStepsStep' : 'AgentsToolsTool';
      kill(random() < 0.5 ? 'AgentsSocket' : early && random() < 0.2 ? worker : 'AgentsHttpApi');
    }
  })();

  const subjects: Subject[] = [];
  const lives = new Set<Promise<void>>();
  let failure: unknown;
  // Sessions are started until there were enough kills.
  for (let n = 1; going && (n <= sessions || killed < kills); n++) {
    if (lives.size >= atOnce) await Promise.race(lives);
    const life = liveOne(world, client, random, subjects, patience)
      .catch((error: unknown) => {
        failure ??= error;
        going = false;
      })
      .finally(() => lives.delete(life));
    lives.add(life);
    if (n % atOnce === 0) say(`${n} sessions of ${sessions} begun, ${killed} of ${kills} kills`);
  }
  await Promise.all(lives);
  if (failure) throw failure;
  going = false;
  await killer;

  say('faults have stopped; waiting for rest');
  for (const subject of subjects) await settled(world, subject, random, patience);
  await pause(2_500);
  const wrong = (await Promise.all(subjects.map((subject) => verify(world, subject)))).flat();
  const onceStarts = world.toolStarts
    .filter(({ name }) => ONCE.includes(name))
    .map(({ idempotencyKey }) => idempotencyKey);
  const twice = onceStarts.filter((key, i) => onceStarts.indexOf(key) !== i);
  wrong.push(...twice.map((key) => `the once call ${key} was started twice`));
  const steps = await Promise.all(subjects.map(async ({ id }) => Number((await world.session(id)).slots)));
  client.close();
  return {
    sessions: subjects.length,
    kills: killed,
    modelCalls: model.asked.length,
    steps: steps.reduce((a, b) => a + b, 0),
    onceStarts: onceStarts.length,
    wrong,
  };
}

/** One session: it is started, followed, given another message, sometimes cancelled, until it rests. */
async function liveOne(
  world: Embedded,
  client: ReturnType<typeof connect>,
  random: () => number,
  subjects: Subject[],
  patience: number,
): Promise<void> {
  const begun = await insist(world, '/sessions', { agent: 'worker', message: somePlan(random) }, random);
  const accepted = [begun.eventId];
  let view = emptyView;
  client.subscribe(begun.sessionId, {
    onEvent: (event) => {
      view = fold(view, event);
    },
  });
  const subject: Subject = {
    id: begun.sessionId,
    refused: [],
    accepted,
    seen: () =>
      view.items.flatMap((item) =>
        item.kind === 'message' && item.role === 'assistant' && item.text !== '' ? [item.text] : [],
      ),
  };
  subjects.push(subject);
  const path = `/sessions/${begun.sessionId}`;
  for (let more = Math.floor(random() * 3); more > 0; more--) {
    await pause(random() * 1_500);
    accepted.push((await insist(world, `${path}/messages`, { message: somePlan(random) }, random)).eventId);
  }
  if (random() < 0.15) await insist(world, `${path}/cancel`, {}, random);
  await settled(world, subject, random, patience);
}

/** Resolves when the session rests. Until then it decides what the run asks people, and waits for queued calls. */
async function settled(
  world: Embedded,
  { id, refused }: Subject,
  random: () => number,
  seconds: number,
): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await pause(50)) {
    const { state, waits = [] } = await world.atRest(id, seconds);
    if (state === 'waiting_for_tool') continue;
    const asked = (waits as WaitInfo[])[0];
    if (state !== 'waiting_for_input' || !asked) return;
    const approved = random() < 0.7;
    const { body } = await world
      .api('POST', `/sessions/${id}/decisions`, { id: asked.id, approved })
      .catch(() => ({ body: undefined }));
    if (!approved && body?.result === 'decided') refused.push(asked.toolCallId);
  }
  throw new Error(`${id} is not at rest after ${seconds} s: ${JSON.stringify(await world.session(id))}`);
}

/** The function whose worker has just begun, if its message would come back soon. */
function workerOf(operation: string, body: string): string | undefined {
  // A step has claimed its session.
  if (operation === 'UpdateItem') return body.includes('#ownerMessageId = ') ? 'AgentsStepsStep' : undefined;
  if (operation !== 'ChangeMessageVisibility') return undefined;
  const { QueueUrl, VisibilityTimeout }: { QueueUrl: string; VisibilityTimeout: number } = JSON.parse(body);
  // A worker that is killed before it told the queue to bring its message back soon would cost minutes.
  return /Calls/.test(QueueUrl) && VisibilityTimeout <= 60 ? 'AgentsToolsTool' : undefined;
}

/** Posts until it is accepted, as a good client does, with one Idempotency-Key for all attempts. */
async function insist(world: Embedded, path: string, body: object, random: () => number) {
  const key = `chaos-${random().toString(36).slice(2)}-${random().toString(36).slice(2)}`;
  for (let tries = 1; ; tries++) {
    const answer = await world.api('POST', path, body, { 'idempotency-key': key }).catch(() => undefined);
    if (answer && answer.status < 300) return answer.body;
    if (tries === 50) throw new Error(`POST ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    await pause(50);
  }
}

/** mulberry32: small, seeded, and good enough for choices. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
