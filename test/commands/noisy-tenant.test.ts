/**
 * Each kind of flood, timed: medians of one tenant beside the flood of another. `test/e2e/noisy-tenant.test.ts` has what holds without a
 * clock.
 */

import { afterAll, beforeAll, test } from 'vitest';
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

const floods: readonly [string, Flood['request']][] = [
  ['lists', () => ['GET', '/sessions']],
  ['reads of a chat', ({ theirs }) => ['GET', `/chat/${theirs}/messages`]],
  ['reads of a session', ({ theirs }) => ['GET', `/sessions/${theirs}`]],
  ['reads of its events', ({ theirs }) => ['GET', `/sessions/${theirs}/events`]],
  ['starts', () => ['POST', '/sessions', { agent: 'worker', message: 'hello' }]],
  ['messages', ({ theirs }) => ['POST', `/sessions/${theirs}/messages`, { message: 'x'.repeat(90_000) }]],
  ['uploads', () => ['POST', '/uploads', { name: 'a.txt', mediaType: 'text/plain', bytes: 10_000_000 }]],
  ['connects', () => ['POST', '/tickets']],
  ['decisions', ({ waiting }) => ['POST', `/sessions/${waiting}/decisions`, { id: 'w1', approved: true }]],
];

test.each(floods)(
  'a tenant’s flood of %s leaves another’s median under twice its quiet one',
  (_kind, request) => hardlySlowed(neighbor, { request, ask: read }),
);

test('a tenant’s flood of connects leaves the median of another’s connects under twice its quiet one', () =>
  hardlySlowed(neighbor, { request: () => ['POST', '/tickets'], ask: connect }));
