import { beforeEach, describe, expect, test } from 'vitest';
import { daysAnswer } from '../../../shared/agent/entrypoints/days/answer.ts';
import { type CountIo, countableFrom, countDays } from '../../../shared/agent/entrypoints/days/count.ts';
import { percentile, sizeOf } from '../../../shared/agent/entrypoints/days/sizes.ts';
import { addTallies, emptyTally, type Tally } from '../../../shared/agent/entrypoints/days/tally.ts';
import { TenantKeyDeleted } from '../../../shared/agent/plain/tenant-key-deleted.ts';
import { newRun, newSession, type Session } from '../../../shared/agent/session/session.ts';
import type { ModelSlot, Slot, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import { storedTiming } from '../../../shared/agent/session/timing.ts';
import type { State } from '../../../shared/contract/session.ts';
import { createActivity, createDays } from '../../../shared/memory/days.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The beginning of the day that is counted, a Sunday. */
const start = Date.UTC(2026, 10, 22);
const day = '2026-11-22';

let world: MemoryWorld;
let io: CountIo;
beforeEach(async () => {
  world = memoryWorld();
  io = {
    ...{ clock: world.clock, sessions: world.sessions, days: createDays() },
    ...{ activity: createActivity(world.listings), isOutage: (error) => error instanceof Outage },
  };
  await io.days.begin('acme', day, start);
});
class Outage extends Error {}

const usage = { input: 100, output: 10, cacheRead: 5, cacheWrite: 1 };
interface Made {
  readonly at: number;
  readonly run?: number;
  readonly model?: string;
  readonly calls?: readonly string[];
  readonly more?: Partial<ModelSlot>;
}
/** A step that took a second, with its calls, which took two together. */
function step(sessionId: string, n: number, { at, run = 0, model = 'm1', calls = [], more }: Made): Slot[] {
  const content = calls.map((name, i) => ({ type: 'tool_use', id: `c${n}-${i}`, name, input: {} }));
  const runId = `${sessionId}-${run}`;
  const timing = { startedAt: at, claimMs: 0, askedMs: 0 };
  const asked: ModelSlot = {
    ...{ kind: 'model', n, runId, step: 1, input: [], verdicts: [], at: storedTiming(timing) },
    reply: {
      ...{ messageId: `x${n}`, model, stop: calls.length > 0 ? 'tool_use' : 'end_turn', content, usage },
      ...{ costUsd: 0.01, durationMs: 1_000 },
    },
    ...more,
  };
  if (calls.length === 0) return [asked];
  const results = calls.map((name, i) => ({
    ...{ callId: `c${n}-${i}`, name, content: '', durationMs: 2_000 / calls.length },
    outcome: name === 'broken' ? ('error' as const) : ('ok' as const),
  }));
  const ran: ToolsSlot = { kind: 'tools', n: n + 1, runId, replyTo: `x${n}`, results, verdicts: [] };
  return [asked, ran];
}

interface Over extends Partial<Session> {
  readonly state?: State;
  readonly tenant?: string;
  /** When its first run began, and when lists saw it last. */
  readonly createdAt?: number;
  readonly movedAt?: number;
}
/** A session with these slots, whose last run has the id of the last slot. */
async function make(sessionId: string, slots: readonly Slot[], over: Over = {}) {
  const {
    tenant = 'acme',
    createdAt = start + HOUR,
    movedAt = createdAt,
    state = 'completed',
    ...more
  } = over;
  const key = { tenant, sessionId };
  const id = slots.at(-1)?.runId ?? `${sessionId}-0`;
  const version = (slots.at(-1)?.n ?? -1) + 1;
  const isOver = state !== 'running';
  const session: Session = {
    ...newSession(key, 'triage', 'd'),
    ...{
      version,
      state,
      run: { ...newRun, id, startedAt: movedAt - 10_000, ended: isOver },
    },
    ...(isOver && {
      lastEnding: { state, reason: 'completed', code: 'completed', message: '', at: movedAt },
    }),
    ...more,
  };
  await world.sessions.create(session);
  for (const slot of slots) await world.sessions.putSlot(key, 1, slot);
  await listedAt(key.sessionId, createdAt, 2, 'running', tenant);
  await listedAt(key.sessionId, movedAt, 4, state, tenant);
}
const listedAt = (
  sessionId: string,
  at: number,
  order: number,
  state: State = 'completed',
  tenant = 'acme',
) =>
  world.listings.moved(
    { tenant, sessionId },
    {
      agent: 'triage',
      state,
      steps: 1,
      totals: newSession({ tenant, sessionId }, 'a', 'd').totals,
      at,
      order,
    },
  );

/** Counts when the day may be counted, and returns what is stored of it. */
async function counted(more: Partial<CountIo> = {}) {
  await world.clock.advance(Math.max(0, countableFrom(day) - world.clock.now()));
  await countDays({ ...io, ...more });
  return stored();
}
/** A sweep that has time for one group of sessions: each look at the clock takes a ms. */
async function shortSweep(more: Partial<CountIo> = {}) {
  await world.clock.advance(Math.max(0, countableFrom(day) - world.clock.now()));
  let at = world.clock.now();
  await world.clock.advance(60_000);
  return countDays({ ...io, ...more, clock: { now: () => at++ } }, at + 3);
}
const stored = async (of = day): Promise<Tally | undefined> => (await io.days.read('acme', of, of))[0]?.tally;

describe('a counted day', () => {
  test('has runs, reasons, durations, and cost by agent, model and tool', async () => {
    const at = start + HOUR;
    await make('s1', [
      ...step('s1', 0, { at, calls: ['search', 'search', 'broken'] }),
      ...step('s1', 2, { at: at + 5_000, model: 'm2' }),
    ]);
    await make('s2', step('s2', 0, { at, more: { lost: { ...usage, costUsd: 0.5 } } }), {
      lastEnding: { state: 'error', reason: 'tool_error', code: 'x', message: '', at },
    });
    const tally = await counted();
    expect(daysAnswer([{ day, tally: tally ?? emptyTally }], 0)).toEqual({
      days: [expect.objectContaining({ day, sessions: 2, runs: 2, failed: 1, steps: 3 })],
      pending: 0,
      total: {
        ...{ runs: 2, failed: 1, steps: 3, input: 400, output: 40, cacheRead: 20, cacheWrite: 4 },
        reasons: [
          { reason: 'completed', runs: 1 },
          { reason: 'tool_error', runs: 1 },
        ],
        durations: { count: 2, p50Ms: expect.closeTo(10_000, -3), p95Ms: expect.closeTo(10_000, -3) },
        ...{ costUsd: 0.53, lostUsd: 0.5, infraUsd: 0 },
      },
      agents: [{ name: 'triage', runs: 2, failed: 1, steps: 3, costUsd: 0.53 }],
      models: [
        { name: 'm1', calls: 2, input: 200, output: 20, cacheRead: 10, cacheWrite: 2, costUsd: 0.02 },
        { name: 'm2', calls: 1, input: 100, output: 10, cacheRead: 5, cacheWrite: 1, costUsd: 0.01 },
      ],
      tools: [
        { name: 'search', calls: 2, failed: 0, ms: 2_000 / 1.5, costUsd: expect.closeTo(0.0066667, 6) },
        { name: 'broken', calls: 1, failed: 1, ms: 2_000 / 3, costUsd: expect.closeTo(0.0033333, 6) },
      ],
    });
    const tools = tally?.tools.reduce((sum, { costUsd }) => sum + costUsd, 0);
    expect(tools).toBeCloseTo(0.01, 9);
  });

  test('is empty without sessions, and knows no other tenant’s', async () => {
    await make('s1', step('s1', 0, { at: start }), { tenant: 'globex' });
    expect(await counted()).toEqual(emptyTally);
    expect(await io.days.read('globex', day, day)).toEqual([]);
  });

  test('has only its own steps of a run over midnight, which counts where it ended', async () => {
    const before = [...step('s1', 0, { at: start - HOUR, calls: ['a'] }), ...step('s1', 2, { at: start })];
    await make('s1', before, { createdAt: start - HOUR, movedAt: start + HOUR });
    const after = [...step('s2', 0, { at: start + DAY - 1 }), ...step('s2', 1, { at: start + DAY })];
    await make('s2', after, { createdAt: start + DAY - 1, movedAt: start + DAY });
    expect(await counted()).toMatchObject({
      sessions: 2,
      steps: 2,
      reasons: [{ name: 'completed', runs: 1 }],
    });
  });

  test('has the steps of a session that has run since an earlier day', async () => {
    const slots = [...step('s1', 0, { at: start - DAY, calls: ['a'] }), ...step('s1', 2, { at: start + 1 })];
    await make('s1', slots, { state: 'running', createdAt: start - DAY });
    expect(await counted()).toMatchObject({ sessions: 1, steps: 1, reasons: [] });
  });

  test('is the same when its sessions have gone on before it is counted', async () => {
    const slots = [...step('s1', 0, { at: start }), ...step('s1', 1, { at: start + DAY, run: 1 })];
    await make('s1', slots, { createdAt: start, movedAt: start + DAY });
    expect(await counted()).toMatchObject({
      ...{ sessions: 1, steps: 1, costUsd: 0.01 },
      reasons: [{ name: 'completed', runs: 1 }],
      durations: [{ name: sizeOf(1_000), runs: 1 }],
    });
  });

  test.each([
    [
      'a guard that ended it',
      {
        verdicts: [{ kind: 'halt', state: 'error', reason: 'loop_halt', code: 'x', message: '', guard: 'g' }],
      },
      'loop_halt',
    ],
    [
      'a guard that flagged its answer',
      { verdicts: [{ kind: 'flag', reason: 'completed_truncated', code: 'x', guard: 'g' }] },
      'completed_truncated',
    ],
    ['nothing', { reply: undefined }, 'unknown'],
  ])('an earlier run ended as %s says', async (_what, more, reason) => {
    const first = step('s1', 0, { at: start, more: more as Partial<ModelSlot> });
    await make('s1', [...first, ...step('s1', 1, { at: start + 1, run: 1 })], { movedAt: start + 2 });
    expect((await counted())?.reasons).toEqual(
      expect.arrayContaining([
        { name: reason, runs: 1 },
        { name: 'completed', runs: 1 },
      ]),
    );
  });

  test('has no imported turn, and no step that a fork shares with its origin', async () => {
    await make('s0', step('s0', 0, { at: start }));
    const shared = { sessionId: 's0', below: 1 };
    await make('s1', step('s1', 1, { at: start }), { origin: [shared], forkOf: shared });
    const imported = step('s2', 0, { at: start, more: { at: undefined } as never });
    await make('s2', imported, { lastEnding: undefined });
    expect(await counted()).toMatchObject({ sessions: 2, steps: 2 });
  });

  test('counts a session of many steps window by window', async () => {
    // A window begins between a reply and its results.
    const first = step('s1', 0, { at: start - 50_000 });
    const slots = Array.from({ length: 130 }, (_, i) =>
      step('s1', 2 * i + 1, { at: start - 40_000 + i * 1_000, calls: ['a'] }),
    ).flat();
    const last = step('s1', 261, { at: start + 91_000 });
    await make('s1', [...first, ...slots, ...last], { createdAt: start - 50_000, movedAt: start + HOUR });
    expect(await counted()).toMatchObject({ steps: 91, tools: [{ name: 'a', calls: 90, ms: 180_000 }] });
  });
});

describe('the sweeper', () => {
  const some = async (sessions: number) => {
    for (let i = 0; i < sessions; i++) await make(`s${i}`, step(`s${i}`, 0, { at: start + i }));
  };

  test('counts no day before it is over and settled', async () => {
    await some(1);
    await world.clock.advance(countableFrom(day) - 1 - world.clock.now());
    expect(await countDays(io)).toEqual({ days: 0, unread: 0 });
    await world.clock.advance(1);
    expect(await countDays(io)).toEqual({ days: 1, unread: 0 });
    expect(await countDays(io)).toEqual({ days: 0, unread: 0 });
    await world.clock.advance(DAY - 1);
    for await (const page of io.days.due(world.clock.now())) expect(page).toEqual([]);
  });

  test('reads no session that began after the day', async () => {
    await some(1);
    await make('late', step('late', 0, { at: start + DAY }), { createdAt: start + DAY });
    const read: string[] = [];
    const sessions = {
      ...io.sessions,
      read: (key: Parameters<typeof io.sessions.read>[0]) => {
        read.push(key.sessionId);
        return io.sessions.read(key);
      },
    };
    await counted({ sessions });
    expect(read).toEqual(['s0']);
  });

  test('catches up with all days that are over, oldest first', async () => {
    await some(1);
    await world.clock.advance(countableFrom(day) + 3 * DAY - world.clock.now());
    expect(await countDays(io)).toEqual({ days: 4, unread: 0 });
    expect((await io.days.read('acme', day, '2026-12-31')).map(({ tally }) => tally.steps)).toEqual([
      1, 0, 0, 0,
    ]);
  });

  test('continues a day that does not fit into one sweep, while sessions move in the lists', async () => {
    await some(100);
    let sweeps = 0;
    for (; sweeps < 20 && !(await stored()); sweeps++) {
      await shortSweep();
      await listedAt(`s${sweeps * 7}`, world.clock.now(), 100 + sweeps);
    }
    expect(sweeps).toBe(7);
    expect(await stored()).toMatchObject({ sessions: 100, steps: 100, costUsd: 1 });
  });

  test('counts nothing twice when it dies at any of its writes, or two count at once', async () => {
    await some(40);
    for (let dies = 0; dies < 5; dies++) {
      let writes = 0;
      const dying = async <T>(write: () => Promise<T>, isApplied: boolean): Promise<T> => {
        if (isApplied) await write();
        if (writes++ === dies) throw new Outage('died');
        return write();
      };
      const days = {
        ...io.days,
        put: (...args: Parameters<typeof io.days.put>) => dying(() => io.days.put(...args), true),
        move: (...args: Parameters<typeof io.days.move>) =>
          dying(() => io.days.move(...args), dies % 2 === 0),
      };
      await shortSweep({ days }).catch(() => undefined);
    }
    await Promise.all([counted(), shortSweep(), counted(), shortSweep()]);
    await counted();
    expect(await stored()).toMatchObject({ sessions: 40, steps: 40, costUsd: 0.4 });
  });

  test('finds a session that moved in the lists while it walked', async () => {
    await some(3);
    let walks = 0;
    const activity = {
      async *since(tenant: string, from: number) {
        for await (const page of io.activity.since(tenant, 0))
          yield page.filter(({ sessionId }) => (sessionId === 's1') === walks++ > 0 || from > start + DAY);
      },
    };
    expect(await counted({ activity })).toMatchObject({ sessions: 3 });
  });

  test('leaves out a session that cannot be read, and says so; an outage stops it', async () => {
    await some(3);
    const failing = (error: Error) => ({
      ...io.sessions,
      slots: (...args: Parameters<typeof io.sessions.slots>) =>
        args[0].sessionId === 's1' ? Promise.reject(error) : io.sessions.slots(...args),
    });
    await expect(counted({ sessions: failing(new Outage('throttled')) })).rejects.toThrow('throttled');
    expect(await stored()).toBeUndefined();
    expect(await countDays({ ...io, sessions: failing(new SyntaxError('broken')) })).toEqual({
      days: 1,
      unread: 1,
    });
    expect(await stored()).toMatchObject({ sessions: 2, partial: true });
  });

  test('leaves a slow session to the next sweep, and out if it takes a whole one', async () => {
    await some(5);
    let at = countableFrom(day);
    const deadlineAt = () => at + 40_000;
    const slow = (isSlow: (sessionId: string) => boolean): CountIo => ({
      ...io,
      clock: { now: () => at },
      sessions: {
        ...io.sessions,
        async slots(...args) {
          const slots = await io.sessions.slots(...args);
          if (!isSlow(args[0].sessionId)) return slots;
          at += 50_000;
          // More is to be read.
          return slots.slice(0, 0);
        },
        async read(key) {
          const view = await io.sessions.read(key);
          return view && isSlow(key.sessionId)
            ? { ...view, session: { ...view.session, version: 500 } }
            : view;
        },
      },
    });
    const reading = slow((id) => id === 's2');
    expect(await countDays(reading, deadlineAt())).toEqual({ days: 0, unread: 0 });
    expect(await countDays(reading, deadlineAt())).toEqual({ days: 0, unread: 1 });
    expect(await countDays(io, Infinity).then(() => stored())).toBeUndefined();
    await world.clock.advance(at - world.clock.now());
    expect(await countDays(io)).toEqual({ days: 1, unread: 0 });
    expect(await stored()).toMatchObject({ sessions: 4, steps: 4, partial: true });
  });

  test('forgets the days of a tenant whose key was deleted, and counts those of others', async () => {
    await some(1);
    await io.days.begin('globex', day, start);
    await make('s9', step('s9', 0, { at: start }), { tenant: 'globex' });
    const sessions = {
      ...io.sessions,
      read: (key: Parameters<typeof io.sessions.read>[0]) =>
        key.tenant === 'acme' ? Promise.reject(new TenantKeyDeleted('acme')) : io.sessions.read(key),
    };
    await counted({ sessions });
    expect(await stored()).toBeUndefined();
    expect((await io.days.read('globex', day, day))[0]?.tally.sessions).toBe(1);
    await countDays({ ...io, sessions });
  });
});

describe('a tally', () => {
  test('keeps percentiles within 5 %', () => {
    for (const ms of [3, 47, 999, 12_345, 600_000, 86_400_000]) {
      const rows = [{ name: sizeOf(ms), runs: 1 }];
      expect(Math.abs((percentile(rows, 0.5) ?? 0) - ms) / (ms + 1)).toBeLessThan(0.05);
    }
    expect(percentile([], 0.5)).toBeUndefined();
    const many = Array.from({ length: 100 }, (_, i) => ({ name: sizeOf((i + 1) * 1_000), runs: 1 }));
    expect(percentile(many, 0.95)).toBeCloseTo(95_000, -4);
  });

  test('has 200 names at most, and loses nothing', () => {
    const tool = (i: number) => ({ name: `t${i}`, calls: i + 1, failed: 1, ms: 1, costUsd: 0.000_000_001 });
    let tally: Tally = emptyTally;
    for (let i = 0; i < 500; i++) tally = addTallies(tally, { ...emptyTally, tools: [tool(i)] });
    expect(tally.tools).toHaveLength(200);
    expect(tally.tools.reduce((sum, { calls }) => sum + calls, 0)).toBe((500 * 501) / 2);
    expect(tally.tools.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(500e-9, 12);
    expect(tally.tools.map(({ name }) => name)).toContain('(others)');
  });

  test('takes any name', () => {
    const tool = { name: '__proto__', calls: 1, failed: 0, ms: 1, costUsd: 0 };
    const tally = addTallies(
      { ...emptyTally, tools: [tool] },
      { ...emptyTally, tools: [tool, { ...tool, name: 'constructor' }] },
    );
    expect(tally.tools).toEqual([
      { ...tool, calls: 2, ms: 2 },
      { ...tool, name: 'constructor' },
    ]);
  });
});
