import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, expect, test } from 'vitest';
import { linesOf } from '../../../cli/tenants.ts';
import { Refusal, toRefusal } from '../../../functions/middleware/problem.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { deleteTenantKey, readTenantKey } from '../../../functions/routes/tenant-keys.ts';
import { TenantKeyDeleted } from '../../../shared/agent/plain/tenant-key-deleted.ts';
import { TenantKeyBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { whatRemains } from '../../../shared/contract/tenant-keys.ts';
import { KEY_LIFETIME_MS, type KeyState, type TenantKeys } from '../../../shared/edge/tenant-keys.ts';

const NOW = Date.UTC(2026, 10, 27, 12);
const jwt = (sub: string, roles: string[] = [], tenant = 'acme'): Identity => ({
  ...{ tenant, subject: `user:${sub}`, kind: 'jwt', roles },
});
const admin = jwt('root', ['steploop-admin']);

let states: Map<string, KeyState>;
beforeEach(() => {
  states = new Map([['acme', { state: 'live', createdAt: NOW - 1_000 }]]);
});
const keys: TenantKeys = {
  requireLiving: async () => undefined,
  read: async (tenant) => states.get(tenant) ?? { state: 'none' },
  async remove(tenant, deletedBy, deletedAt) {
    const deleted = { state: 'deleted', deletedAt, deletedBy } as const;
    states.set(tenant, deleted);
    return deleted;
  },
};

interface Asked {
  readonly tenant?: string;
  readonly confirm?: string;
  readonly tenantKeys?: TenantKeys | undefined;
}

async function ask(route: Route, who: Identity, asked: Asked = {}) {
  const { tenant = 'acme', confirm } = asked;
  const event = {
    pathParameters: { tenant },
    queryStringParameters: confirm === undefined ? undefined : { confirm },
  };
  const tenantKeys = 'tenantKeys' in asked ? asked.tenantKeys : keys;
  try {
    const { statusCode, body } = await route(event as unknown as APIGatewayProxyEventV2, who, {
      io: { clock: { now: () => NOW } },
      tenantKeys,
    } as unknown as RouteContext);
    return { status: statusCode, body: JSON.parse(body ?? '') };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.problem.status, body: error.problem };
  }
}

test.each<[string, Identity, number]>([
  ['an administrator', admin, 200],
  ['an operator', jwt('olga', ['steploop-operator']), 403],
  ['a user', jwt('ada'), 403],
  ['an API key', { tenant: 'acme', subject: 'key:acme.aaaaaaaaaaaa', kind: 'key' }, 403],
  ['an API key with the role', { ...jwt('k', ['steploop-admin']), kind: 'key' }, 403],
  ['an administrator of another tenant', jwt('root', ['steploop-admin'], 'globex'), 404],
])('%s who names acme gets %#', async (_who, caller, status) => {
  expect((await ask(readTenantKey, caller)).status).toBe(status);
  expect((await ask(deleteTenantKey, caller, { confirm: 'acme' })).status).toBe(status);
  expect(states.get('acme')?.state).toBe(status === 200 ? 'deleted' : 'live');
});

test.each([undefined, '', 'globex', 'ACME', 'acme '])(
  'without the name of the tenant again (%j) nothing is deleted',
  async (confirm) => {
    const answer = await ask(deleteTenantKey, admin, confirm === undefined ? {} : { confirm });
    expect(answer).toMatchObject({ status: 400, body: { title: 'Not confirmed' } });
    expect(answer.body.detail).toContain('confirm=acme');
    expect(states.get('acme')?.state).toBe('live');
  },
);

test('the answer tells who deleted it, when no function uses it any more, and what remains', async () => {
  const { body } = await ask(deleteTenantKey, admin, { confirm: 'acme' });
  expect(TenantKeyBody.parse(body)).toEqual({
    ...{ tenant: 'acme', state: 'deleted', deletedAt: new Date(NOW).toISOString(), deletedBy: 'user:root' },
    ...{ everywhereBy: new Date(NOW + KEY_LIFETIME_MS).toISOString(), remains: whatRemains },
  });
  expect((await ask(readTenantKey, admin)).body).toEqual(body);
});

test('a key lives, or there is none yet', async () => {
  expect(TenantKeyBody.parse((await ask(readTenantKey, admin)).body)).toMatchObject({ state: 'live' });
  states.clear();
  expect(TenantKeyBody.parse((await ask(readTenantKey, admin)).body)).toEqual({
    tenant: 'acme',
    state: 'none',
  });
});

test('without the option both are refused, with the way to turn it on', async () => {
  for (const route of [readTenantKey, deleteTenantKey]) {
    const answer = await ask(route, admin, { confirm: 'acme', tenantKeys: undefined });
    expect(answer).toMatchObject({ status: 409, body: { title: 'Tenant keys are off' } });
    expect(answer.body.detail).toContain('tenantKeys: true');
  }
});

test('every route of a tenant whose key was deleted is 410, with a sentence', () => {
  const { problem } = toRefusal(new TenantKeyDeleted('acme'), 'r1', {}, () => false);
  expect(problem).toMatchObject({ status: 410, title: 'Key deleted' });
  expect(problem.detail).toContain('The key of the tenant acme was deleted');
});

test('the command tells people the same', async () => {
  const told = async () => linesOf((await ask(readTenantKey, admin)).body).join('\n');
  expect(await told()).toMatch(/^tenant {2}acme\nkey {5}live: created at 2026/);
  await ask(deleteTenantKey, admin, { confirm: 'acme' });
  expect(await told()).toContain('deleted at 2026-11-27T12:00:00.000Z by user:root');
  expect(await told()).toContain(`remains ${whatRemains[0]}`);
});
