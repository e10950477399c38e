import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { listFiles, postRestore } from '../../../functions/routes/files.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { textsOf } from '../step/reading.fixture.ts';
import { asksFor, filesOf, reads, removes, writes } from './files.fixture.ts';

const caller: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };

interface Ask {
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly as?: Identity;
  readonly sessionId?: string;
}

/** A session whose files were `a` = one after turn 1, and `a` = two, `src/b` after turn 3. */
async function edited() {
  const model = scriptedModel(
    asksFor(['write', { path: 'a', content: 'one' }]),
    asksFor(['write', { path: 'a', content: 'two' }], ['write', { path: 'src/<b>.html', content: '<b>' }]),
    says('Done.'),
  );
  const world = await sessionWorld({ tools: [writes(), reads(), removes] }, model);
  const edge = memoryEdge(world);
  const context = { ...edge, io: world } as unknown as RouteContext;
  const ask = async (route: Route, { query, body, as = caller, sessionId = 's1' }: Ask = {}) => {
    const event = {
      pathParameters: { sessionId },
      ...(query && { queryStringParameters: query }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    } as unknown as APIGatewayProxyEventV2;
    const answer = await route(event, as, context);
    return JSON.parse(answer.body ?? '');
  };
  await world.say('Go');
  await world.settle();
  return { world, model, edge, ask };
}

const refusedWith = (status: number, title?: string) => ({
  problem: { status, ...(title && { title }) },
});

describe('GET /sessions/{sessionId}/files', () => {
  test('lists the current files, those after a turn, those in a folder, and in pages', async () => {
    const { ask } = await edited();
    const paths = async (query?: Record<string, string>) => {
      const { files, slot, next } = await ask(listFiles, query && { query });
      return [slot, files.map(({ path }: { path: string }) => path), next];
    };
    expect(await paths()).toEqual([4, ['a', 'src/<b>.html'], undefined]);
    expect(await paths({ slot: '1' })).toEqual([1, ['a'], undefined]);
    expect(await paths({ slot: '2' })).toEqual([2, ['a'], undefined]);
    expect(await paths({ slot: '0' })).toEqual([0, [], undefined]);
    expect(await paths({ under: '/workspace/src/' })).toEqual([4, ['src/<b>.html'], undefined]);
    expect(await paths({ limit: '1' })).toEqual([4, ['a'], 'a']);
    expect(await paths({ limit: '1', after: 'a' })).toEqual([4, ['src/<b>.html'], undefined]);
  });

  test('gives a link to one of them, for five minutes, that no browser displays as a page', async () => {
    const { ask, edge, world } = await edited();
    const [file] = (await ask(listFiles, { query: { path: './src//<b>.html' } })).files;
    expect(file).toMatchObject({ path: 'src/<b>.html', bytes: 3 });
    const answer = await edge.links.fetch(file.url);
    expect(await answer.text()).toBe('<b>');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="_b_\.html"/);
    const [old] = (await ask(listFiles, { query: { path: 'a', slot: '1' } })).files;
    expect(await (await edge.links.fetch(old.url)).text()).toBe('one');
    expect(Date.parse(file.expiresAt) - world.clock.now()).toBe(300_000);
    await world.clock.advance(300_000);
    expect((await edge.links.fetch(file.url)).status).toBe(403);
  });

  test.each<[what: string, ask: Ask, status: number, title: string]>([
    ['another tenant', { as: { ...caller, tenant: 'umbrella' } }, 404, 'No such session'],
    ['another session', { sessionId: 's2' }, 404, 'No such session'],
    ['a session that is a path', { sessionId: '../s1' }, 404, 'No such session'],
    ['an unknown turn', { query: { slot: '5' } }, 404, 'No such turn'],
    ['a turn far beyond the last', { query: { slot: '9007199254740991' } }, 404, 'No such turn'],
    ['not a turn', { query: { slot: '-1' } }, 400, 'Invalid query'],
    ['half a turn', { query: { slot: '1.5' } }, 400, 'Invalid query'],
    ['an unknown file', { query: { path: 'b' } }, 404, 'No such file'],
    ['a folder', { query: { path: 'src' } }, 404, 'No such file'],
    ['the root', { query: { path: '/' } }, 400, 'Invalid query'],
    ['nothing', { query: { path: '' } }, 400, 'Invalid query'],
    ['a path out of it', { query: { path: '../../umbrella/s1/content/x' } }, 400, 'Invalid query'],
    ['a folder out of it', { query: { under: '..' } }, 400, 'Invalid query'],
    ['a path with a NUL', { query: { path: 'a\0' } }, 400, 'Invalid query'],
    ['a path of 5,000 characters', { query: { path: 'a'.repeat(5_000) } }, 400, 'Invalid query'],
    ['too many at a time', { query: { limit: '1001' } }, 400, 'Invalid query'],
    ['an unknown parameter', { query: { hash: 'x' } }, 400, 'Invalid query'],
  ])('refuses %s', async (_what, asked, status, title) => {
    const { ask } = await edited();
    await expect(ask(listFiles, asked)).rejects.toMatchObject(refusedWith(status, title));
  });
});

describe('POST /sessions/{sessionId}/restore', () => {
  const restore = (ask: Awaited<ReturnType<typeof edited>>['ask'], slot: unknown, more: Ask = {}) =>
    ask(postRestore, { body: { slot }, ...more });

  test('resets the files, the model is told with the next message, and the next edit begins there', async () => {
    const { world, model, ask } = await edited();
    const before = await world.view();
    expect(await restore(ask, 1)).toEqual({ restored: 1 });
    expect(await filesOf(world)).toEqual({ a: 'one' });
    expect(world.queue.messages()).toEqual([]);
    const { workspace: _, nudges: told, ...rest } = (await world.view()).session;
    expect(before.session).toMatchObject({ ...rest });
    expect(told).toHaveLength(1);
    model.answer(asksFor(['write', { path: 'a', content: '!', add: true }]), says('Done.'));
    await world.say('Go on');
    await world.settle();
    expect(textsOf(model.requests[3], 'user').slice(-2)).toEqual([
      expect.stringContaining('set back to how they were after turn 1'),
      'Go on',
    ]);
    expect(
      textsOf(model.requests[4], 'user')
        .join()
        .match(/set back/g),
    ).toHaveLength(1);
    expect(await filesOf(world)).toEqual({ a: 'one!' });
    expect((await ask(listFiles, { query: { slot: '3' } })).files).toHaveLength(2);
  });

  test('twice tells the model about the last reset, and before the first file leaves none', async () => {
    const { world, ask } = await edited();
    await restore(ask, 1);
    await restore(ask, 1);
    await restore(ask, 0);
    expect(await filesOf(world)).toEqual({});
    await restore(ask, 4);
    expect(await filesOf(world)).toEqual({ a: 'two', 'src/<b>.html': '<b>' });
    const { nudges } = (await world.view()).session;
    expect(nudges.map(({ text }) => /turn \d/.exec(text)?.[0])).toEqual(['turn 4']);
  });

  test('is refused while a run is going, also to the current state, and changes nothing', async () => {
    const { world, model, ask } = await edited();
    model.answer(says('More.'));
    await world.say('More');
    for (const slot of [1, 4])
      await expect(restore(ask, slot)).rejects.toMatchObject(refusedWith(409, 'Session busy'));
    await world.settle();
    expect(await filesOf(world)).toEqual({ a: 'two', 'src/<b>.html': '<b>' });
    expect(await restore(ask, 1)).toEqual({ restored: 1 });
  });

  test.each<[what: string, body: unknown, more: Ask, status: number]>([
    ['another tenant', { slot: 1 }, { as: { ...caller, tenant: 'umbrella' } }, 404],
    ['another session', { slot: 1 }, { sessionId: 's2' }, 404],
    ['an unknown turn', { slot: 5 }, {}, 404],
    ['not a number', { slot: '1' }, {}, 400],
    ['a hash', { slot: 1, hash: 'x' }, {}, 400],
    ['nothing', {}, {}, 400],
  ])('refuses %s', async (_what, body, more, status) => {
    const { world, ask } = await edited();
    await expect(ask(postRestore, { body, ...more })).rejects.toMatchObject(refusedWith(status));
    expect(await filesOf(world)).toEqual({ a: 'two', 'src/<b>.html': '<b>' });
  });
});

test('files outlive the end of a run, and the worker that made them', async () => {
  const { world, model } = await edited();
  model.answer(asksFor(['read', { path: 'a' }]), says('two.'));
  await world.say('And now?');
  await world.settle();
  const slots = await (world as SessionWorld).slots();
  expect(slots.every(({ n, workspace }) => n === 0 || workspace !== undefined)).toBe(true);
});
