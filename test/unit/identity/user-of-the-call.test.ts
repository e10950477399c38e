import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { type Caller, callerFacts, callersOf, withCallers } from '../../../shared/agent/session/caller.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import { killBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';

const jwt = (...roles: string[]) => callerFacts({ kind: 'jwt', roles }, 'http');
const hook = callerFacts({ kind: 'webhook' }, 'webhook');
const ada = { by: 'user:ada', caller: jwt('finance') };
const bob = { by: 'user:bob', caller: jwt() };

describe('the requester of a run', () => {
  const userOf = (...said: Parameters<typeof withCallers>[1]) =>
    callersOf('acme', withCallers({}, said)).user;

  test('is its user if it is one person, with the roles and the login method of their last message', () => {
    expect(userOf(ada)).toEqual({
      tenant: 'acme',
      subject: 'user:ada',
      kind: 'jwt',
      roles: ['finance'],
      channel: 'http',
    });
    expect(userOf(ada, { by: 'user:ada', caller: callerFacts({ kind: 'jwt' }, 'agui') })).toMatchObject({
      roles: [],
      channel: 'agui',
    });
  });

  test.each([
    ['of two people', [ada, bob]],
    ['without a requester so far', []],
    ['of a webhook', [{ by: 'webhook:github', caller: hook }]],
    ['of a person and a webhook', [ada, { by: 'webhook:github', caller: hook }]],
    ['of a person, and a message of an unknown author', [ada, {}]],
    ['of a user with an unknown login method', [{ by: 'user:ada' }]],
  ])('a run %s has no user', (_what, said) => {
    expect(userOf(...said)).toBeUndefined();
  });

  test('an anonymous requester stays in the list, and too many requesters are no single user', () => {
    const once = withCallers({}, [{}]);
    expect(callersOf('acme', withCallers(once, [ada]))).toMatchObject({
      requesters: [{ subject: 'user:ada' }],
    });
    expect(callersOf('acme', withCallers(once, [ada])).user).toBeUndefined();
    const many = Array.from({ length: 21 }, (_, i) => ({ by: `user:${i}`, caller: jwt() }));
    expect(withCallers({}, many)).toMatchObject({ strangers: true });
    expect(callersOf('acme', withCallers({}, many)).requesters).toHaveLength(20);
  });

  test('of many or odd roles only some are kept, since they are stored with HEAD', () => {
    const roles = [...Array.from({ length: 30 }, (_, i) => `r${i}`), '\ud800', 'x'.repeat(101)];
    expect(callerFacts({ kind: 'jwt', roles }, 'http').roles).toHaveLength(20);
    expect(callerFacts({ kind: 'jwt', roles: ['\ud800', 'x'.repeat(101)] }, 'http')).toEqual({
      kind: 'jwt',
      channel: 'http',
    });
  });
});

describe('a tool', () => {
  async function acting(where: 'inline' | 'queue') {
    const seen: (Caller | undefined)[] = [];
    const asked: (readonly string[])[] = [];
    const act = defineTool({
      name: 'act',
      description: 'Acts for a user.',
      effect: 'idempotent',
      where,
      input: z.object({}),
      run: (_input, { user, requesters }: ToolContext) => {
        seen.push(user);
        asked.push(requesters.map(({ subject }) => subject));
      },
    });
    const replies = Array.from({ length: 4 }, () => [calls(['act', {}]), says('Done.')]).flat();
    const world = await sessionWorld({ tools: [act] }, scriptedModel(...replies));
    return { world, seen, asked };
  }

  test('knows the user of its call, inline, and not those of the run before', async () => {
    const { world, seen, asked } = await acting('inline');
    await world.say('Act.', undefined, ada.by, ada.caller);
    await world.settle();
    await world.say('Act.', undefined, bob.by, bob.caller);
    await world.settle();
    expect(seen.map((user) => user?.subject)).toEqual(['user:ada', 'user:bob']);
    expect(seen[0]?.roles).toEqual(['finance']);
    await world.say('You', undefined, ada.by, ada.caller);
    await world.say('too', undefined, bob.by, bob.caller);
    await world.settle();
    expect(seen[2]).toBeUndefined();
    expect(asked[2]).toEqual(['user:ada', 'user:bob']);
  });

  test('knows the user from the queue too', async () => {
    const { world, seen } = await acting('queue');
    await world.say('Act.', undefined, ada.by, ada.caller);
    await world.settle();
    const delivery = world.queue.calls.receive();
    if (!delivery) throw new Error('no call is queued');
    const invocation = { id: 'w1', message: delivery.handle, deadlineAt: world.clock.now() + 900_000 };
    await runCall(delivery.wake, invocation, world.agentOf, world);
    expect(seen.map((user) => user?.subject)).toEqual(['user:ada']);
  });

  test('knows the user if a worker has died with the reply', async () => {
    const { world, seen } = await acting('inline');
    await world.say('Act.', undefined, ada.by, ada.caller);
    world.faults.at('sessions.putSlot', killBefore, 2);
    await world.settle();
    expect(seen.map((user) => user?.subject)).toEqual(['user:ada', 'user:ada']);
  });
});
