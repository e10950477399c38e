import { beforeEach, describe, expect, test } from 'vitest';
import { eraseBuried } from '../../../shared/agent/entrypoints/erase.ts';
import { GRAVE_MS, HELD_MS } from '../../../shared/agent/entrypoints/graves.ts';
import { buryAged } from '../../../shared/agent/entrypoints/retention.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { createAges } from '../../../shared/memory/ages.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const keyOf = (sessionId: string) => ({ tenant: 'acme', sessionId });

let world: MemoryWorld;
let forgotten: string[];
beforeEach(() => {
  world = memoryWorld();
  forgotten = [];
});
const io = () => ({
  ...world,
  limits: { forget: async ({ sessionId }: { sessionId: string }) => void forgotten.push(sessionId) },
});
const erase = (deadlineAt?: number) => eraseBuried(io(), deadlineAt);

/** An idle session, listed with that time of its last activity. */
async function make(sessionId: string, at = world.clock.now()) {
  const key = keyOf(sessionId);
  const session = newSession(key, 'test', 'd');
  await world.sessions.create(session);
  const { totals } = session;
  await world.listings.moved(key, { agent: 'test', state: 'completed', steps: 1, totals, at, order: 2 });
  await world.blobs.put(`acme/${sessionId}/content/h`, 'bytes');
  return key;
}

describe('a deleted session', () => {
  test('is erased with the next sweep, and its tombstone two hours later, with everything written since', async () => {
    const key = await make('s1');
    await world.graves.bury(key, world.clock.now());
    expect(await erase()).toEqual({ erased: 1, closed: 0 });
    expect(world.graves.left(key)).toEqual(['graves']);
    expect(forgotten).toEqual(['s1']);
    await world.blobs.put('acme/s1/content/late', 'bytes');
    await world.clock.advance(GRAVE_MS - MINUTE);
    expect(await erase()).toEqual({ erased: 0, closed: 0 });
    await world.clock.advance(MINUTE);
    expect(await erase()).toEqual({ erased: 0, closed: 1 });
    expect(world.graves.left(key)).toEqual([]);
  });

  test('is erased by a later sweep if one dies in the middle, and by no other sweep meanwhile', async () => {
    const key = await make('s1');
    await make('s2');
    for (const id of ['s1', 's2']) await world.graves.bury(keyOf(id), world.clock.now());
    const broken = {
      ...world.graves,
      erase: async (...args: Parameters<typeof world.graves.erase>) => {
        if (args[0].key.sessionId === 's1') throw new Error('the table is down');
        await world.graves.erase(...args);
      },
    };
    await expect(eraseBuried({ ...io(), graves: broken })).rejects.toThrow('the table is down');
    expect(world.graves.left(keyOf('s2'))).toEqual(['graves']);
    expect(await erase()).toEqual({ erased: 0, closed: 0 });
    await world.clock.advance(HELD_MS);
    expect(await erase()).toEqual({ erased: 1, closed: 0 });
    expect(world.graves.left(key)).toEqual(['graves']);
  });

  test('is erased by one of two sweeps that run at once, and the other one ends well', async () => {
    const key = await make('s1');
    await world.graves.bury(key, world.clock.now());
    const both = await Promise.all([erase(), erase()]);
    expect(both.map(({ erased }) => erased).sort()).toEqual([0, 1]);
    expect(forgotten).toEqual(['s1']);
  });

  test('waits if there is no time', async () => {
    const key = await make('s1');
    await world.graves.bury(key, world.clock.now());
    expect(await erase(world.clock.now())).toEqual({ erased: 0, closed: 0 });
    expect(world.graves.left(key)).toContain('blobs');
  });
});

describe('a deleted fork', () => {
  const forksOf = async (sessionId: string) => (await world.sessions.read(keyOf(sessionId)))?.forks;

  test('releases the session that it shares slots with, which may then be deleted', async () => {
    const origin = await make('origin');
    const fork = await make('fork');
    await world.sessions.addFork(origin, 'fork');
    await world.sessions.addFork(origin, 'other');
    await world.graves.bury(fork, world.clock.now(), { origin: 'origin' });
    expect(await forksOf('origin')).toEqual(['fork', 'other']);
    expect(await erase()).toEqual({ erased: 1, closed: 0 });
    expect(await forksOf('origin')).toEqual(['other']);
  });

  test('releases it before its data is erased: a sweep that dies in between does so again', async () => {
    const origin = await make('origin');
    await world.sessions.addFork(origin, 'fork');
    await world.graves.bury(await make('fork'), world.clock.now(), { origin: 'origin' });
    const down = { ...world.graves, erase: () => Promise.reject(new Error('the table is down')) };
    await expect(eraseBuried({ ...io(), graves: down })).rejects.toThrow('the table is down');
    expect(await forksOf('origin')).toEqual([]);
    await world.clock.advance(HELD_MS);
    expect(await erase()).toEqual({ erased: 1, closed: 0 });
  });
});

describe('inactive sessions', () => {
  const ages = () => createAges(world.listings, 2);
  const bury = (of = ages(), deadlineAt?: number) => buryAged({ ...world, ages: of }, 30 * DAY, deadlineAt);
  const living = () => [...world.table.heads.keys()].map((pk) => pk.split('#')[1]).sort();

  test('are deleted when they are old enough, and others are not', async () => {
    await make('old');
    await world.clock.advance(1);
    await make('young', world.clock.now());
    await world.clock.advance(30 * DAY);
    expect(await bury()).toBe(1);
    expect(living()).toEqual(['young']);
    expect(await bury(ages(), world.clock.now() - 1)).toBe(0);
  });

  test('are found on every page of a walk, over several sweeps', async () => {
    for (let i = 0; i < 15; i++) await make(`s${i}`);
    await world.clock.advance(31 * DAY);
    const walk = ages();
    expect(await bury(walk)).toBe(10);
    expect(await bury(walk)).toBe(5);
    expect(living()).toEqual([]);
  });

  test('stay if they run, wait, or have moved since the lists were written', async () => {
    for (const id of ['due', 'ran', 'talks']) await make(id);
    await world.clock.advance(31 * DAY);
    const now = world.clock.now();
    const event = { id: 'e1', text: 'hello', digest: 'd', at: now };
    await world.inbox.accept(keyOf('due'), event, now);
    const ran = world.table.heads.get('acme#ran');
    if (!ran) throw new Error('it is not there');
    const lastEnding = { state: 'completed', message: 'done', at: now } as never;
    world.table.heads.set('acme#ran', { ...ran, session: { ...ran.session, lastEnding } });
    // Between the read of HEAD and its deletion a whole run comes and goes, which the lists do not show.
    const walk = ages();
    const late = {
      ...walk,
      async movedAt(key: ReturnType<typeof keyOf>) {
        const head = world.table.heads.get('acme#talks');
        if (key.sessionId === 'talks' && head)
          world.table.heads.set('acme#talks', { ...head, epoch: head.epoch + 1 });
        return walk.movedAt(key);
      },
    };
    expect(await bury(late)).toBe(0);
    expect(living()).toEqual(['due', 'ran', 'talks']);
  });
});
