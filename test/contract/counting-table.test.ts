import { describe, expect, test } from 'vitest';
import { createLedger, type Ledger } from '../../bench/scale/table/ledger.ts';
import { countingTable } from '../../bench/scale/table/table.ts';
import { createBudgets } from '../../shared/aws/budgets.ts';
import type { Dynamo } from '../../shared/aws/dynamo.ts';
import { budgetLimitsKey, headKey } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import { createListed } from '../../shared/aws/listed.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { createSigns } from '../../shared/aws/signs.ts';
import { createBlobs } from '../../shared/memory/blobs.ts';
import { countingIds } from '../../testing/memory-world.ts';
import { storesOn } from './aws-stores.ts';
import { eventLogContract } from './event-log.ts';
import { anEvent, aSession, key, now } from './harness.ts';
import { inboxStoreContract } from './inbox-store.ts';
import { limitsContract } from './limits.ts';
import { listingsContract } from './listings.ts';
import { sessionStoreContract } from './session-store.ts';
import { signsContract } from './signs.ts';
import { tenantBudgetsContract } from './tenant-budgets.ts';

// The table that benches count on must be the one that the adapters were written for.
const table = (ledger: Ledger = createLedger(() => now)) => copying(countingTable(ledger));
const open = async () => storesOn(createBlobs(), table());
sessionStoreContract('counting table', open);
inboxStoreContract('counting table', open);
eventLogContract('counting table', open);
tenantBudgetsContract('counting table', async (limits = {}) => {
  const dynamo = table();
  for (const [tenant, { tokens, microUsd, steps }] of Object.entries(limits)) {
    const usdPerDay = microUsd === undefined ? undefined : microUsd / 1e6;
    await dynamo.put({ ...budgetLimitsKey(tenant), tokensPerDay: tokens, usdPerDay, stepsPerDay: steps });
  }
  return createBudgets({ dynamo, clock: { now: () => now } });
});
limitsContract('counting table', async (clock, options) => {
  const dynamo = table();
  return {
    ...storesOn(createBlobs(), dynamo),
    limits: createLimits(dynamo, { clock, ids: countingIds() }, options),
  };
});

listingsContract('counting table', async () => {
  const dynamo = table();
  return { ...createListings(dynamo), ...createListed(dynamo) };
});
signsContract('counting table', async () => createSigns(table()));

describe('a counting table counts', () => {
  test('units of the hottest key of each kind, with the index apart from the item', async () => {
    let at = now;
    const ledger = createLedger(() => at);
    const { sessions, inbox } = storesOn(createBlobs(), table(ledger));
    const second = { ...key, sessionId: 's2' };
    await sessions.create(aSession());
    await sessions.create(aSession({ key: second }));
    at += 1000;
    await inbox.accept(key, anEvent('e1'), now);
    at += 1000;
    await inbox.accept(key, anEvent('e2'), now);
    await inbox.accept(second, anEvent('e1'), now);
    await sessions.read(key);
    const heats = new Map(ledger.heats(2).map((heat) => [heat.kind, heat]));
    expect(heats.get('HEAD')).toMatchObject({
      own: true,
      keys: 2,
      writes: 5,
      writesASecond: 1,
      readsASecond: 1,
    });
    expect(heats.get('events')).toMatchObject({ own: true, keys: 2, writes: 3 });
    // Two sessions became due in two seconds. The second event changed nothing.
    expect(heats.get('index due')).toMatchObject({ own: false, writes: 2 });
  });

  test('units of a shared key in its worst seconds, as far as they are not chance', () => {
    let at = now;
    const ledger = createLedger(() => at);
    const use = { kind: 'index due', id: 'due', own: false, read: 0 };
    const writesASecond = () => ledger.heats(100)[0]?.writesASecond;
    for (let n = 0; n < 100; n++) {
      at += 1000;
      ledger.count({ ...use, write: 10 });
    }
    expect(writesASecond()).toBe(10);
    ledger.count({ ...use, write: 10 });
    expect(writesASecond()).toBeCloseTo(10, 0);
    ledger.count({ ...use, write: 1000 });
    expect(writesASecond()).toBeGreaterThan(150);
  });

  test('a write by the size of the item, also a refused one', async () => {
    const ledger = createLedger(() => now);
    const dynamo = table(ledger);
    const big = { ...headKey(key), text: 'x'.repeat(5 * 1024) };
    await dynamo.put(big);
    const refused = await dynamo.put({ ...headKey(key) }, ['attribute_not_exists(#pk)']);
    expect(refused).toEqual({ kind: 'refused', item: big });
    expect(ledger.heats(1)).toMatchObject([{ kind: 'HEAD', writes: 12 }]);
  });

  test('no item larger than DynamoDB allows', async () => {
    const put = table().put({ ...headKey(key), text: 'x'.repeat(410 * 1024) });
    await expect(put).rejects.toThrow('ValidationException');
  });

  test('an expression that it cannot read as an error', async () => {
    const change = table().update({ key: headKey(key), set: ['#a = list_append(#a, :b)'], when: [] });
    await expect(change).rejects.toThrow('cannot read the expression');
  });
});

/** Copies values as a wire does, so that callers share none with the table. */
function copying(dynamo: Dynamo): Dynamo {
  const copied = async <T>(answer: Promise<T>) => structuredClone(await answer);
  return {
    get: (...args) => copied(dynamo.get(...structuredClone(args))),
    getAll: (...args) => copied(dynamo.getAll(...structuredClone(args))),
    put: (...args) => copied(dynamo.put(...structuredClone(args))),
    update: (update) => copied(dynamo.update(structuredClone(update))),
    remove: (...args) => copied(dynamo.remove(...structuredClone(args))),
    async *range(...args) {
      for await (const item of dynamo.range(...args)) yield structuredClone(item);
    },
    async *index(query) {
      for await (const page of dynamo.index(query)) yield structuredClone(page);
    },
  };
}
