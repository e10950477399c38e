import { answerGranted } from '../shared/agent/entrypoints/answer.ts';
import { runCall } from '../shared/agent/entrypoints/call.ts';
import { decide } from '../shared/agent/entrypoints/decide.ts';
import { sweep } from '../shared/agent/entrypoints/sweep.ts';
import { firstExpiry, isForPeople } from '../shared/agent/session/waits.ts';
import type { AgentWorld } from './agent-world.ts';
import type { Rehearsal } from './rehearsal.ts';

/** Turns after which a session that does not come to rest is given up. */
export const MOST_TURNS = 2_000;

/** Runs steps, queued calls and decisions, and then the clock, until nothing is left to do. */
export async function comeToRest(
  world: AgentWorld,
  decides: NonNullable<Rehearsal['decides']>,
  answersLater: NonNullable<Rehearsal['answersLater']>,
  realTime: () => Promise<boolean>,
): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    if (await world.step()) continue;
    if (await runQueuedCall(world, realTime)) continue;
    if (await decideOne(world, decides)) continue;
    if (await answerOne(world, answersLater)) continue;
    const at = nextMoment(world);
    if (at !== undefined) await world.clock.advance(at - world.clock.now());
    else if (!(await restOne(world))) return;
  }
  throw new Error(`the session is not at rest after ${MOST_TURNS} turns`);
}

async function runQueuedCall(world: AgentWorld, realTime: () => Promise<boolean>): Promise<boolean> {
  const delivery = world.queue.calls.receive();
  if (!delivery) return false;
  const { host, ports } = world.faults.host(world);
  const invocation = {
    id: world.ids.next(),
    message: delivery.handle,
    deadlineAt: world.clock.now() + 900_000,
  };
  let end: 'ack' | 'retry' | { error: unknown } | undefined;
  runCall(delivery.wake, invocation, world.agentOf, ports).then(
    (settlement) => {
      end = settlement;
    },
    (error: unknown) => {
      end = { error };
    },
  );
  await world.clock.advance(0);
  while (!end && host.running) if (!(await realTime())) await world.clock.advance(100);
  if (typeof end === 'object') throw end.error;
  if (end === 'ack') world.queue.calls.delete(delivery.handle);
  return true;
}

async function decideOne(world: AgentWorld, decides: NonNullable<Rehearsal['decides']>): Promise<boolean> {
  const view = await world.sessions.read(world.key);
  const { waits = [], asks = [] } = view?.session.batch ?? {};
  const own = waits.filter((wait) => isForPeople(wait) && view?.fence.pending.includes(wait.id));
  for (const wait of [...own, ...asks]) {
    const decided = decides(wait);
    if (decided === undefined) continue;
    const decision = typeof decided === 'string' ? { approved: true, note: decided } : { approved: decided };
    const at = wait.child === undefined ? world.key : { ...world.key, sessionId: wait.child };
    const outcome = await decide(at, wait.id, { ...decision, by: 'user:rehearsal' }, world);
    if (outcome === 'decided') return true;
  }
  return false;
}

async function answerOne(
  world: AgentWorld,
  answersLater: NonNullable<Rehearsal['answersLater']>,
): Promise<boolean> {
  const view = await world.sessions.read(world.key);
  for (const wait of view?.session.batch?.waits ?? []) {
    if (wait.kind !== 'callback' || !view?.fence.pending.includes(wait.id)) continue;
    const answer = answersLater(wait);
    const grant = [...world.table.grants.values()].find(({ id }) => id === wait.id);
    if (answer && grant && (await answerGranted(grant, answer, world)) === 'taken') return true;
  }
  return false;
}

/**
 * Lets the time pass until the next moment of a session that rests for nothing else. The sweeper wakes it if the moment is
 * further away than a message can be delayed.
 */
async function restOne(world: AgentWorld): Promise<boolean> {
  const moments = [...world.table.heads.values()].flatMap(({ session: { batch } }) =>
    batch && batch.waits.length > 0 && batch.waits.every(({ kind }) => kind === 'timer')
      ? [firstExpiry(batch.waits)]
      : [],
  );
  if (moments.length === 0) return false;
  await world.clock.advance(Math.max(0, Math.min(...moments) - world.clock.now()));
  await sweep(world);
  return true;
}

function nextMoment({ queue }: AgentWorld): number | undefined {
  const moments = [queue.nextVisibleAt(), queue.calls.nextVisibleAt()].filter((at) => at !== undefined);
  return moments.length > 0 ? Math.min(...moments) : undefined;
}
