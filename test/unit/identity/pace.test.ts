import { describe, expect, test, vi } from 'vitest';
import { unitsOfBytes } from '../../../functions/middleware/byte-units.ts';
import { createPace as paceOf } from '../../../functions/middleware/pace.ts';
import { isFree, unitsOf } from '../../../functions/middleware/request-units.ts';
import type { RequestCounts } from '../../../shared/edge/request-counts.ts';
import { createRequestCounts } from '../../../shared/memory/request-counts.ts';
import { writtenBy } from '../../support/written.ts';

const createPace = (counts: RequestCounts, perSecond: number) => paceOf(async () => counts, perSecond);
const asked = (tenant = 'acme', units = 1, at = 5_000) => ({ tenant, units, at });
/** How many of these requests are admitted, each in turn by one of the environments. */
async function admitted(
  environments: readonly ReturnType<typeof createPace>[],
  count: number,
  one = asked(),
) {
  let passed = 0;
  for (let n = 0; n < count; n++)
    await environments[n % environments.length]?.admit(one).then(
      () => passed++,
      () => undefined,
    );
  return passed;
}

describe('a tenant’s requests in a second', () => {
  test('are refused with 429 and Retry-After beyond the limit, and those of other tenants are not', async () => {
    const pace = createPace(createRequestCounts(), 100);
    expect(await admitted([pace], 500)).toBe(110);
    const error = await pace.admit(asked()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      problem: { status: 429, title: 'Too many requests', detail: expect.any(String) },
      headers: { 'retry-after': '1' },
    });
    await pace.admit(asked('globex'));
    await pace.admit(asked('acme', 1, 6_000));
  });

  test('are counted over all environments, and each may give a tenth of the limit in addition', async () => {
    const counts = createRequestCounts();
    const environments = Array.from({ length: 4 }, () => createPace(counts, 100));
    expect(await admitted(environments, 1_000)).toBe(140);
  });

  test('cost no call of the table while they are few, one call for many, and none once they are refused', async () => {
    const counts = createRequestCounts();
    const take = vi.spyOn(counts, 'take');
    const pace = createPace(counts, 100);
    expect(await admitted([pace], 10)).toBe(10);
    expect(take).not.toHaveBeenCalled();
    expect(await admitted([pace], 20)).toBe(20);
    expect(take).toHaveBeenCalledTimes(1);
    await admitted([pace], 1_000);
    // Five for the limit, and two that were refused, for a lot and for a smaller one.
    expect(take.mock.calls.length).toBeLessThan(10);
    take.mockClear();
    await admitted([pace], 1_000);
    expect(take).not.toHaveBeenCalled();
  });

  test('count in the second in which they came, however long they have waited for a function', async () => {
    const pace = createPace(createRequestCounts(), 100);
    expect(await admitted([pace], 500, asked('acme', 1, 5_900))).toBe(110);
    expect(await admitted([pace], 500, asked('acme', 1, 6_000))).toBe(110);
    expect(await admitted([pace], 5, asked('acme', 1, 5_100))).toBe(0);
  });

  test('pay for what earlier ones turned out to need', async () => {
    const pace = createPace(createRequestCounts(), 100);
    await pace.admit(asked());
    pace.spent(asked(), 89);
    expect(await admitted([pace], 500)).toBe(20);
  });

  test('that count for more than the limit are admitted, one in a second', async () => {
    const pace = createPace(createRequestCounts(), 100);
    expect(await admitted([pace], 5, asked('acme', 5_000))).toBe(1);
  });

  test('are admitted if the table does not answer, and the log says so', async () => {
    const counts: RequestCounts = { take: () => Promise.reject(new Error('throttled')) };
    const lines = await writtenBy(async () => {
      expect(await admitted([createPace(counts, 10)], 5)).toBe(5);
    });
    expect(lines[0]).toMatchObject({ level: 'WARN', tenant: 'acme', detail: 'throttled' });
  });

  test('of thousands of tenants are not remembered for ever', async () => {
    const pace = createPace(createRequestCounts(), 10);
    await pace.admit(asked('first'));
    for (let n = 0; n < 1_000; n++) await pace.admit(asked(`t${n}`));
    // A forgotten tenant has its free share again; the table still has the count.
    expect(await admitted([pace], 1, asked('first'))).toBe(1);
  });
});

describe('what a request counts for', () => {
  const body = (value: unknown) => JSON.stringify(value);
  const upload = { name: 'a', mediaType: 'text/plain', bytes: 7 * 1024 * 1024 };
  test.each<[string, string, string | undefined, number]>([
    ['a read', 'GET /sessions/{sessionId}', undefined, 1],
    ['a list', 'GET /sessions', undefined, 10],
    ['a history, which reads the steps of many sessions', 'GET /history', undefined, 100],
    ['a message of 200 KB', 'POST /sessions/{sessionId}/messages', 'x'.repeat(200 * 1024), 4],
    ['an upload, by the bytes that it announces', 'POST /uploads', body(upload), 8],
    ['an upload that its route will refuse', 'POST /uploads', body({ bytes: 1e300 }), 1],
    ['a body that is no JSON', 'POST /uploads', '{', 1],
  ])('%s', (_, routeKey, sent, units) => {
    expect(unitsOf({ routeKey, ...(sent !== undefined && { body: sent }) })).toBe(units);
  });

  test('an answer counts by its bytes', () => {
    expect([unitsOfBytes(0), unitsOfBytes(1024 * 1024)]).toEqual([0, 16]);
  });

  test('stopping a run is always possible', () => {
    expect(isFree({ routeKey: 'POST /sessions/{sessionId}/cancel' })).toBe(true);
    expect(isFree({ routeKey: 'POST /sessions/{sessionId}/messages' })).toBe(false);
    const rpc = (said: object | string) => ({
      routeKey: 'POST /a2a/{agent}',
      body: typeof said === 'string' ? said : JSON.stringify(said),
    });
    for (const method of ['CancelTask', 'tasks/cancel']) expect(isFree(rpc({ method }))).toBe(true);
    for (const said of [{ method: 'SendMessage', params: { method: 'tasks/cancel' } }, '[]', 'null', '{'])
      expect(isFree(rpc(said))).toBe(false);
  });
});
