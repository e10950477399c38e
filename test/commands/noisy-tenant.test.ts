/** Each other kind of flood. `test/e2e/noisy-tenant.test.ts` has one for each function that answers clients. */

import { afterAll, beforeAll, test } from 'vitest';
import {
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
