import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { linesOf } from '../../../cli/people.ts';
import { Refusal } from '../../../functions/middleware/problem.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { erasePerson, readErasure } from '../../../functions/routes/people.ts';
import { GRAVE_MS } from '../../../shared/agent/entrypoints/graves.ts';
import type { People } from '../../../shared/agent/entrypoints/people.ts';
import { ErasureBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { createPeople } from '../../../shared/memory/people.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

let world: MemoryWorld;
let people: People;
beforeEach(() => {
  world = memoryWorld();
  people = createPeople();
});

const jwt = (sub: string, roles: string[] = [], tenant = 'acme'): Identity => ({
  ...{ tenant, subject: `user:${sub}`, kind: 'jwt', roles },
});
const admin = jwt('root', ['steploop-admin']);
const ada = { tenant: 'acme', user: 'user:ada' };

async function ask(route: Route, who: Identity, user = 'user:ada') {
  const event = { pathParameters: { user } };
  try {
    const { statusCode, body } = await route(event as unknown as APIGatewayProxyEventV2, who, {
      io: world,
      people,
    } as unknown as RouteContext);
    return { status: statusCode, body: JSON.parse(body ?? '') };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.problem.status, body: error.problem };
  }
}

describe('DELETE /people/{user}', () => {
  test.each<[string, Identity, number]>([
    ['an administrator', admin, 202],
    ['the deployment’s token', { tenant: 'default', subject: 'operator', kind: 'token' }, 202],
    ['an operator', jwt('olga', ['steploop-operator']), 403],
    ['another user', jwt('bob'), 403],
    ['the person', jwt('ada'), 403],
    ['an API key', { tenant: 'acme', subject: 'key:acme.aaaaaaaaaaaa', kind: 'key' }, 403],
    ['an API key that may decide', { ...jwt('k', ['steploop-admin']), kind: 'key', scopes: ['decide'] }, 403],
  ])('%s gets %#', async (_who, caller, status) => {
    expect((await ask(erasePerson, caller)).status).toBe(status);
    expect((await ask(readErasure, caller)).status).toBe(status === 202 ? 200 : 403);
    if (status === 403) expect(await people.read(ada)).toBeUndefined();
  });

  test('is of the caller’s own tenant', async () => {
    await ask(erasePerson, jwt('root', ['steploop-admin'], 'globex'));
    expect((await ask(readErasure, admin)).status).toBe(404);
  });

  test.each(['ada', '', 'webhook:github', 'USER:ada', 'constructor', 'user:', `user:${'a'.repeat(300)}`])(
    'refuses "%s", which is not a subject, so that the deletion would find nothing and end as done',
    async (user) => {
      for (const route of [erasePerson, readErasure])
        expect(await ask(route, admin, user)).toMatchObject({
          status: 400,
          body: { title: 'Not a subject' },
        });
    },
  );

  test.each(['user:auth0|5f7c8ec7', 'user:a/b c', 'slack:T1:U1', 'key:acme.aaaaaaaaaaaa', 'operator'])(
    'takes "%s"',
    async (user) =>
      expect(await ask(erasePerson, admin, user)).toMatchObject({ status: 202, body: { user } }),
  );

  test('tells how far it is, in the form of the contract', async () => {
    const told: unknown[] = [];
    const tell = async () => {
      const { body } = await ask(readErasure, admin);
      expect(ErasureBody.parse(body)).toEqual(body);
      told.push(body);
      return linesOf(body);
    };
    const { body } = await ask(erasePerson, admin);
    expect(body).toMatchObject({ state: 'erasing', sessions: { left: 0, erased: 0 } });
    expect(await tell()).toContain('state     erasing: the sweeper deletes data every minute');
    const now = world.clock.now();
    const known = await people.begin(ada, now);
    const progress = { ...known.progress, cleanAt: now, waiting: 2, sessions: 1, memories: 3, uploads: 4 };
    const moved = await people.move(known, now + 1, progress);
    const goneBy = new Date(now + GRAVE_MS).toISOString();
    expect(await tell()).toEqual([
      'person    user:ada',
      `erasure   ${body.erasureId}, requested at ${body.requestedAt}`,
      `state     erased: nothing that was found is stored; the last look for late writes is after ${goneBy}`,
      'sessions  3 erased, 0 left',
      'memories  3 erased',
      'uploads   4 erased',
    ]);
    if (!moved) throw new Error('it was not moved');
    await people.finish(moved, now + 2);
    expect(await tell()).toContain(`state     done at ${new Date(now + 2).toISOString()}`);
    expect(told).toMatchObject([{ state: 'erasing' }, { state: 'erased', goneBy }, { state: 'done' }]);
  });
});
