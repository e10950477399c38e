import type { Embedded } from '../../test/support/embedded.ts';
import { type Watcher, watch } from '../../test/support/watcher.ts';
import type { BenchModel, Plan, Work } from './model.ts';

/** A session whose first run is over, and its followers: the second run is measured. */
export interface Followed extends Disposable {
  readonly id: string;
  readonly watchers: readonly Watcher[];
}

/** Lets a session make its first run, and listeners follow it from the second run's first step on. */
export async function firstRun(
  world: Embedded,
  model: BenchModel,
  plan: Plan,
  listeners: number,
): Promise<Followed> {
  const { over } = model.begin('first', plan);
  const asked = { agent: 'enduring', message: 'Look at all pages. RUN<first>' };
  const { status, body } = await world.api('POST', '/sessions', asked);
  if (status !== 201) throw new Error(`POST /sessions: ${status} ${JSON.stringify(body)}`);
  await over;
  const { state, reason } = await world.atRest(body.sessionId);
  if (state !== 'completed') throw new Error(`the run ended ${state}: ${reason}`);
  const watchers = Array.from({ length: listeners }, () => watch(world, body.sessionId));
  await Promise.all(watchers.map((watcher) => watcher.seen(({ type }) => type === 'RUN_FINISHED')));
  const leave = () => {
    for (const watcher of watchers) watcher[Symbol.dispose]();
  };
  return { id: body.sessionId, watchers, [Symbol.dispose]: leave };
}

/** Begins the second run. Resolves at the last call of its model. */
export async function secondRun(
  world: Embedded,
  model: BenchModel,
  { id }: Followed,
  plan: Plan,
  message = 'Look at them again.',
): Promise<Work> {
  const work = model.begin('second', plan);
  const asked = { message: `${message} RUN<second>` };
  const { status, body } = await world.api('POST', `/sessions/${id}/messages`, asked);
  if (status >= 300) throw new Error(`POST /messages: ${status} ${JSON.stringify(body)}`);
  await work.over;
  return work;
}
