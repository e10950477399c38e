/** The workload of the floor and of the stack: sessions of steps, one after the other and 50 at once. */

/** Steps of a session. */
export const STEPS = 20;
/** Sessions at once. */
const AT_ONCE = 50;
/** Text of a reply, in bytes. */
export const TEXT = 'x'.repeat(200);
/** The result of a step's tool. */
export const TOOL = 'y'.repeat(1_024);

/** Runs one session to its end. `onStep` is called at each model call. */
export type RunSession = (id: string, steps: number, onStep?: () => void) => Promise<void>;

export interface Speed {
  /** Time of a step with one session, the median of sessions. */
  readonly msAStep: number;
  /** With 50 sessions at once. */
  readonly stepsASecond: number;
}

let sessions = 0;
const newId = () => `session-${process.pid}-${++sessions}`;

/** Runs sessions one after the other. Resolves to each session's ms per step. */
export async function oneByOne(run: RunSession, count: number): Promise<number[]> {
  const times = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await run(newId(), STEPS);
    times.push((performance.now() - start) / STEPS);
  }
  return times;
}

/** Runs this many sessions, 50 at once. Resolves to steps a second. */
export async function atOnce(run: RunSession, count: number): Promise<number> {
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, count) }, async () => {
      while (left-- > 0) await run(newId(), STEPS);
    }),
  );
  return (count * STEPS * 1_000) / (performance.now() - start);
}

/** One session of this many steps. Resolves to the times of its model calls, in ms. */
export async function lifeOf(run: RunSession, steps: number): Promise<number[]> {
  const asked: number[] = [];
  await run(newId(), steps, () => void asked.push(performance.now()));
  return asked;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
