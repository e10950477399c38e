import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connect,
  type Flood,
  hardlySlowed,
  type NoisyNeighbor,
  noisyNeighbor,
  read,
} from '../support/noisy-neighbor.ts';

let neighbor: NoisyNeighbor;
beforeAll(async () => {
  neighbor = await noisyNeighbor();
});
afterAll(() => neighbor?.[Symbol.asyncDispose]());

/** One flood for each function that answers clients. `test/commands/noisy-tenant.test.ts` has the other kinds. */
const floods: readonly [string, Flood][] = [
  ['lists', { request: () => ['GET', '/sessions'], ask: read }],
  ['reads of a chat', { request: ({ theirs }) => ['GET', `/chat/${theirs}/messages`], ask: read }],
  ['connects, for the other’s connects too,', { request: () => ['POST', '/tickets'], ask: connect }],
];

test.each(floods)(
  'a tenant’s flood of %s leaves another’s median under twice its quiet one',
  (_kind, flood) => hardlySlowed(neighbor, flood),
);

test('of 300 lists at once some are refused with 429 and Retry-After, and another tenant’s requests pass them by', async () => {
  await neighbor.atRest();
  const call = await neighbor.as('quiet');
  const headers = await neighbor.headersOf('noisy');
  const lists = Array.from({ length: 300 }, () =>
    fetch(`${neighbor.world.stack.outputs.HttpUrl}/sessions`, { headers }),
  );
  let answered = 0;
  for (const list of lists) void list.finally(() => answered++);
  for (let n = 0; n < 3; n++) await read(neighbor, call);
  expect(answered).toBeLessThan(lists.length);
  const answers = await Promise.all(lists);
  const refused = answers.filter(({ status }) => status === 429);
  // How many depends on the time that they take: each second has its own allowance.
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers: sent } of refused) expect(sent.get('retry-after')).toBe('1');
});
