/** What the ruler has done, on the floor and on the stack alike: sessions of steps, one after the other and 50 at once. */

/** Steps of a session. */
export const STEPS = 20;
/** Sessions at once. */
const AT_ONCE = 50;
/** Text of a reply, in bytes. */
export const TEXT = 'x'.repeat(200);
/** What the tool of a step returns. */
export const TOOL = 'y'.repeat(1_024);

/** Runs one session to its end. `onStep` is called when its model is asked. */
export type RunSession = (id: string, steps: number, onStep?: () => void) => Promise<void>;

export interface Speed {
  /** Of a step with one session, the median of sessions. */
  readonly msAStep: number;
  /** With 50 sessions at once. */
  readonly stepsASecond: number;
}

let sessions = 0;
const newId = () => `session-${process.pid}-${++sessions}`;

/** Some sessions one after the other. Resolves to ms a step of each. */
export async function oneByOne(run: RunSession, count: number): Promise<number[]> {
  const times = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await run(newId(), STEPS);
    times.push((performance.now() - start) / STEPS);
  }
  return times;
}

/** So many sessions, 50 at once. Resolves to steps a second. */
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

/** One session of so many steps. Resolves to the times at which its model was asked, in ms. */
export async function lifeOf(run: RunSession, steps: number): Promise<number[]> {
  const asked: number[] = [];
  await run(newId(), steps, () => void asked.push(performance.now()));
  return asked;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
