import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { forgetMemories, forgetMemory, listMemories } from '../../../functions/routes/memories.ts';
import type { Fact, Owner } from '../../../shared/agent/memories/store.ts';
import { ForgottenBody, MemoriesBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

let world: MemoryWorld;
beforeEach(() => {
  world = memoryWorld();
});

const user = (sub: string, tenant = 'acme', roles: string[] = []): Identity => ({
  ...{ tenant, subject: `user:${sub}`, kind: 'jwt', roles },
});
const ada = user('ada');
const admin = user('root', 'acme', ['steploop-admin']);
const key: Identity = { tenant: 'acme', subject: 'key:acme.aaaaaaaaaaaa', kind: 'key' };

let count = 0;
/** Saves a fact of this owner, and returns its id. */
async function remember(owner: Owner, text: string): Promise<string> {
  count += 1;
  const id = `${owner.user === undefined ? 't' : 'u'}${String(count).padStart(24, '0')}`;
  const fact: Fact = { id, text, at: Date.UTC(2026, 10, 22) + count, sessionId: 's1', by: ['user:ada'] };
  await world.memories.save(owner, fact);
  return id;
}
const ofAda = { tenant: 'acme', user: 'user:ada' };
const ofAcme = { tenant: 'acme' };

async function ask(route: Route, who: Identity, query: Record<string, string> = {}, memoryId = '') {
  const event = { queryStringParameters: query, pathParameters: { memoryId } };
  try {
    const { statusCode, body } = await route(event as unknown as APIGatewayProxyEventV2, who, {
      io: world,
    } as unknown as RouteContext);
    return { status: statusCode, body: JSON.parse(body ?? '') };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.problem.status, body: error };
  }
}
const texts = async (who: Identity, query: Record<string, string> = {}) =>
  (await ask(listMemories, who, query)).body.memories.map(({ text }: { text: string }) => text);

describe('GET /memories', () => {
  test("lists the caller's facts, the newest first, with author, time and session", async () => {
    await remember(ofAda, 'She likes tea.');
    const id = await remember(ofAda, 'She lives in Paris.');
    await remember(ofAcme, 'The office is in Berlin.');
    const { status, body } = await ask(listMemories, ada);
    expect(status).toBe(200);
    expect(MemoriesBody.parse(body)).toMatchObject({ matching: 2, of: 2 });
    expect(body.memories[0]).toEqual({
      ...{ id, scope: 'user', text: 'She lives in Paris.', sessionId: 's1', by: ['user:ada'] },
      savedAt: expect.stringMatching(/^2026-11-22T00:00:00/),
    });
    expect(await texts(ada)).toEqual(['She lives in Paris.', 'She likes tea.']);
    expect(await texts(ada, { q: 'teas' })).toEqual(['She likes tea.']);
  });

  test("lists the tenant's shared facts for its admins only", async () => {
    await remember(ofAcme, 'The office is in Berlin.');
    expect(await texts(admin, { scope: 'tenant' })).toEqual(['The office is in Berlin.']);
    const operator: Identity = { tenant: 'default', subject: 'operator', kind: 'token' };
    expect(await texts(operator, { scope: 'tenant' })).toEqual([]);
    for (const who of [ada, key])
      expect(await ask(listMemories, who, { scope: 'tenant' })).toMatchObject({ status: 403 });
  });

  test('is paginated', async () => {
    for (let i = 0; i < 5; i++) await remember(ofAda, `fact ${i}`);
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await ask(listMemories, ada, { limit: '2', ...(after && { after }) });
      seen.push(...body.memories.map(({ text }: { text: string }) => text));
      after = body.next;
    }
    expect([seen, after]).toEqual([['fact 4', 'fact 3', 'fact 2', 'fact 1', 'fact 0'], undefined]);
  });

  test.each([
    ['an invalid scope', { scope: 'everybody' }],
    ['an empty page', { limit: '0' }],
    ['a page that is too long', { limit: '201' }],
    ['an invalid cursor', { after: '../x' }],
    ['another user', { user: 'user:bob' }],
    ['a query that is too long', { q: 'x'.repeat(501) }],
  ])('refuses %s with 400', async (_what, query) => {
    expect(await ask(listMemories, ada, query)).toMatchObject({ status: 400 });
  });
});

describe('no other user', () => {
  const others: Identity[] = [
    user('bob'),
    admin,
    key,
    user('ada', 'globex', ['steploop-admin']),
    user('ada#', 'acme'),
    { tenant: 'acme', subject: 'key:ada', kind: 'key' },
  ];

  test('sees a person’s facts, or forgets one by its id', async () => {
    const id = await remember(ofAda, 'She likes tea.');
    for (const who of others) {
      expect(await texts(who), who.subject).toEqual([]);
      expect(await ask(forgetMemory, who, {}, id), who.subject).toMatchObject({ status: 404 });
      expect(await ask(forgetMemories, who, { scope: 'user' }), who.subject).toMatchObject({
        body: { forgotten: 0 },
      });
    }
    expect(await texts(ada)).toEqual(['She likes tea.']);
  });

  test('forgets a shared fact of a tenant by its id', async () => {
    const id = await remember(ofAcme, 'The office is in Berlin.');
    const theirs = user('root', 'globex', ['steploop-admin']);
    expect(await ask(forgetMemory, theirs, {}, id)).toMatchObject({ status: 404 });
    expect(await ask(forgetMemories, theirs, { scope: 'tenant' })).toMatchObject({ body: { forgotten: 0 } });
    for (const who of [ada, key]) {
      expect(await ask(forgetMemory, who, {}, id)).toMatchObject({ status: 403 });
      expect(await ask(forgetMemories, who, { scope: 'tenant' })).toMatchObject({ status: 403 });
    }
    expect(await texts(admin, { scope: 'tenant' })).toHaveLength(1);
  });
});

describe('DELETE /memories/{memoryId}', () => {
  test('forgets an own fact, once', async () => {
    const id = await remember(ofAda, 'She likes tea.');
    await remember(ofAda, 'She lives in Paris.');
    const { status, body } = await ask(forgetMemory, ada, {}, id);
    expect([status, ForgottenBody.parse(body)]).toEqual([200, { forgotten: 1 }]);
    expect(await texts(ada)).toEqual(['She lives in Paris.']);
    expect(await ask(forgetMemory, ada, {}, id)).toMatchObject({ status: 404 });
  });

  test('forgets a shared fact, for admins', async () => {
    const id = await remember(ofAcme, 'The office is in Berlin.');
    expect(await ask(forgetMemory, admin, {}, id)).toMatchObject({ status: 200 });
    expect(await world.memories.all(ofAcme)).toEqual([]);
  });

  test.each(['', 'u1', '../x', 'u#', `x${'0'.repeat(24)}`, `U${'0'.repeat(24)}`])(
    'is 404 for %j',
    async (id) => {
      expect(await ask(forgetMemory, admin, {}, id)).toMatchObject({ status: 404 });
    },
  );
});

describe('DELETE /memories', () => {
  test('forgets a whole memory, and no other one', async () => {
    for (let i = 0; i < 45; i++) await remember(ofAda, `fact ${i}`);
    await remember(ofAcme, 'The office is in Berlin.');
    expect(await ask(forgetMemories, ada, { scope: 'user' })).toMatchObject({ body: { forgotten: 45 } });
    expect(await texts(ada)).toEqual([]);
    expect(await texts(admin, { scope: 'tenant' })).toHaveLength(1);
  });

  test('lets admins erase a user without credentials, unseen', async () => {
    await remember({ tenant: 'acme', user: 'slack:T1:U1' }, 'Likes tea.');
    await remember({ tenant: 'globex', user: 'slack:T1:U1' }, 'Likes coffee.');
    const asked = { scope: 'user', user: 'slack:T1:U1' };
    expect(await ask(forgetMemories, ada, asked)).toMatchObject({ status: 403 });
    expect(await ask(forgetMemories, admin, asked)).toEqual({ status: 200, body: { forgotten: 1 } });
    expect(await world.memories.all({ tenant: 'globex', user: 'slack:T1:U1' })).toHaveLength(1);
  });

  test.each([
    [{}],
    [{ scope: 'all' }],
    [{ scope: 'user', user: 'bob' }],
    [{ scope: 'tenant', user: 'user:bob' }],
  ])('refuses %j with 400: nothing is forgotten by mistake', async (query) => {
    expect(await ask(forgetMemories, admin, query)).toMatchObject({ status: 400 });
  });
});
