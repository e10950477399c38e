import { beforeEach, describe, expect, test } from 'vitest';
import type { Memory, Rememberer } from '../../../shared/agent/memories/memory.ts';
import { memoryOf } from '../../../shared/agent/memories/open.ts';
import { MAX_FACTS } from '../../../shared/agent/memories/remember.ts';
import type { Caller } from '../../../shared/agent/session/caller.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

let world: MemoryWorld;
beforeEach(() => {
  world = memoryWorld();
});

/** A user who logs in with a JWT. */
const person = (subject: string): Caller => ({
  ...{ tenant: 'acme', subject, kind: 'jwt', roles: [], channel: 'http' },
});
const only = (subject: string) => ({ user: person(subject), requesters: [person(subject)] });

const ada: Rememberer = {
  ...{ tenant: 'acme', sessionId: 's1', idempotencyKey: 'acme:s1:1:c1:x' },
  ...only('user:ada'),
};

const of = (who: Partial<Rememberer> = {}, signal = new AbortController().signal): Memory =>
  memoryOf({ ...ada, ...who }, world, signal);
const textsOf = async (memory: Memory, query = '') =>
  (await memory.search(query)).facts.map(({ text }) => text);

describe('H6: a saved fact', () => {
  test('is available to later sessions, with its author, time and session', async () => {
    const { fact, known } = await of().save('  Ada is allergic to peanuts. ', 'user');
    expect(known).toBe(false);
    expect(fact).toEqual({
      id: expect.stringMatching(/^u[0-9a-f]{24}$/),
      text: 'Ada is allergic to peanuts.',
      at: world.clock.now(),
      sessionId: 's1',
      by: ['user:ada'],
      scope: 'user',
    });
    const later = of({ sessionId: 's2', idempotencyKey: 'other' });
    expect(await later.search('allergies')).toEqual({ facts: [fact], matching: 1, of: 1 });
  });

  test('is kept once, however often its call is made', async () => {
    const first = await of().save('The office is in Berlin.', 'tenant');
    await world.clock.advance(60_000);
    const again = await of().save('The office is in Berlin.', 'tenant');
    expect(again.fact).toEqual(first.fact);
    expect(await textsOf(of())).toEqual(['The office is in Berlin.']);
  });

  test('is kept once, also by two attempts at one call at the same moment', async () => {
    const saved = await Promise.all([1, 2].map(() => of().save('The office is in Berlin.', 'tenant')));
    expect(new Set(saved.map(({ fact }) => fact.id)).size).toBe(1);
    expect(await textsOf(of())).toHaveLength(1);
  });

  test('that is known is not kept twice, from any user and in any letter case', async () => {
    await of().save('The office is in Berlin.', 'tenant');
    const bob = of({ ...only('user:bob'), idempotencyKey: 'other' });
    const { known, fact } = await bob.save('the  office is\nin BERLIN.', 'tenant');
    expect([known, fact.by]).toEqual([true, ['user:ada']]);
    expect(await textsOf(of())).toHaveLength(1);
  });

  test('has no invisible or unsupported characters', async () => {
    const { fact } = await of().save('one\u0000two \ud800\n\tthree\u001b[31m', 'user');
    expect(fact.text).toBe('one two \ufffd\n\tthree [31m');
  });
});

describe('nothing is saved, and a sentence says why', () => {
  test.each<[string, string, RegExp]>([
    ['that is empty', ' \n ', /nothing to save/],
    ['with only control characters', '\u0000\u0007', /nothing to save/],
    ['that is too long', 'x'.repeat(2_001), /at most 2000 characters, and this one 2001: save what matters/],
    ['with a credential', `The key is ${'AKIA'}IOSFODNN7EXAMPLE.`, /an AWS access key.*no place for secrets/],
  ])('for a text %s', async (_what, text, why) => {
    await expect(of().save(text, 'user')).rejects.toThrow(why);
    expect(await textsOf(of())).toEqual([]);
  });

  test('if the memory is full: existing facts stay, and known ones are still known', async () => {
    const fact = { at: 1, sessionId: 's0', by: [] };
    for (let i = 0; i < MAX_FACTS; i++)
      await world.memories.save({ tenant: 'acme' }, { ...fact, id: `t${i}`, text: `fact ${i}` });
    await expect(of().save('one more', 'tenant')).rejects.toThrow(
      /full, with 1000 facts.*DELETE \/memories\/\{memoryId\}/,
    );
    expect(await of().save('fact 7', 'tenant')).toMatchObject({ known: true });
    expect((await of().search('')).of).toBe(MAX_FACTS);
    // Another user's memory is not full.
    await of().save('one more', 'user');
    await world.memories.forget({ tenant: 'acme' }, 't7');
    await of().save('one more', 'tenant');
  });

  test('for a person if the run has no requester, or more than one', async () => {
    const { user: _user, ...unnamed } = ada;
    const requesters = [person('user:ada'), person('user:bob')];
    const several = memoryOf({ ...unnamed, requesters }, world, new AbortController().signal);
    await expect(several.save('x', 'user')).rejects.toThrow('no single person');
    await expect(several.search('x', { scopes: ['user'] })).rejects.toThrow('no single person');
    await several.save('shared', 'tenant');
    expect(await textsOf(several)).toEqual(['shared']);
  });

  test('by a call that has ended', async () => {
    const over = AbortSignal.abort(new Error('the tool took too long'));
    await expect(of({}, over).save('late', 'user')).rejects.toThrow('took too long');
    await expect(of({}, over).search('late')).rejects.toThrow('took too long');
    expect(await textsOf(of())).toEqual([]);
  });

  test('by a call that ends while it looks up known facts', async () => {
    const over = new AbortController();
    const all: typeof world.memories.all = async (owner) => {
      over.abort(new Error('the tool took too long'));
      return world.memories.all(owner);
    };
    const slow = memoryOf(ada, { ...world, memories: { ...world.memories, all } }, over.signal);
    await expect(slow.save('late', 'user')).rejects.toThrow('took too long');
    expect(await textsOf(of())).toEqual([]);
  });
});

describe('a search', () => {
  test("finds the caller's own and shared facts, and none of other users", async () => {
    await of().save('Ada likes tea.', 'user');
    await of().save('The office has tea.', 'tenant');
    await of(only('user:bob')).save('Bob likes tea.', 'user');
    await of({ tenant: 'globex' }).save('Globex sells tea.', 'tenant');
    await of({ tenant: 'globex' }).save('Ada of Globex likes tea.', 'user');
    expect((await textsOf(of(), 'tea')).sort()).toEqual(['Ada likes tea.', 'The office has tea.']);
    expect(await textsOf(of(only('user:eve')), 'tea')).toEqual(['The office has tea.']);
    expect(await textsOf(of({ ...only('user:eve'), tenant: 'initech' }), 'tea')).toEqual([]);
    const { facts } = await of().search('tea', { scopes: ['user'] });
    expect(facts.map(({ text }) => text)).toEqual(['Ada likes tea.']);
  });

  test('returns 8 facts, or as many as requested, 20 at most, and says how many there are', async () => {
    for (let i = 0; i < 30; i++) {
      await of({ idempotencyKey: String(i) }).save(`Room ${i} is green.`, 'tenant');
      await world.clock.advance(1);
    }
    const green = await of().search('green');
    expect([green.facts.length, green.matching, green.of]).toEqual([8, 30, 30]);
    const sizes = [1, 20, 500, 0, -3].map(
      async (most) => (await of().search('green', { most })).facts.length,
    );
    expect(await Promise.all(sizes)).toEqual([1, 20, 20, 1, 1]);
    // Without a query, the newest.
    expect((await textsOf(of())).slice(0, 2)).toEqual(['Room 29 is green.', 'Room 28 is green.']);
  });

  test('does not find a forgotten fact, even in a warm environment', async () => {
    const { fact } = await of().save('The code name is Falcon.', 'tenant');
    expect(await textsOf(of(), 'falcon')).toHaveLength(1);
    await world.memories.forget({ tenant: 'acme' }, fact.id);
    expect(await textsOf(of(), 'falcon')).toEqual([]);
  });
});
