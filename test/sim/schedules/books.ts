import type { DeclaredSchedule } from '../../../shared/agent/define/schedule.ts';
import type { InboxEvent } from '../../../shared/agent/ports/inbox.ts';
import { type TickRecord, tickIdOf } from '../../../shared/agent/schedules/schedule.ts';
import { nextTick } from '../../../shared/agent/schedules/when.ts';
import type { ScheduleKey } from '../../../shared/contract/schedules.ts';
import type { SessionKey } from '../../../shared/contract/session.ts';
import type { MemoryPorts } from '../../../shared/memory/ports.ts';
import type { MemorySchedules } from '../../../shared/memory/schedules.ts';
import { claimed, restOf } from '../../contract/harness.ts';
import type { Random } from '../random.ts';
import type { Scheduler } from '../scheduler.ts';

const nameOf = ({ tenant, id }: ScheduleKey) => `${tenant}#${id}`;

/** The true history of ticks, kept beside the system, and never read by it. */
export interface Books {
  violation: string | undefined;
  readonly ticks: number;
  accepted(key: SessionKey, event: InboxEvent, kind: string): void;
  byHand(key: ScheduleKey, id: string | undefined): void;
  finishSome(random: Random, all: boolean): void;
  close(deployed: readonly DeclaredSchedule[]): void;
}

export function openBooks(scheduler: Scheduler, memory: MemoryPorts, store: MemorySchedules): Books {
  /** Accepted messages by schedule, name of tick and session. */
  const messages = new Map<string, string>();
  const hands: { readonly key: ScheduleKey; readonly id: string }[] = [];
  const running = new Map<string, SessionKey>();
  let finished = 0;

  const books: Books = {
    violation: undefined,
    get ticks() {
      return messages.size;
    },

    accepted(key, event, kind) {
      if (kind === 'conflict' && event.by === 'schedule:stays')
        return violate(`${event.id} came with other words`);
      if (kind !== 'accepted') return;
      const by = event.by ?? '';
      const tick = /^\[schedule .*?(due [^,\]]*|started by hand)/.exec(event.text)?.[1] ?? '';
      const name = tick === 'started by hand' ? `${by} ${event.id}` : `${key.tenant} ${by} ${tick}`;
      scheduler.trace.say('inbox', 'accepted', name);
      if (messages.has(name))
        violate(`${name} was started twice: in ${messages.get(name)} and ${key.sessionId}`);
      messages.set(name, key.sessionId);
      running.set(`${key.tenant}#${key.sessionId}`, key);
    },

    byHand(key, id) {
      if (id !== undefined && id !== 'full') hands.push({ key, id });
    },

    finishSome(random, all) {
      for (const [name, key] of running) {
        if (!all && random.chance(0.6)) continue;
        running.delete(name);
        const head = memory.table.heads.get(name);
        if (!head || head.sweepAt === undefined) continue;
        void claimed(memory, `end${++finished}`, { key, at: scheduler.now }).then(
          (view) => memory.sessions.commit(restOf(view, { now: scheduler.now })),
          () => undefined,
        );
      }
    },

    close(deployed) {
      if (books.violation) return;
      for (const { schedule, course } of store.stored.values()) {
        const name = nameOf(schedule.key);
        const late = course.open.filter(({ takenAt }) => takenAt < scheduler.now - 20 * 60_000);
        if (late.length > 0 && schedule.overlap !== 'queue') violate(`${name} has ticks that stay open`);
        if (
          course.state === 'active' &&
          course.nextAt !== undefined &&
          course.nextAt < scheduler.now - 150_000 &&
          course.open.length === 0
        )
          violate(`${name} was not looked at since ${new Date(course.nextAt).toISOString()}`);
        if (
          !deployed.some(
            ({ name: id, tenants }) => id === schedule.key.id && tenants.includes(schedule.key.tenant),
          )
        )
          violate(`${name} is no longer deployed, and is stored`);
      }
      for (const { name: id, tenants } of deployed)
        for (const tenant of tenants)
          if (!store.stored.has(nameOf({ tenant, id })))
            violate(`${tenant}#${id} is deployed, and not stored`);
      for (const [name, records] of store.ticks)
        for (const { outcome, at, sessionId, id, decidedAt } of records.values()) {
          // A deploy that removes a schedule removes what waits to be started, even if a later one has it again.
          const isOlder = decidedAt < (store.stored.get(name)?.schedule.createdAt ?? 0) + 20_000;
          if (outcome !== 'started' || isOlder) continue;
          const [tenant = ''] = name.split('#');
          const open = store.stored.get(name)?.course.open.some((tick) => tickIdOf(tick) === id);
          const isThere = [...(memory.table.events.get(`${tenant}#${sessionId}`)?.values() ?? [])].length > 0;
          if (!isThere && !open && store.stored.has(name))
            violate(
              `the tick of ${new Date(at).toISOString()} of ${name} is on record as started, and was not`,
            );
        }
      checkStays();
      for (const { key, id } of hands) {
        if (!store.stored.has(nameOf(key))) continue;
        const open = store.stored.get(nameOf(key))?.course.open.some((tick) => tickIdOf(tick) === id);
        if (!store.ticks.get(nameOf(key))?.has(id) && !open && !wasRemoved(key))
          violate(`${id} of ${nameOf(key)} was never begun`);
      }
    },
  };

  /** One that a later deploy has stored again has lost what waited in the first one. */
  const wasRemoved = ({ id }: ScheduleKey) => id !== 'stays';

  /** The schedule that every deploy has, with `catchUp: 'all'`: each of its ticks is on record, in order, or waits. */
  function checkStays(): void {
    const name = 'default#stays';
    const stored = store.stored.get(name);
    if (!stored) {
      violate('the schedule that stays is not stored');
      return;
    }
    const records = store.ticks.get(name) ?? new Map<string, TickRecord>();
    const { createdAt } = stored.schedule;
    const timing = { ...stored.schedule, anchor: stored.course.anchor };
    const isOpen = new Set(stored.course.open.map(tickIdOf));
    const left = [...records.values(), ...stored.course.open].flatMap(({ at, missedUntil }) =>
      missedUntil === undefined ? [] : [{ from: at, to: missedUntil }],
    );
    const until = Math.min(stored.course.nextAt ?? scheduler.now, scheduler.now);
    for (let at = nextTick(timing, createdAt); at !== undefined && at < until; at = nextTick(timing, at)) {
      const id = tickIdOf({ at });
      const isLeftOut = left.some(({ from, to }) => at !== undefined && at >= from && at <= to);
      if (!records.has(id) && !isOpen.has(id) && !isLeftOut)
        violate(`the tick of ${new Date(at).toISOString()} is missing`);
    }
  }

  function violate(why: string): void {
    books.violation ??= why;
  }
  return books;
}
