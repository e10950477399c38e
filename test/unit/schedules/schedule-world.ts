import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { hashOfDeclared } from '../../../shared/agent/define/declared-schedules.ts';
import type { DeclaredSchedule } from '../../../shared/agent/define/schedule.ts';
import { runDue } from '../../../shared/agent/entrypoints/schedules/due.ts';
import { sweepSchedules } from '../../../shared/agent/entrypoints/schedules/sweep.ts';
import type { Schedule, StoredSchedule } from '../../../shared/agent/schedules/schedule.ts';
import { begin } from '../../../shared/agent/schedules/take.ts';
import { createSchedules } from '../../../shared/memory/schedules.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { claimed, restOf } from '../../contract/harness.ts';

/** A clock that stands at nine o'clock of a Friday, stores in memory, and the sweeper. */
export const START = Date.UTC(2026, 10, 27, 9);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const triage = defineAgent({
  ...{ name: 'triage', version: '1', model: { name: 'm', price: { input: 1, output: 1 }, window: 100_000 } },
  system: 'You triage.',
});

export const aSchedule = (over: Partial<Schedule> = {}): Schedule => ({
  ...{ key: { tenant: 'acme', id: 'report' }, name: 'Report', agent: 'triage', zone: 'UTC' },
  ...{ when: { cron: '0 * * * *' }, message: 'Write it.', into: 'new', overlap: 'skip', catchUp: 'last' },
  ...{ declared: false, createdAt: START, speaker: { by: 'user:ada' } },
  ...over,
});

export async function scheduleWorld() {
  const world = memoryWorld();
  const schedules = createSchedules();
  await world.clock.advance(START - world.clock.now());
  let declared: readonly DeclaredSchedule[] = [];
  const context = {
    ...{ io: world, schedules, agentOf: (name: string) => (name === 'triage' ? triage : undefined) },
    priceOf: async () => undefined,
    isLive: async (keyId: string) => keyId !== 'acme.revoked00000',
  };
  const look = async () => {
    const ticked = [];
    for (;;) {
      const next = world.queue.schedules.receive();
      if (!next) return ticked;
      world.queue.schedules.delete(next.handle);
      ticked.push(await runDue(next.wake, { ...context, declared }));
    }
  };
  return {
    ...world,
    schedules,
    context,
    look,
    deploy(to: readonly DeclaredSchedule[]) {
      declared = to;
    },
    add: (schedule: Schedule): Promise<StoredSchedule | undefined> =>
      schedules.create({ schedule, course: begin(schedule, world.clock.now()), revision: 1 }),
    /** As the sweeper does it each minute, and the step function after it. */
    async minute(count = 1) {
      for (let n = 0; n < count; n++) {
        await sweepSchedules({ ...world, schedules }, hashOfDeclared(declared));
        await look();
        await world.clock.advance(30_000);
        await look();
        await world.clock.advance(30_000);
        await look();
      }
    },
    /** Outcomes of ticks, oldest first: `09:00 started`. */
    /** Seconds without the sweeper. */
    async second(count = 1) {
      for (let n = 0; n < count; n++) {
        await world.clock.advance(1_000);
        await look();
      }
    },
    async history(id = 'report', tenant = 'acme') {
      const records = await schedules.records({ tenant, id }, '', 100);
      return records
        .map(({ at, outcome }) => `${new Date(at).toISOString().slice(11, 16)} ${outcome}`)
        .reverse();
    },
    async sessionsOf(id = 'report', tenant = 'acme') {
      const records = await schedules.records({ tenant, id }, '', 100);
      return records.flatMap(({ outcome, sessionId }) =>
        outcome === 'started' && sessionId ? [{ tenant, sessionId }] : [],
      );
    },
    /** The messages in a session's inbox, and all that it had. */
    async messagesOf(key: { readonly tenant: string; readonly sessionId: string }) {
      return [...(world.table.events.get(`${key.tenant}#${key.sessionId}`)?.values() ?? [])];
    },
    /** The session's run ends, after it has cost this. */
    async finish(key: { readonly tenant: string; readonly sessionId: string }, costUsd = 0) {
      const view = await claimed(world, `i${world.ids.next()}`, { key, at: world.clock.now() });
      const { session } = view;
      const totals = { ...session.totals, costUsd: session.totals.costUsd + costUsd };
      await world.sessions.commit(restOf(view, { session: { ...session, totals } }));
    },
  };
}
