import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { readMessages } from '../../../functions/routes/reads.ts';
import type { Fold } from '../../../shared/agent/session/fold.ts';
import { newSession, type Session, withDefaults } from '../../../shared/agent/session/session.ts';
import { wakeFor } from '../../../shared/agent/session/wake.ts';
import { MessagesBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { killBefore } from '../../../testing/faults.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { headText, moveContext } from '../../support/move-context.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { answersIn, custom, ofType, textsOf, tool } from './reading.fixture.ts';

const looks = reply({
  stop: 'tool_use',
  content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }],
  calls: [{ id: 'c1', name: 'look', input: {} }],
});

/** Slots: 0 the first message and a call, 1 its result, 2 the answer, 3 the second message, 4 the third one. */
async function threeMessages({
  contextStart = 0,
  dies = false,
  first = 'First?',
  fold = {},
}: {
  contextStart?: number;
  dies?: boolean;
  first?: string;
  fold?: Partial<Fold>;
}) {
  const model = scriptedModel(looks, says('One.'), says('Two.'), says('Three.'), says('Four.'));
  const world = await sessionWorld({ tools: [tool('look')] }, model);
  for (const text of [first, 'Second?']) {
    await world.say(text);
    await world.settle();
  }
  await world.say('Third?');
  await moveContext(world, contextStart, fold);
  if (dies) world.faults.at('sessions.commit', killBefore);
  await world.settle();
  return { world, asked: model.requests[3] };
}

/** Reads of slots that one more message costs. */
async function readsOfNext(world: SessionWorld, dies: boolean): Promise<number> {
  const before = world.faults.count('sessions.slots');
  await world.say('Fourth?');
  if (dies) world.faults.at('sessions.commit', killBefore);
  await world.settle();
  return world.faults.count('sessions.slots') - before;
}

async function messagesOf(world: SessionWorld): Promise<unknown> {
  const event = { pathParameters: { sessionId: 's1' } } as unknown as APIGatewayProxyEventV2;
  const caller: Identity = { tenant: 'acme', subject: 'user:ann', kind: 'jwt' };
  const { body } = await readMessages(event, caller, { io: world } as unknown as RouteContext);
  return JSON.parse(body ?? '');
}

describe("the model's context differs from the messages that people read", () => {
  test('a context that begins later changes the request, and neither messages nor events', async () => {
    const whole = await threeMessages({});
    const moved = await threeMessages({ contextStart: 3 });
    expect(textsOf(whole.asked, 'user')).toEqual([headText, 'First?', 'Second?', 'Third?']);
    expect(textsOf(moved.asked, 'user')).toEqual([headText, 'Second?', 'Third?']);
    expect(textsOf(moved.asked, 'assistant')).toEqual(['Two.']);
    expect(await messagesOf(moved.world)).toEqual(await messagesOf(whole.world));
    expect(await moved.world.events()).toEqual(await whole.world.events());
  });

  test('a compaction is a message at its place, with its summary, and its head is none', async () => {
    const summary = {
      ...{ text: 'They asked three things.', messageId: 'm', model: 'scribe', costUsd: 0.02, durationMs: 5 },
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    };
    const { world } = await threeMessages({ contextStart: 3, fold: { summary } });
    const { messages } = MessagesBody.parse(await messagesOf(world));
    expect(messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
      ...['activity', 'user', 'assistant'],
    ]);
    expect(messages[6]).toEqual({
      id: 'fold-4',
      role: 'activity',
      activityType: 'steploop.folded',
      content: {
        ...{ slot: 4, why: 'size', tokens: { before: 2, after: 1 }, left: { messages: 0, tokens: 0 } },
        ...{ costUsd: 0.02, model: 'scribe', summary: 'They asked three things.' },
      },
    });
    expect(JSON.stringify(messages)).not.toContain(headText);
  });

  test('the snapshot after a death has the whole conversation', async () => {
    const whole = await threeMessages({ dies: true });
    const moved = await threeMessages({ dies: true, contextStart: 3 });
    const [snapshot] = ofType(await whole.world.events(), 'MESSAGES_SNAPSHOT');
    expect(snapshot?.messages.map(({ role }) => role)).toContain('tool');
    expect(await moved.world.events()).toEqual(await whole.world.events());
    expect(textsOf(moved.asked, 'user')).toEqual([headText, 'Second?', 'Third?']);
  });

  test('only a step that takes over reads slots before the context', async () => {
    const reads = async (contextStart: number, dies: boolean) =>
      readsOfNext((await threeMessages({ contextStart })).world, dies);
    expect(await reads(3, false)).toBe(await reads(0, false));
    expect(await reads(3, true)).toBe((await reads(0, true)) + 1);
  });

  test('clients read what exceeds a snapshot, and the step reads no further', async () => {
    const { world } = await threeMessages({ dies: true, contextStart: 3, first: 'x'.repeat(150_000) });
    const events = await world.events();
    expect(ofType(events, 'MESSAGES_SNAPSHOT')).toEqual([]);
    expect(custom(events, 'steploop.snapshot_needed')).toHaveLength(1);
  });

  test.each([1, 2])(
    'no result is read without its call: a context with a recorded start at %i',
    async (at) => {
      const { asked } = await threeMessages({ contextStart: at });
      expect(answersIn(asked)).toEqual([]);
      expect(textsOf(asked, 'user')).toEqual([headText, 'Second?', 'Third?']);
      expect(textsOf(asked, 'assistant')).toEqual(['One.', 'Two.']);
      expect(asked?.messages[0]?.role).toBe('user');
    },
  );
});

describe('the start of a context', () => {
  const key = { tenant: 'acme', sessionId: 's1' };

  test('is the start of the conversation, in sessions from before it could differ', () => {
    const { contextStart: _, ...old } = newSession(key, 'test', 'd');
    expect(withDefaults(old as Session).contextStart).toBe(0);
  });

  test('is where a step reads from, besides the reply of an open batch', () => {
    const session = { ...newSession(key, 'test', 'd'), version: 9, contextStart: 8 };
    expect(wakeFor(session).hint?.from).toBe(8);
    expect(wakeFor({ ...session, batch: { slot: 5, waits: [], since: 0 } }).hint?.from).toBe(5);
  });
});
