import { beforeEach, describe, expect, test } from 'vitest';
import type { Fact, Memories, Owner } from '../../shared/agent/memories/store.ts';
import { now, oddText } from './harness.ts';

const aFact = (id: string, over: Partial<Fact> = {}): Fact => ({
  id,
  text: `text of ${id}`,
  at: now,
  sessionId: 's1',
  by: ['user:ada'],
  ...over,
});

const acme: Owner = { tenant: 'acme' };
const ada: Owner = { tenant: 'acme', user: 'user:ada' };

/** Owners whose names could be confused with another's. */
const others: readonly Owner[] = [
  { tenant: 'globex' },
  { tenant: 'globex', user: 'user:ada' },
  { tenant: 'acme', user: 'user:bob' },
  { tenant: 'acme', user: '' },
  { tenant: 'acme', user: 'tenant' },
  { tenant: 'acme', user: 'user:ada#' },
  { tenant: 'acme', user: 'user:ada#user:ada' },
  { tenant: 'acme', user: '../user:ada' },
  { tenant: 'acme', user: 'USER:ADA' },
  { tenant: 'acme#memory#user', user: 'user:ada' },
];

/** The contract of `Memories`. */
export function memoriesContract(name: string, open: () => Promise<Memories>): void {
  describe(`${name}: memories`, () => {
    let memories: Memories;
    beforeEach(async () => {
      memories = await open();
    });

    test('a fact is read as it was saved', async () => {
      const fact = aFact('t1', { text: oddText.toWellFormed(), by: [] });
      expect(await memories.save(acme, fact)).toEqual(fact);
      expect(await memories.all(acme)).toEqual([fact]);
    });

    test('a fact that is saved again stays as it was first', async () => {
      await memories.save(acme, aFact('t1'));
      expect(await memories.save(acme, aFact('t1', { text: 'another', at: now + 1 }))).toEqual(aFact('t1'));
      expect(await memories.all(acme)).toEqual([aFact('t1')]);
    });

    test('facts are listed oldest first, however many there are', async () => {
      // More than one page of DynamoDB, which is 1 MB.
      const many = Array.from({ length: 300 }, (_, i) =>
        aFact(`t${i}`, { at: now - i, text: `${i} ${'é'.repeat(2_000)}` }),
      );
      for (const fact of many) await memories.save(acme, fact);
      expect((await memories.all(acme)).map(({ id }) => id)).toEqual(many.map(({ id }) => id).reverse());
    });

    test('a person’s facts and the tenant’s are separate, and so are all others’, whatever their names', async () => {
      await memories.save(ada, aFact('u1', { text: 'hers' }));
      await memories.save(acme, aFact('u1', { text: 'everybody’s' }));
      for (const other of others) {
        expect(await memories.all(other), JSON.stringify(other)).toEqual([]);
        expect(await memories.forget(other, 'u1'), JSON.stringify(other)).toBe('unknown');
      }
      expect((await memories.all(ada)).map(({ text }) => text)).toEqual(['hers']);
      expect((await memories.all(acme)).map(({ text }) => text)).toEqual(['everybody’s']);
    });

    test('a forgotten fact is gone from the next read on, and only that fact', async () => {
      for (const id of ['t1', 't2']) await memories.save(acme, aFact(id));
      await memories.save(ada, aFact('t1'));
      expect(await memories.forget(acme, 't1')).toBe('forgotten');
      expect((await memories.all(acme)).map(({ id }) => id)).toEqual(['t2']);
      expect(await memories.all(ada)).toHaveLength(1);
      expect(await memories.forget(acme, 't1')).toBe('unknown');
      expect(await memories.forget(acme, 'never')).toBe('unknown');
    });
  });
}
