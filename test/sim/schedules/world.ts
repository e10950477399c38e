import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { hashOfDeclared } from '../../../shared/agent/define/declared-schedules.ts';
import { type DeclaredSchedule, defineSchedule } from '../../../shared/agent/define/schedule.ts';
import { runDue } from '../../../shared/agent/entrypoints/schedules/due.ts';
import {
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from '../../../shared/agent/entrypoints/schedules/manage.ts';
import { sweepSchedules } from '../../../shared/agent/entrypoints/schedules/sweep.ts';
import type { DueSchedules } from '../../../shared/contract/queue.ts';
import type { When } from '../../../shared/contract/schedules.ts';
import type { SessionKey } from '../../../shared/contract/session.ts';
import { memoryPorts } from '../../../shared/memory/ports.ts';
import { createSchedules } from '../../../shared/memory/schedules.ts';
import { createFaults } from '../faults.ts';
import { createHost } from '../host.ts';
import { type Caller, createNetwork } from '../network.ts';
import { createQueue } from '../queue.ts';
import { createRandom } from '../random.ts';
import { createScheduler } from '../scheduler.ts';
import { type Books, openBooks } from './books.ts';

const MINUTE = 60_000;
/** The time in which faults happen, and the time without them in which everything must come to its end. */
export const FAULTY_MS = 6 * 60 * MINUTE;
const CALM_MS = 45 * MINUTE;

const agent = defineAgent({
  ...{ name: 'worker', version: '1', system: 'You work.' },
  model: { name: 'm', price: { input: 1, output: 1 }, window: 100_000 },
});

export interface SimulatedSchedules {
  readonly violation: string | undefined;
  readonly books: Books;
  readonly faults: number;
  readonly lines: readonly string[];
}

/** Operations of a port, each on its way through the network. Iterators are read at once. */
function through<Port extends object>(
  port: Port,
  call: (name: string, apply: () => Promise<unknown>) => unknown,
  name: string,
): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => call(`${name}.${String(key)}`, async () => value.apply(target, args));
    },
  });
}

/**
 * Schedules under faults: sweepers and step functions die, freeze and have wrong clocks, requests and answers are lost or late,
 * messages come twice; people pause, resume and run schedules, and deploys change and remove them, and their tenants. Then faults stop,
 * and the ledger of every tick must be right.
 */
export async function simulateSchedules(seed: number): Promise<SimulatedSchedules> {
  const random = createRandom(seed);
  const scheduler = createScheduler(random);
  const faults = createFaults(
    random,
    ['killAfter', 'lostAnswer', 'late', 'skew', 'freeze', 'redelivered'],
    false,
  );
  const network = createNetwork(scheduler, faults);
  let count = 0;
  const ids = { next: () => `id${++count}`, random: () => random.next() };
  const clock = { now: () => scheduler.now, sleep: () => Promise.reject(new Error('no sleep')) };
  const provider = { complete: () => Promise.reject(new Error('no model')) };
  const memory = memoryPorts({ clock, ids, provider });
  const store = createSchedules(random.pick([1, 3, 100]));
  const queue = createQueue<DueSchedules>(scheduler, () => 'schedules');
  const books = openBooks(scheduler, memory, store);
  const end = scheduler.now + FAULTY_MS;

  let deployed = definitionIn(random, 0);
  let deploys = 0;

  const callerOn = (name: string): Caller => {
    const skewMs = faults.profile.skew > 0 && !faults.stopped ? random.between(-10_000, 10_000) : 0;
    return { id: `${name}-${++count}`, host: createHost(`host${count}`, skewMs, scheduler), over: false };
  };
  const portsOf = (caller: Caller) => {
    const call = (name: string, apply: () => Promise<unknown>) => network.call(caller, name, apply);
    const schedules = {
      ...through(store, call, 'schedules'),
      // Pages of an index, which may lag; here they are read as a whole.
      due: async function* (until: number) {
        const pages: (readonly { tenant: string; id: string; dueAt: number }[])[] = [];
        for await (const page of store.due(until)) pages.push(page);
        yield* (await call('schedules.due', async () => pages)) as typeof pages;
      },
    };
    for (const name of Object.keys(store))
      if (name !== 'due')
        Object.assign(schedules, { [name]: through(store, call, 'schedules')[name as 'read'] });
    const io = {
      ...memory,
      clock: caller.host.clock,
      ids,
      sessions: through(memory.sessions, call, 'sessions'),
      inbox: {
        ...memory.inbox,
        accept: (
          key: SessionKey,
          event: Parameters<typeof memory.inbox.accept>[1],
          ...rest: [number, 'keep']
        ) =>
          call('inbox.accept', async () => {
            const accepted = await memory.inbox.accept(key, event, ...rest);
            books.accepted(key, event, accepted.kind);
            return accepted;
          }) as ReturnType<typeof memory.inbox.accept>,
      },
      listings: through(memory.listings, call, 'listings'),
      outbound: through(memory.outbound, call, 'outbound'),
      queue: {
        ...memory.queue,
        send: () => call('queue.send', async () => undefined) as Promise<void>,
        due: (due: DueSchedules, delayMs = 0) =>
          call('queue.due', async () => void queue.send(due, delayMs)) as Promise<void>,
      },
    };
    return { io, schedules };
  };
  const run = (
    name: string,
    work: (ports: ReturnType<typeof portsOf>) => Promise<unknown>,
    done = () => {},
  ) => {
    const caller = callerOn(name);
    caller.host.onKill(() => {
      caller.over = true;
    });
    void work(portsOf(caller))
      .then(done, () => undefined)
      .finally(() => {
        caller.over = true;
      });
  };

  const sweepEachMinute = () => {
    scheduler.in(MINUTE, sweepEachMinute);
    const hash = hashOfDeclared(deployed);
    run('sweep', ({ io, schedules }) => sweepSchedules({ ...io, schedules }, hash));
  };
  const consume = () => {
    scheduler.in(random.between(200, 3_000), consume);
    const delivery = queue.receive();
    if (!delivery) return;
    const declared = deployed;
    if (faults.strikes('redelivered'))
      scheduler.in(random.scale(10, 400_000), () => queue.redeliver(delivery.handle.messageId));
    run(
      'step',
      ({ io, schedules }) =>
        runDue(delivery.wake, {
          ...{ io, schedules, declared, agentOf: () => agent },
          ...{ priceOf: async () => undefined, isLive: async () => true },
        }),
      () => queue.remove(delivery.handle),
    );
  };
  const door = {
    ...{ clock, ids, schedules: store },
    queue: { due: async (due: DueSchedules, delayMs = 0) => void queue.send(due, delayMs) },
  };
  const people = () => {
    scheduler.in(random.scale(5 * MINUTE, 120 * MINUTE), people);
    if (faults.stopped) return;
    if (store.stored.size === 0) return;
    const stored = random.pick([...store.stored.values()]);
    const { key } = stored.schedule;
    const what = random.pick(['pause', 'resume', 'resume', 'run']);
    scheduler.trace.say('people', what, key.tenant, key.id);
    if (what === 'pause') void pauseSchedule(key, door);
    if (what === 'resume') void resumeSchedule(key, door);
    if (what === 'run') void runSchedule(key, door).then((id) => books.byHand(key, id));
  };
  const deploy = () => {
    scheduler.in(random.scale(20 * MINUTE, 400 * MINUTE), deploy);
    if (faults.stopped) return;
    deployed = definitionIn(random, ++deploys);
    scheduler.trace.say('people', 'deploy', deploys);
  };
  const finishRuns = () => {
    scheduler.in(random.between(10_000, 5 * MINUTE), finishRuns);
    books.finishSome(random, faults.stopped);
  };
  sweepEachMinute();
  for (let n = 0; n < 3; n++) consume();
  scheduler.in(30 * MINUTE, people);
  scheduler.in(60 * MINUTE, deploy);
  finishRuns();
  scheduler.in(FAULTY_MS, () => {
    faults.stop();
    for (const { schedule } of store.stored.values()) void resumeSchedule(schedule.key, door);
  });
  await scheduler.run(() => books.violation !== undefined || scheduler.now > end + CALM_MS);
  books.close(deployed);
  return { violation: books.violation, books, faults: faults.count, lines: scheduler.trace.lines() };
}

const zones = ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
const whens: readonly When[] = [
  { cron: '*/10 * * * *' },
  { cron: '3,33 * * * *' },
  { every: '7m' },
  { every: '1h' },
  { at: '2026-11-22T03:00Z' },
];

/** A definition with some schedules, some of them as in every other one of this seed. */
function definitionIn(random: ReturnType<typeof createRandom>, n: number): readonly DeclaredSchedule[] {
  const stays = defineSchedule({
    ...{ name: 'stays', agent: 'worker', message: 'Work.', when: { cron: '*/5 * * * *' } },
    ...{ catchUp: 'all', overlap: 'queue' },
  });
  const others = Array.from({ length: random.between(1, 4) }, (_, i) =>
    defineSchedule({
      name: `s${i}`,
      agent: 'worker',
      message: random.chance(0.5) ? 'Work.' : () => ({ work: true }),
      when: random.pick(whens),
      zone: random.pick(zones),
      into: random.pick(['new', 'same']),
      overlap: random.pick(['skip', 'queue', 'cancel']),
      catchUp: random.pick(['none', 'last', 'all']),
      tenants: random.pick([['a'], ['a', 'b'], ['b']]),
    }),
  );
  return n % 5 === 4 ? [stays] : [stays, ...others];
}
