import { setTimeout as pause } from 'node:timers/promises';
import { type BenchModel, benchModel } from '../support/model.ts';
import { anonymousMb, cpuByThread, cpuOf } from '../support/proc.ts';
import { child } from './child.ts';
import type { FloorSpeed } from './floor.ts';
import type { Reached } from './stack.ts';
import { atOnce, lifeOf, median, oneByOne, type RunSession, type Speed, STEPS, TEXT } from './workload.ts';

/** The result of the stack. CPU in ms per step. */
export interface StackSpeed extends Speed {
  /** CPU of the step function's threads, with one session, in an environment's first 100 invocations. */
  readonly young: number;
  /** CPU of the threads that compile and collect garbage in the meantime. */
  readonly youngBeside: number;
  /** CPU of the step function's threads after 1,000 invocations, with one session. */
  readonly warm: number;
  readonly warmBeside: number;
  /** CPU of the step function's threads with 50 sessions. */
  readonly cpuAStep: number;
  /** CPU of the whole process, including emulators, with 50 sessions. */
  readonly cpuOfAllAStep: number;
  /** After 50 sessions at once. */
  readonly memoryMb: number;
}

/** The amount of work, in sessions. */
export interface Amount {
  /** The first ones of an environment, one by one, and those between them and the measured ones. */
  readonly young: number;
  readonly settle: number;
  /** One by one. */
  readonly few: number;
  /** At once, before those that are measured. */
  readonly crowd: number;
  /** With 50 at once. */
  readonly many: number;
}

/** The floor, in a process of its own. Its model is in this one, as the stack's is. */
export async function floorSpeed({ few, crowd, many }: Amount): Promise<FloorSpeed> {
  await using model = await benchModel({ steps: STEPS, speaksMs: 0, pieces: () => [TEXT] });
  await using floor = child('floor.ts', model.url, String(few), String(crowd), String(many));
  return JSON.parse(await floor.said);
}

/** The embedded stack, in a process of its own. Model and driver are in this one. */
export async function stackSpeed(assembly: string, amount: Amount): Promise<StackSpeed> {
  await using model = await benchModel();
  await using stack = child('stack.ts', assembly, model.url);
  const run = runOn(model, JSON.parse(await stack.said));
  const cpu = () => threadsIn(stack.pid);
  const costOf = async (sessions: number) => {
    const before = cpu();
    const times = await oneByOne(run, sessions);
    const steps = sessions * STEPS;
    const after = cpu();
    return {
      times,
      step: (after.step - before.step) / steps,
      beside: (after.beside - before.beside) / steps,
    };
  };

  await run('cold', 1);
  const young = await costOf(amount.young);
  await oneByOne(run, amount.settle);
  const warm = await costOf(amount.few);
  await atOnce(run, amount.crowd);
  const before = { threads: cpu(), all: cpuOf(stack.pid) };
  const stepsASecond = await atOnce(run, amount.many);
  const steps = amount.many * STEPS;
  return {
    msAStep: median(warm.times),
    stepsASecond,
    young: young.step,
    youngBeside: young.beside,
    warm: warm.step,
    warmBeside: warm.beside,
    cpuAStep: (cpu().step - before.threads.step) / steps,
    cpuOfAllAStep: (cpuOf(stack.pid) - before.all) / steps,
    memoryMb: anonymousMb(stack.pid),
  };
}

/** The time of a step at step 10, 200 and 1,000 of one session, in ms: the median of 30. */
export async function growth(assembly: string): Promise<readonly number[]> {
  await using model = await benchModel();
  await using stack = child('stack.ts', assembly, model.url);
  const run = runOn(model, JSON.parse(await stack.said));
  await oneByOne(run, 20);
  const asked = await lifeOf(run, 1_020);
  const took = asked.map((at, i) => at - (asked[i - 1] ?? at));
  return [10, 200, 1_000].map((age) => median(took.slice(Math.max(3, age - 15), age + 15)));
}

/** CPU of the step function's threads, and of V8's threads that compile and collect garbage. */
function threadsIn(pid: number): { step: number; beside: number } {
  const threads = [...cpuByThread(pid)];
  const sum = (which: RegExp) => threads.reduce((all, [name, ms]) => all + (which.test(name) ? ms : 0), 0);
  return { step: sum(/^S-AgentsStep/), beside: sum(/^V8Worker/) };
}

/** A session over HTTP: started with a message, and polled until it is at rest. */
const runOn = (model: BenchModel, { httpUrl, token }: Reached): RunSession => {
  const api = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${httpUrl}${path}`, { method, headers, ...payload });
    const answer = (await response.json()) as { sessionId: string; state: string };
    if (response.status < 500 && !response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.ok ? answer : undefined;
  };
  return async (id, steps, onStep) => {
    // Fifty cold starts at once may take longer than the API waits. A session that began all the same is not this run.
    for (let attempt = 1; ; attempt++) {
      const key = `${id}-${attempt}`;
      const { over } = model.begin(key, { steps, speaksMs: 0, pieces: () => [TEXT], onStep });
      const started = await api('POST', '/sessions', { agent: 'enduring', message: `Go. RUN<${key}>` });
      if (!started && attempt < 5) continue;
      if (!started) throw new Error('POST /sessions fails again and again');
      await over;
      return await atRest(started.sessionId);
    }
  };

  /** Its last step ends some ms after the last reply. */
  async function atRest(sessionId: string): Promise<void> {
    for (let waited = 12; ; waited = 30) {
      await pause(waited);
      const session = await api('GET', `/sessions/${sessionId}`);
      if (session?.state === 'completed') return;
      if (session && session.state !== 'running') throw new Error(`a session is ${session.state}`);
    }
  }
};
