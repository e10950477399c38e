import { describe, expect, test } from 'vitest';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, resultsOf, tool } from '../step/reading.fixture.ts';
import { asksFor, filesOf, reads, removes, writes } from './files.fixture.ts';

const queued = { where: 'queue' } as const;
const tools = [
  writes(),
  reads(),
  removes,
  writes('write_later', queued),
  reads('read_later', queued),
  writes('write_once', { effect: 'once' }),
  writes('write_asked', { approval: 'always' }),
];

/** Runs the calls on the tool queue, the last one first. */
async function runCalls(world: SessionWorld) {
  const taken = [];
  for (let one = world.queue.calls.receive(); one; one = world.queue.calls.receive()) taken.push(one);
  for (const { handle, wake } of taken.reverse()) {
    const invocation = { id: world.ids.next(), message: handle, deadlineAt: world.clock.now() + 900_000 };
    await runCall(wake, invocation, world.agentOf, world);
  }
}

async function run(first: Scripted, more: Partial<Parameters<typeof sessionWorld>[0]> = {}) {
  const model = scriptedModel(
    asksFor(['write', { path: 'a', content: 'base' }]),
    first,
    asksFor(['read', { path: 'a' }]),
    says('Done.'),
  );
  const world = await sessionWorld({ tools, ...more }, model);
  await world.say('Go');
  await world.settle();
  await runCalls(world);
  await world.settle();
  const results = resultsOf(await world.slots());
  return { world, results, files: await filesOf(world), events: await world.events() };
}

describe('files of queued calls', () => {
  test('they see the changes of calls in the step, in any order, and their own changes apply at the end', async () => {
    const { results, files, events } = await run(
      asksFor(
        ['read_later', { path: 'a' }],
        ['write', { path: 'a', content: ' here', add: true }],
        ['write_later', { path: 'b', content: 'later' }],
      ),
    );
    expect(results.map(({ content }) => content)).toEqual([
      'wrote a',
      'base here',
      'wrote a',
      'wrote b',
      'base here',
    ]);
    expect(files).toEqual({ a: 'base here', b: 'later' });
    expect(custom(events, 'steploop.files')).toEqual([
      { slot: 1, count: 1, changed: [{ path: 'a', bytes: 4 }] },
      {
        slot: 3,
        count: 2,
        changed: [
          { path: 'a', bytes: 9 },
          { path: 'b', bytes: 5 },
        ],
      },
    ]);
  });

  test('two that change one file have not seen each other: the later call stands, whichever ran first, and says so', async () => {
    const { results, files } = await run(
      asksFor(
        ['write_later', { path: 'a', content: ' one', add: true }],
        ['write_later', { path: 'a', content: ' two', add: true }],
      ),
    );
    expect(files).toEqual({ a: 'base two' });
    expect(results[1]?.content).toBe('wrote a');
    expect(results[2]?.content).toContain('without seeing it: a.');
  });

  test('one whose files do not fit beside other changes has failed, and changes nothing', async () => {
    const { results, files } = await run(
      asksFor(['write_later', { path: 'b', content: '1' }], ['write_later', { path: 'c', content: '2' }]),
      { limits: { workspace: { files: 2 } } },
    );
    expect(files).toEqual({ a: 'base', b: '1' });
    expect(results[2]).toMatchObject({
      outcome: 'error',
      content: expect.stringContaining('room for 2 files'),
    });
    expect(results[2]?.changes).toBeUndefined();
  });

  test('a worker that dies before or after it keeps its result does not affect that', async () => {
    for (const fault of [killBefore, killAfter, failBefore]) {
      const model = scriptedModel(
        asksFor(['write_later', { path: 'a', content: 'x' }], ['write_later', { path: 'b', content: 'y' }]),
        says('Done.'),
      );
      const world = await sessionWorld({ tools }, model);
      await world.say('Go');
      await world.settle();
      const { ports } = world.faults.host(world);
      world.faults.at('sessions.putResult', fault);
      const taken = world.queue.calls.receive();
      const invocation = { id: 'i1', message: taken?.handle, deadlineAt: world.clock.now() + 10_000 };
      if (taken) void runCall(taken.wake, invocation as never, world.agentOf, ports).catch(() => {});
      await world.clock.advance(1_000_000);
      await runCalls(world);
      await world.clock.advance(1_000_000);
      await runCalls(world);
      await world.settle();
      expect(await filesOf(world)).toEqual({ a: 'x', b: 'y' });
    }
  });
});

describe('files of waiting calls', () => {
  test('an approved call changes them when it runs, on top of the other changes of its batch', async () => {
    const model = scriptedModel(
      asksFor(
        ['write', { path: 'a', content: '1' }],
        ['write_asked', { path: 'a', content: '2', add: true }],
        ['write_later', { path: 'b', content: '3' }],
      ),
      says('Done.'),
    );
    const world = await sessionWorld({ tools }, model);
    await world.say('Go');
    await world.settle();
    expect(await filesOf(world)).toEqual({});
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    expect(await decide(world.key, wait?.id ?? '', { approved: true, by: 'ann' }, world)).toBe('decided');
    await world.settle();
    await runCalls(world);
    await world.settle();
    expect(await filesOf(world)).toEqual({ a: '12', b: '3' });
  });

  test('of approved calls, a later one in the reply has seen the earlier ones', async () => {
    const model = scriptedModel(
      asksFor(
        ['write_asked', { path: 'a', content: '1' }],
        ['write', { path: 'a', content: '2', add: true }],
        ['write_asked', { path: 'a', content: '3', add: true }],
      ),
      says('Done.'),
    );
    const world = await sessionWorld({ tools }, model);
    await world.say('Go');
    await world.settle();
    for (const { id } of (await world.view()).session.batch?.waits ?? [])
      await decide(world.key, id, { approved: true, by: 'ann' }, world);
    await world.settle();
    expect(await filesOf(world)).toEqual({ a: '123' });
  });

  test('the changes of a `once` call are kept with its result, in case its worker dies after it', async () => {
    const model = scriptedModel(
      asksFor(['write_once', { path: 'a', content: 'once' }], ['write_once', { path: 'b', content: 'too' }]),
      says('Done.'),
    );
    const world = await sessionWorld({ tools }, model);
    await world.say('Go');
    world.faults.at('sessions.putSlot', killBefore, 2);
    await world.settle();
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(await filesOf(world)).toEqual({ a: 'once', b: 'too' });
  });
});

describe('a call and its files', () => {
  const one = async (
    ran: Parameters<typeof tool>[1],
    more: Parameters<typeof tool>[2] = { effect: 'idempotent' },
  ) => {
    const model = scriptedModel(
      asksFor(['write', { path: 'a', content: 'base' }]),
      asksFor(['try', {}]),
      says('Done.'),
    );
    const world = await sessionWorld({ tools: [writes(), tool('try', ran, more)] }, model);
    await world.say('Go');
    await world.settle();
    return { result: resultsOf(await world.slots())[1], files: await filesOf(world), world };
  };

  test('one that fails after it has written changes nothing', async () => {
    const { result, files } = await one(async (_input, { services: { workspace } }) => {
      await workspace.write('a', 'changed');
      throw new Error('but then');
    });
    expect(result).toMatchObject({ outcome: 'error', content: 'Error [failed]: but then' });
    expect(files).toEqual({ a: 'base' });
  });

  test('one that is too slow changes nothing, and its later writes are refused', async () => {
    const late: string[] = [];
    const { files } = await one(
      async (_input, { services: { workspace }, signal }) => {
        await workspace.write('a', 'changed');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await workspace.write('b', 'late').catch((error: Error) => late.push(error.message));
      },
      { effect: 'idempotent', timeoutSeconds: 1 },
    );
    expect(files).toEqual({ a: 'base' });
    expect(late).toEqual(['the tool took too long']);
  });

  test('one that has ended cannot write any more', async () => {
    const kept: { write(path: string, content: string): Promise<void> }[] = [];
    await one(async (_input, { services: { workspace } }) => {
      await workspace.write('b', 'in time');
      kept.push(workspace);
    });
    await expect(kept[0]?.write('c', 'late')).rejects.toThrow('the call is over');
  });

  test('a `read` tool changes no files', async () => {
    const { result, files } = await one(
      (_input, { services: { workspace } }) => workspace.write('a', 'changed'),
      { effect: 'read' },
    );
    expect(result?.content).toContain('changes no files');
    expect(files).toEqual({ a: 'base' });
  });

  test('its copy of read content is private: changing the bytes changes no file', async () => {
    const { result } = await one(async (_input, { services: { workspace } }) => {
      (await workspace.read('a')).fill(0);
      return new TextDecoder().decode(await workspace.read('a'));
    });
    expect(result?.content).toBe('base');
  });

  test('it reads its own writes, lists by folder, and gets a sentence for a missing file', async () => {
    const { result } = await one(async (_input, { services: { workspace } }) => {
      await workspace.write('src/b', 'é');
      await workspace.write('src/sub/c', new Uint8Array([0, 255]));
      await workspace.write('srcs/d', '');
      const why = async (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);
      return {
        all: (await workspace.list()).map(({ path, bytes }) => [path, bytes]),
        under: (await workspace.list('/workspace/src/')).map(({ path }) => path),
        one: (await workspace.list('src/b')).map(({ path }) => path),
        none: await workspace.list('nowhere'),
        stat: [await workspace.stat('src'), (await workspace.stat('./src/b'))?.bytes],
        gone: await why(workspace.read('src')),
        remove: await why(workspace.remove('nothing')),
        out: await why(workspace.write('../x', '')),
        below: await why(workspace.write('a/x', '')),
      };
    });
    expect(JSON.parse(result?.content ?? '')).toEqual({
      all: [
        ['a', 4],
        ['src/b', 2],
        ['src/sub/c', 2],
        ['srcs/d', 0],
      ],
      under: ['src/b', 'src/sub/c'],
      one: ['src/b'],
      none: [],
      stat: [null, 2],
      gone: 'There is no file src in the workspace.',
      remove: 'There is no file nothing in the workspace.',
      out: '"../x" leads out of the workspace: paths are relative to its root.',
      below: 'a/x cannot be written: a is a file, and no folder.',
    });
  });

  test('a file that ends as it began is no change', async () => {
    const { result, world } = await one(async (_input, { services: { workspace } }) => {
      await workspace.write('a', 'other');
      await workspace.write('b', 'new');
      await workspace.write('a', 'base');
      await workspace.remove('b');
    });
    expect(result?.changes).toBeUndefined();
    expect(world.faults.count('blobs.putBytes')).toBe(2);
  });

  test('content that the workspace already has is not written again', async () => {
    const { world, files } = await one((_input, { services: { workspace } }) =>
      workspace.write('copy', 'base'),
    );
    expect(files).toEqual({ a: 'base', copy: 'base' });
    // The content, and the tree of each batch.
    expect(world.faults.count('blobs.putBytes')).toBe(3);
  });
});
