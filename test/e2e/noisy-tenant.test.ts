import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NoisyNeighbor, noisyNeighbor, read } from '../support/noisy-neighbor.ts';

let neighbor: NoisyNeighbor;
beforeAll(async () => {
  neighbor = await noisyNeighbor();
});
afterAll(() => neighbor?.[Symbol.asyncDispose]());

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
