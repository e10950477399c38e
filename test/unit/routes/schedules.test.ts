import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import {
  deleteSchedule,
  listSchedules,
  postPause,
  postResume,
  postRun,
  postSchedule,
  readSchedule,
  readTicks,
} from '../../../functions/routes/schedules.ts';
import { ScheduleBody, SchedulesBody, TicksBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { aSession } from '../../contract/harness.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { aSchedule, scheduleWorld, triage } from '../schedules/schedule-world.ts';

const routes = {
  ...{ deleteSchedule, listSchedules, postPause, postResume },
  ...{ postRun, postSchedule, readSchedule, readTicks },
};

let world: Awaited<ReturnType<typeof scheduleWorld>>;
beforeEach(async () => {
  world = await scheduleWorld();
});

const jwt = (sub: string, roles: string[] = [], tenant = 'acme'): Identity => ({
  ...{ tenant, subject: `user:${sub}`, kind: 'jwt', roles },
});
const ada = jwt('ada');
const key = (id: string, tenant = 'acme'): Identity => ({
  tenant,
  subject: `key:${tenant}.${id}`,
  kind: 'key',
});
const everyone: readonly [string, Identity][] = [
  ['owner', ada],
  ['stranger', jwt('bob')],
  ['operator', jwt('olga', ['steploop-operator'])],
  ['admin', jwt('anna', ['steploop-admin'])],
  ['key', key('aaaaaaaaaaaa')],
  ['token', { tenant: 'acme', subject: 'operator', kind: 'token' }],
  ['admin of another tenant', jwt('eve', ['steploop-admin'], 'globex')],
];

const daily = { name: 'Report', agent: 'triage', when: { cron: '30 8 * * *' }, message: 'Write it.' };

interface Asked {
  readonly body?: unknown;
  readonly id?: string;
  readonly query?: Record<string, string>;
  readonly idempotencyKey?: string;
}
async function ask(route: Route, who: Identity, { body, id, query, idempotencyKey }: Asked = {}) {
  const event = {
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    pathParameters: { scheduleId: id },
    queryStringParameters: query,
    body: JSON.stringify(body),
  };
  const context = { ...memoryEdge(world), io: world, schedules: world.schedules, agents: [triage] };
  try {
    const answer = await route(
      event as unknown as APIGatewayProxyEventV2,
      who,
      context as unknown as RouteContext,
    );
    return { status: answer.statusCode, body: JSON.parse(answer.body ?? '') };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.problem.status, body: error.problem };
  }
}
const create = async (who = ada, over: object = {}) => {
  const { status, body } = await ask(routes.postSchedule, who, { body: { ...daily, ...over } });
  expect(status).toBe(201);
  return ScheduleBody.parse(body).scheduleId;
};

test('a schedule is created in the caller’s name, without the roles of that moment', async () => {
  const admin = jwt('anna', ['steploop-admin']);
  const id = await create(admin, { zone: 'Europe/Berlin', into: 'same', overlap: 'queue' });
  const { body } = await ask(routes.readSchedule, admin, { id });
  expect(ScheduleBody.parse(body)).toMatchObject({
    ...daily,
    ...{ zone: 'Europe/Berlin', into: 'same', overlap: 'queue', catchUp: 'last', declared: false },
    ...{ createdBy: 'user:anna', state: 'active', nextAt: '2026-11-28T07:30:00.000Z', waiting: 0 },
  });
  const stored = await world.schedules.read({ tenant: 'acme', id });
  expect(stored?.schedule.speaker).toEqual({
    by: 'user:anna',
    caller: { kind: 'jwt', channel: 'schedule', zone: 'Europe/Berlin' },
  });
});

test('an Idempotency-Key creates it once, and refuses another one', async () => {
  const asked = { body: daily, idempotencyKey: 'k1' };
  const first = await ask(routes.postSchedule, ada, asked);
  expect(await ask(routes.postSchedule, ada, asked)).toEqual(first);
  expect((await ask(routes.postSchedule, jwt('bob'), asked)).body.scheduleId).not.toBe(first.body.scheduleId);
  const other = { ...asked, body: { ...daily, message: 'Other.' } };
  expect((await ask(routes.postSchedule, ada, other)).status).toBe(422);
  expect(world.schedules.stored.size).toBe(2);
});

test.each([
  [{ when: { cron: '0 0 30 2 *' } }, 400, 'when.cron'],
  [{ when: { cron: 'at nine' } }, 400, 'when.cron'],
  [{ when: { at: '2026-11-27T08:00' } }, 400, 'when.at'],
  [{ when: { every: '10s' } }, 400, 'when'],
  [{ zone: 'Mars/Olympus' }, 400, 'zone'],
  [{ message: ' ' }, 400, 'message'],
  [{ message: 'x'.repeat(10_001) }, 400, 'message'],
  [{ overlap: 'twice' }, 400, 'overlap'],
  [{ budget: { usd: 0, per: 'day' } }, 400, 'budget'],
  [{ tenant: 'globex' }, 400, ''],
  [{ callbackUrl: 'http://169.254.169.254/' }, 400, 'callbackUrl'],
  [{ agent: 'absent' }, 404, undefined],
  [{ into: { sessionId: 'nothere' } }, 404, undefined],
])('refuses %j', async (over, status, path) => {
  const { status: got, body } = await ask(routes.postSchedule, ada, { body: { ...daily, ...over } });
  expect(got).toBe(status);
  if (path) expect(body.errors.map((error: { path: string }) => error.path).join()).toContain(path);
  expect(world.schedules.stored.size).toBe(0);
});

test('a schedule writes into no session that its creator may not see, or that another agent has', async () => {
  const into = { sessionId: 's1' };
  await world.sessions.create(aSession({ user: 'user:ada', agent: 'triage' }));
  expect((await ask(routes.postSchedule, jwt('bob'), { body: { ...daily, into } })).status).toBe(404);
  expect((await ask(routes.postSchedule, ada, { body: { ...daily, into } })).status).toBe(201);
  await world.sessions.create(aSession({ key: { tenant: 'acme', sessionId: 's2' }, agent: 'other' }));
  const wrong = { ...daily, into: { sessionId: 's2' } };
  expect((await ask(routes.postSchedule, key('a'), { body: wrong })).status).toBe(400);
});

describe('everyone at every door', () => {
  const doors = [
    ['readSchedule', [200, 404, 200, 200, 200, 200, 404]],
    ['readTicks', [200, 404, 200, 200, 200, 200, 404]],
    ['postPause', [200, 404, 403, 200, 403, 200, 404]],
    ['postResume', [200, 404, 403, 200, 403, 200, 404]],
    ['postRun', [202, 404, 403, 202, 403, 202, 404]],
    ['deleteSchedule', [200, 404, 403, 200, 403, 200, 404]],
  ] as const;
  test.each(doors)('%s of a schedule that a user has created', async (door, expected) => {
    for (const [i, [name, who]] of everyone.entries()) {
      const id = await create();
      expect((await ask(routes[door], who, { id })).status, name).toBe(expected[i]);
    }
  });

  test.each([
    ['readSchedule', [404, 404, 200, 200, 200, 200, 404]],
    ['postPause', [404, 404, 403, 200, 403, 200, 404]],
    ['postRun', [404, 404, 403, 202, 403, 202, 404]],
    ['deleteSchedule', [404, 404, 403, 409, 403, 409, 404]],
  ] as const)('%s of a schedule of the definition', async (door, expected) => {
    for (const [i, [name, who]] of everyone.entries()) {
      await world.add(aSchedule({ declared: true, speaker: { by: 'schedule:report' } }));
      expect((await ask(routes[door], who, { id: 'report' })).status, name).toBe(expected[i]);
    }
  });

  test('lists have what each may see', async () => {
    const his = await create(jwt('bob'));
    const hers = await create();
    await create(jwt('eve', [], 'globex'));
    for (const [i, [name, who]] of everyone.entries()) {
      const { body } = await ask(routes.listSchedules, who);
      const ids = SchedulesBody.parse(body).schedules.map(({ scheduleId }) => scheduleId);
      const both = [his, hers].sort();
      const expected = [[hers], [his], both, both, both, both];
      if (expected[i]) expect(ids.sort(), name).toEqual(expected[i]);
      else expect(ids).toHaveLength(1);
    }
  });
});

test('a list is read to its end in pages, however few of it the caller may see', async () => {
  const hers: string[] = [];
  for (let n = 0; n < 30; n++) {
    const id = await create(n % 3 === 0 ? ada : jwt('bob'));
    if (n % 3 === 0) hers.push(id);
  }
  const read: string[] = [];
  let after: string | undefined;
  do {
    const query: Record<string, string> = { limit: '4', ...(after && { after }) };
    const page = SchedulesBody.parse((await ask(routes.listSchedules, ada, { query })).body);
    expect(page.schedules.length).toBeLessThanOrEqual(4);
    read.push(...page.schedules.map(({ scheduleId }) => scheduleId));
    after = page.next;
  } while (after);
  expect(read).toEqual(hers.sort());
});

test('a paused schedule begins nothing, and run now begins one tick at once all the same', async () => {
  const id = await create(ada, { when: { every: '1h' } });
  await ask(routes.postPause, ada, { id });
  expect((await ask(routes.readSchedule, ada, { id })).body).toMatchObject({ state: 'paused' });
  await world.minute(130);
  expect(await world.history(id)).toEqual([]);
  const { body } = await ask(routes.postRun, ada, { id });
  await world.look();
  const ticks = TicksBody.parse((await ask(routes.readTicks, ada, { id })).body).ticks;
  expect(ticks).toMatchObject([{ tickId: body.tickId, outcome: 'started' }]);
  await ask(routes.postResume, ada, { id });
  await world.finish((await world.sessionsOf(id))[0] ?? { tenant: '', sessionId: '' });
  await world.minute(61);
  expect(await world.history(id)).toEqual(['10:00 missed', '11:10 started', '12:00 started']);
});

test('the history has pages', async () => {
  const id = await create(ada, { when: { every: '1h' }, overlap: 'skip' });
  await world.minute(5 * 60 + 5);
  const all = TicksBody.parse((await ask(routes.readTicks, ada, { id })).body).ticks;
  expect(all.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped', 'skipped', 'started']);
  const first = TicksBody.parse((await ask(routes.readTicks, ada, { id, query: { limit: '2' } })).body);
  const query = { limit: '9', before: first.next ?? '' };
  const rest = TicksBody.parse((await ask(routes.readTicks, ada, { id, query })).body);
  expect([...first.ticks, ...rest.ticks]).toEqual(all);
});

test('what an API key has created ends when the key is revoked', async () => {
  const robot = key('revoked00000');
  const id = await create(robot, { when: { every: '1h' } });
  await world.minute(65);
  expect(await world.history(id)).toEqual(['10:00 failed']);
  expect((await ask(routes.readSchedule, robot, { id })).body).toMatchObject({
    state: 'paused',
    why: 'The API key acme.revoked00000, which has created it, was revoked.',
  });
});

test('a tenant has at most 1,000 schedules', async () => {
  const { schedule } = { schedule: aSchedule() };
  for (let n = 0; n < 1_000; n++) await world.add({ ...schedule, key: { tenant: 'acme', id: `s${n}` } });
  expect((await ask(routes.postSchedule, ada, { body: daily })).status).toBe(429);
  expect((await ask(routes.postSchedule, jwt('eve', [], 'globex'), { body: daily })).status).toBe(201);
});
