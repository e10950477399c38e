import { setTimeout as pause } from 'node:timers/promises';
import type { Wire } from '../../local/stack/wire.ts';
import { connect } from '../../web/client/connect.ts';
import { emptyView, fold } from '../../web/client/view.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { ruleModel } from '../support/rule-model.ts';
import { followPlan, somePlan } from './plan.ts';
import { type Subject, verify } from './verify.ts';

export interface ChaosOptions {
  readonly sessions: number;
  /** Environments to kill while sessions run. */
  readonly kills: number;
  /** Chooses plans and victims; the machine's timing chooses the rest. */
  readonly seed: number;
  /** Also kill steps that have only just begun: their message comes back after the queue's own visibility, 330 s. */
  readonly early?: boolean;
  /** The cloud assembly; the test run's own when absent. */
  readonly assembly?: string;
  readonly say?: (line: string) => void;
}

export interface ChaosReport {
  readonly sessions: number;
  readonly kills: number;
  readonly modelCalls: number;
  readonly steps: number;
  readonly onceStarts: number;
  /** In words; empty when all is well. */
  readonly wrong: readonly string[];
}

/** Sessions begun at once. */
const AT_ONCE = 25;
const LEASE_SECONDS = 3;

/** Runs sessions on the embedded stack, kills environments under them, and looks at what is left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { sessions, kills, seed, assembly, early = false, say = () => {} } = options;
  const patience = early ? 700 : 120;
  const random = randomFrom(seed);
  let killed = 0;
  let going = true;
  let kill: (prefix: string) => void = () => {};
  const wire: Wire = {
    async after({ operation }) {
      // The step has told the queue to bring its message back soon if it dies. Killed before, it would be minutes.
      if (operation !== 'ChangeMessageVisibility' || random() > 0.5) return;
      setTimeout(() => kill('StepsStep'), random() * 120).unref();
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
      kill(random() < 0.5 ? 'Socket' : early && random() < 0.2 ? 'StepsStep' : 'HttpApi');
    }
  })();

  const subjects: Subject[] = [];
  const lives: Promise<void>[] = [];
  for (let n = 0; n < sessions; n++) {
    const life = liveOne(world, client, random, subjects, patience).catch((error: unknown) => {
      going = false;
      throw error;
    });
    lives.push(life);
    if (lives.length % AT_ONCE === 0) {
      await Promise.all(lives);
      say(`${lives.length} of ${sessions} sessions, ${killed} of ${kills} kills`);
    }
  }
  // Kills go on until there were enough: sessions are kept busy for as long.
  while (killed < kills) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => liveOne(world, client, random, subjects, patience)),
    );
    say(`${subjects.length} sessions, ${killed} of ${kills} kills`);
  }
  await Promise.all(lives);
  going = false;
  await killer;

  say('faults have stopped; waiting for rest');
  for (const { id } of subjects) await world.atRest(id, patience);
  await pause(2_500);
  const wrong = (await Promise.all(subjects.map((subject) => verify(world, subject)))).flat();
  const pays = world.toolStarts
    .filter(({ name }) => name === 'pay')
    .map(({ idempotencyKey }) => idempotencyKey);
  const twice = pays.filter((key, i) => pays.indexOf(key) !== i);
  wrong.push(...twice.map((key) => `the once call ${key} was started twice`));
  const steps = await Promise.all(subjects.map(async ({ id }) => Number((await world.session(id)).slots)));
  client.close();
  return {
    sessions: subjects.length,
    kills: killed,
    modelCalls: model.asked.length,
    steps: steps.reduce((a, b) => a + b, 0),
    onceStarts: pays.length,
    wrong,
  };
}

/** One session: begun, followed, given another message, now and then cancelled, until it rests. */
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
  subjects.push({
    id: begun.sessionId,
    accepted,
    seen: () =>
      view.items.flatMap((item) =>
        item.kind === 'message' && item.role === 'assistant' && item.text !== '' ? [item.text] : [],
      ),
  });
  const path = `/sessions/${begun.sessionId}`;
  for (let more = Math.floor(random() * 3); more > 0; more--) {
    await pause(random() * 1_500);
    accepted.push((await insist(world, `${path}/messages`, { message: somePlan(random) }, random)).eventId);
  }
  if (random() < 0.15) await insist(world, `${path}/cancel`, {}, random);
  await world.atRest(begun.sessionId, patience);
}

/** Posts until it is accepted, as a good client does: with one Idempotency-Key for all tries. */
async function insist(world: Embedded, path: string, body: object, random: () => number) {
  const key = `chaos-${random().toString(36).slice(2)}-${random().toString(36).slice(2)}`;
  for (let tries = 1; ; tries++) {
    const answer = await world.api('POST', path, body, { 'idempotency-key': key }).catch(() => undefined);
    if (answer && answer.status < 300) return answer.body;
    if (tries === 50) throw new Error(`POST ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    await pause(50);
  }
}

/** mulberry32: small, seeded, good enough to choose by. */
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
