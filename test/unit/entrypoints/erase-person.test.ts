import { beforeEach, describe, expect, test } from 'vitest';
import { eraseBuried } from '../../../shared/agent/entrypoints/erase.ts';
import { erasePeople, requestErasure } from '../../../shared/agent/entrypoints/erase-person.ts';
import { GRAVE_MS, HELD_MS } from '../../../shared/agent/entrypoints/graves.ts';
import { type Person, stateOf } from '../../../shared/agent/entrypoints/people.ts';
import { newRun, newSession, type Session } from '../../../shared/agent/session/session.ts';
import { createPeople } from '../../../shared/memory/people.ts';
import { createSchedules } from '../../../shared/memory/schedules.ts';
import { createUploads } from '../../../shared/memory/uploads.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { aSchedule } from '../../contract/schedules.ts';

const MINUTE = 60_000;
const ada: Person = { tenant: 'acme', user: 'user:ada' };
const keyOf = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });

let world: MemoryWorld;
let io: ReturnType<typeof openIo>;
function openIo() {
  return {
    ...world,
    people: createPeople(),
    schedules: createSchedules(),
    uploads: createUploads(world.clock, world.blobs),
    listed: world.listings,
    limits: { forget: async () => undefined },
  };
}
beforeEach(() => {
  world = memoryWorld();
  io = openIo();
});

interface Made extends Partial<Session> {
  readonly tenant?: string;
  /** The user who began it, as lists show it. */
  readonly by?: string | undefined;
  readonly due?: boolean;
}
/** A session, with its entry in the lists and a blob. */
async function make(sessionId: string, { tenant = 'acme', by, due = false, ...over }: Made = {}) {
  const key = keyOf(sessionId, tenant);
  await world.sessions.create({ ...newSession(key, 'test', 'd'), ...over });
  const { totals } = newSession(key, 'test', 'd');
  const standing = { agent: 'test', state: 'completed', steps: 1, totals, at: world.clock.now() } as const;
  const naming = { title: 'A title', source: 'http', ...(by !== undefined && { user: by }) };
  await world.listings.moved(key, { ...standing, order: 2 }, naming);
  await world.blobs.put(`${tenant}/${sessionId}/content/h`, 'bytes');
  if (due) {
    const event = { id: 'e1', text: 'hello', digest: 'd', at: world.clock.now() };
    await world.inbox.accept(key, event, world.clock.now());
  }
  return key;
}
const request = (person = ada) => requestErasure(person, world.clock.now(), io.people);
/** One sweep: the people first, then the tombstones. */
const sweep = async (over: Partial<typeof io> = {}) => {
  const told = await erasePeople({ ...io, ...over });
  await eraseBuried(io);
  return told;
};
const recordOf = async (person = ada) => {
  const record = await io.people.read(person);
  if (!record) throw new Error('there is no record');
  return record;
};
const state = async (person = ada) => stateOf(await recordOf(person));
const living = () => [...world.table.heads.keys()].sort();
/** Sweeps each minute. */
async function minutes(n: number) {
  for (let i = 0; i < n; i++) {
    await sweep();
    await world.clock.advance(MINUTE);
  }
}

describe('deleting the data of a person', () => {
  test('removes the schedules that they have created, and no others', async () => {
    const by = (id: string, subject: string, tenant = 'acme') => {
      const { schedule, ...rest } = aSchedule(id, {}, tenant);
      return io.schedules.create({
        ...rest,
        schedule: { ...schedule, speaker: { by: subject }, user: subject },
      });
    };
    await by('hers', 'user:ada');
    await by('his', 'user:bob');
    await by('other', 'user:ada', 'globex');
    await request();
    await sweep();
    expect([...io.schedules.stored.keys()].sort()).toEqual(['acme#his', 'globex#other']);
  });

  test('deletes the sessions that they began, and no others, and tells when nothing is left', async () => {
    await make('hers', { by: 'user:ada', user: 'user:ada' });
    await make('his', { by: 'user:bob', user: 'user:bob' });
    await make('elsewhere', { tenant: 'globex', by: 'user:ada', user: 'user:ada' });
    await request();
    expect(await state()).toBe('erasing');
    await minutes(3);
    expect(await state()).toBe('erased');
    expect(world.graves.left(keyOf('hers'))).toEqual(['graves']);
    expect(living()).toEqual(['acme#his', 'globex#elsewhere']);
    await world.clock.advance(GRAVE_MS);
    await minutes(3);
    expect(await recordOf()).toMatchObject({
      doneAt: expect.any(Number),
      progress: { sessions: 1, left: 0 },
    });
    expect(world.graves.left(keyOf('hers'))).toEqual([]);
    expect(await io.people.noted(ada)).toEqual([]);
  });

  test('deletes their facts and uploads, and shared facts of runs that had read their messages', async () => {
    const fact = (id: string, by: string[]) => ({ id, text: `fact ${id}`, at: 1, sessionId: 's', by });
    const shared = { tenant: 'acme' };
    await io.memories.save(ada, fact('u1', ['user:ada']));
    await io.memories.save(shared, fact('t1', ['user:ada', 'user:bob']));
    await io.memories.save(shared, fact('t2', ['user:bob']));
    await io.memories.save({ tenant: 'acme', user: 'user:bob' }, fact('u2', ['user:bob']));
    await io.uploads.announce('acme', { id: 'u1', name: 'ada.pdf', by: 'user:ada' });
    await io.uploads.announce('acme', { id: 'u2', name: 'bob.pdf', by: 'user:bob' });
    for (const id of ['u1', 'u2']) await world.blobs.put(`_uploads/acme/${id}`, 'bytes');
    await request();
    await sweep();
    expect(await io.memories.all(ada)).toEqual([]);
    expect((await io.memories.all(shared)).map(({ id }) => id)).toEqual(['t2']);
    expect(await io.memories.all({ tenant: 'acme', user: 'user:bob' })).toHaveLength(1);
    expect(world.blobs.holds('_uploads/acme/u1')).toBe(false);
    expect(world.blobs.holds('_uploads/acme/u2')).toBe(true);
    expect((await recordOf()).progress).toMatchObject({ memories: 2, uploads: 1 });
  });

  test('stops a run, and deletes its session when it is at rest', async () => {
    const key = await make('hers', { by: 'user:ada', due: true });
    await request();
    await minutes(2);
    expect(living()).toEqual(['acme#hers']);
    expect(await state()).toBe('erasing');
    const head = world.table.heads.get('acme#hers');
    expect(head?.cancelGen).toBeGreaterThan(0);
    if (!head) throw new Error('it is not there');
    const { dueAt: _, sweepAt: __, ...rest } = head;
    world.table.heads.set('acme#hers', rest as typeof head);
    await minutes(3);
    expect(living()).toEqual([]);
    expect(world.graves.left(key)).toEqual(['graves']);
    expect(await state()).toBe('erased');
  });

  test('deletes forks of their sessions first, by any user, and forks of those', async () => {
    const origin = (sessionId: string) => ({ origin: [{ sessionId, below: 2 }] });
    await make('hers', { by: 'user:ada' });
    await make('fork', { by: 'user:bob', ...origin('hers') });
    await make('deeper', { by: 'operator', ...origin('fork') });
    await make('his', { by: 'user:bob' });
    await world.sessions.addFork(keyOf('hers'), 'fork');
    await world.sessions.addFork(keyOf('fork'), 'deeper');
    await request();
    await minutes(8);
    expect(living()).toEqual(['acme#his']);
    expect(await state()).toBe('erased');
  });

  test('finds a session whose entry in the lists names no user, by its owner or its only speaker', async () => {
    const run = { ...newRun, id: 'r', ended: true };
    await make('owned', { user: 'user:ada' });
    await make('spoken', { run: { ...run, requesters: ['user:ada'] } });
    await make('both', { run: { ...run, requesters: ['user:ada', 'user:bob'] } });
    await make('unnamed');
    await request();
    await minutes(3);
    expect(living()).toEqual(['acme#both', 'acme#unnamed']);
  });

  test('finds what is written late: a session, a fact', async () => {
    await request();
    await minutes(2);
    expect(await state()).toBe('erased');
    await make('late', { by: 'user:ada' });
    await io.memories.save(ada, { id: 'u1', text: 'late', at: 1, sessionId: 's', by: ['user:ada'] });
    await world.clock.advance(GRAVE_MS);
    await minutes(4);
    expect(living()).toEqual([]);
    expect(await io.memories.all(ada)).toEqual([]);
    expect(await state()).toBe('erased');
    await world.clock.advance(GRAVE_MS);
    await minutes(4);
    expect(await state()).toBe('done');
    expect((await recordOf()).progress).toMatchObject({ sessions: 1, memories: 1 });
  });

  test('a repeated request changes nothing meanwhile, and looks again once all is deleted', async () => {
    await make('hers', { by: 'user:ada' });
    const first = await request();
    await world.clock.advance(1);
    expect((await request()).requestedAt).toBe(first.requestedAt);
    await minutes(3);
    await make('again', { by: 'user:ada' });
    expect(stateOf(await request())).toBe('erasing');
    await minutes(3);
    expect(living()).toEqual([]);
    await world.clock.advance(GRAVE_MS + MINUTE);
    await minutes(4);
    expect(await state()).toBe('done');
    expect((await request()).doneAt).toBeUndefined();
    expect(await state()).toBe('erasing');
  });

  test('a session that later gets the id of a deleted one is another session', async () => {
    await make('hers', { by: 'user:ada' });
    await request();
    await minutes(3);
    await world.clock.advance(GRAVE_MS);
    await eraseBuried(io);
    await make('hers', { by: 'user:bob', user: 'user:bob' });
    await minutes(4);
    expect(living()).toEqual(['acme#hers']);
    expect(await state()).toBe('done');
  });
});

describe('a sweep over deletions of people’s data', () => {
  test.each(['memories', 'uploads', 'listed', 'sessions', 'graves'] as const)(
    'that dies at its %s is continued by a later one, and by no other meanwhile',
    async (at) => {
      await make('hers', { by: 'user:ada', user: 'user:ada' });
      await io.memories.save(ada, { id: 'u1', text: 'x', at: 1, sessionId: 's', by: ['user:ada'] });
      await request();
      const down = () => Promise.reject(new Error('the table is down'));
      const broken = new Proxy(io[at], { get: () => down }) as never;
      await expect(sweep({ [at]: broken })).rejects.toThrow('the table is down');
      expect(await sweep()).toMatchObject({ people: 0 });
      await world.clock.advance(HELD_MS);
      await minutes(3);
      expect(await state()).toBe('erased');
      expect(living()).toEqual([]);
      expect(await io.memories.all(ada)).toEqual([]);
    },
  );

  test('continues its walk where the last one stopped', async () => {
    for (let i = 0; i < 1_300; i++) await make(`s${i}`, { by: i % 400 === 0 ? 'user:ada' : 'user:bob' });
    await request();
    const pages: (string | undefined)[] = [];
    const listed = {
      page: async (...[tenant, query]: Parameters<typeof io.listed.page>) => {
        pages.push(query.after);
        // The time of a sweep is over after one page.
        await world.clock.advance(MINUTE);
        return io.listed.page(tenant, query);
      },
    };
    const until = () => world.clock.now() + MINUTE / 2;
    for (let i = 0; i < 3; i++) await erasePeople({ ...io, listed: listed as never }, until());
    expect(new Set(pages).size).toBe(3);
    await minutes(4);
    expect(await state()).toBe('erased');
    expect(living()).toHaveLength(1_296);
  });

  test('walks again until a whole walk finds nothing, because a session may move in the lists meanwhile', async () => {
    await make('hers', { by: 'user:ada' });
    await make('moving', { by: 'user:ada' });
    let walks = 0;
    const listed = {
      page: async (...asked: Parameters<typeof io.listed.page>) => {
        const page = await io.listed.page(...asked);
        walks += 1;
        return walks > 1
          ? page
          : { sessions: page.sessions.filter(({ sessionId }) => sessionId !== 'moving') };
      },
    };
    await request();
    for (let i = 0; i < 4; i++) await sweep({ listed: listed as never });
    expect(living()).toEqual([]);
    expect(await state()).toBe('erased');
  });

  test('ends its walks although lists still show a deleted session', async () => {
    await make('hers', { by: 'user:ada' });
    const stale = await io.listed.page('acme', { limit: 10 });
    await request();
    const sweeps = async () => {
      for (let i = 0; i < 4; i++) await sweep({ listed: { page: async () => stale } as never });
    };
    await sweeps();
    expect(await state()).toBe('erased');
    await world.clock.advance(GRAVE_MS);
    await sweeps();
    expect(await state()).toBe('done');
  });

  test('ends although lists show a session that does not exist', async () => {
    await make('ghost', { by: 'user:ada' });
    world.table.heads.delete('acme#ghost');
    await request();
    await minutes(4);
    expect(await state()).toBe('erased');
  });

  test('does not count a session as erased before its data is, nor handle what waits for its time', async () => {
    await make('hers', { by: 'user:ada' });
    await request();
    for (let i = 0; i < 4; i++) await erasePeople(io);
    expect(await state()).toBe('erasing');
    expect((await recordOf()).progress).toMatchObject({ left: 1, waiting: 0 });
    await eraseBuried(io);
    await erasePeople(io);
    expect(await state()).toBe('erased');
    expect(await sweep()).toMatchObject({ people: 0 });
  });

  test('leaves sessions for the next one when its time is over', async () => {
    await make('hers', { by: 'user:ada' });
    await request();
    const late = {
      page: async (...asked: Parameters<typeof io.listed.page>) => {
        await world.clock.advance(MINUTE);
        return io.listed.page(...asked);
      },
    };
    await erasePeople({ ...io, listed: late as never }, world.clock.now() + 1);
    expect(living()).toEqual(['acme#hers']);
    await minutes(3);
    expect(await state()).toBe('erased');
  });

  test('begins nothing when its time is over', async () => {
    await make('hers', { by: 'user:ada' });
    await request();
    expect(await erasePeople(io, world.clock.now())).toEqual({ people: 0, done: [] });
    expect(living()).toEqual(['acme#hers']);
  });

  test('reports each that has ended, for the audit line', async () => {
    await request();
    await minutes(2);
    await world.clock.advance(GRAVE_MS);
    const told = [await sweep(), await sweep()];
    expect(told.flatMap(({ done }) => done)).toMatchObject([{ person: ada, doneAt: expect.any(Number) }]);
  });
});
