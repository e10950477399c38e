import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import {
  type CallbackMessage,
  type CallbackOutcome,
  callbackChannel,
  callbackDestination,
  callbackPauses,
  callbackStatus,
} from '../../../shared/agent/outbound/callback.ts';
import { deliver } from '../../../shared/agent/outbound/deliver.ts';
import type { Destination } from '../../../shared/agent/outbound/destination.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { calls, reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { tool } from '../step/reading.fixture.ts';

const HOUR = 3_600_000;
const fatal: ModelOutcome = {
  kind: 'failed',
  failure: { kind: 'fatal', code: 'invalid_request', message: 'no' },
};
const ok: CallbackOutcome = { kind: 'answered', status: 204 };
const status = (code: number, retryAfterMs?: number): CallbackOutcome => ({
  kind: 'answered',
  status: code,
  ...(retryAfterMs && { retryAfterMs }),
});

interface Post extends CallbackMessage {
  readonly at: number;
}
let posts: Post[] = [];
let answers: CallbackOutcome[] = [];
let world: SessionWorld;

/** A session with a callback; the given answers come in turn, then 204. */
async function open(model = scriptedModel(says('one'), says('two'), says('three')), definition = {}) {
  posts = [];
  answers = [];
  world = await sessionWorld(definition, model, { outbound: true });
  await world.outbound.put(world.key, callbackDestination('https://example.com/hook'));
}
beforeEach(() => open());

const channel = (post = async () => answers.shift() ?? ok) =>
  callbackChannel({
    ...world,
    async post(message) {
      posts.push({ ...message, at: world.clock.now() });
      return post();
    },
  });

/** Delivers the pending events, moving the clock from message to message. */
async function settle(most = 2_000, post?: () => Promise<CallbackOutcome>): Promise<void> {
  const { deliveries } = world.queue;
  for (let n = 0; n < most; n++) {
    const received = deliveries.receive();
    if (received) {
      const deadlineAt = world.clock.now() + 120_000;
      const invocation = { id: world.ids.next(), message: received.handle, deadlineAt };
      const end = await deliver(received.wake, invocation, { callback: channel(post) }, world);
      if (end === 'ack') deliveries.delete(received.handle);
      continue;
    }
    const next = deliveries.nextVisibleAt();
    if (next === undefined) return;
    await world.clock.advance(next - world.clock.now());
  }
  throw new Error('it never ends');
}

async function run(text: string): Promise<void> {
  await world.say(text);
  await world.settle();
}
const bodies = () => posts.map(({ body }) => JSON.parse(body));
const kept = async () => (await world.outbound.list(world.key))[0] as Destination;

describe('a callback', () => {
  test('has the object that a run answers with, in its result', async () => {
    await open(scriptedModel(says('Here: {"title":"It crashes"}')), {
      answer: z.object({ title: z.string() }),
    });
    await run('hi');
    await settle();
    expect(bodies()[0]).toMatchObject({
      data: { result: { object: { title: 'It crashes' } }, lastMessage: 'Here: {"title":"It crashes"}' },
    });
  });

  test('is sent when a run ends, with its result and its last message', async () => {
    await run('hi');
    await settle();
    const { session } = await world.view();
    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({ key: world.key, url: 'https://example.com/hook' });
    expect(posts[0]?.id).toMatch(/^evt_s1_\d+$/);
    expect(bodies()[0]).toEqual({
      type: 'session.ended',
      timestamp: new Date(posts[0]?.at ?? 0).toISOString(),
      data: {
        sessionId: 's1',
        agent: 'test',
        runId: session.run?.id,
        state: 'completed',
        reason: 'completed',
        result: expect.objectContaining({ success: true, steps: 1 }),
        lastMessage: 'one',
      },
    });
    expect(await kept()).toMatchObject({ cursor: session.eventSeq, attempts: 0, state: 'active' });
  });

  test('is not sent while a run is going, and is sent once for each end', async () => {
    await open(scriptedModel(calls(['get', {}]), says('done')), { tools: [tool('get')] });
    await world.say('hi');
    await world.step();
    await settle();
    expect(posts).toHaveLength(0);
    await world.settle();
    await settle();
    for (let n = 0; n < 3; n++) await world.queue.deliver(world.key);
    await settle();
    expect(bodies().map(({ data }) => data.lastMessage)).toEqual(['done']);
  });

  test('is sent after a failure, with its reason', async () => {
    await open(scriptedModel(fatal));
    await run('hi');
    await settle();
    expect(bodies()[0]).toMatchObject({
      type: 'session.ended',
      data: { runId: 's1-0', state: 'error', result: { success: false } },
    });
    expect(bodies()[0].data).not.toHaveProperty('lastMessage');
  });

  test('is sent for every run in order, each with its own last message, after an absence of the receiver', async () => {
    answers = [status(500), status(503), ok];
    await run('a');
    await run('b');
    await run('c');
    await settle();
    expect(bodies().map(({ data }) => data.lastMessage)).toEqual(['one', 'one', 'one', 'two', 'three']);
    const ids = posts.map(({ id }) => id);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(new Set(ids).size).toBe(3);
  });

  test('is sent for a question and for the final answer, as two messages of one run', async () => {
    await open(
      scriptedModel(
        reply({
          stop: 'tool_use',
          content: [
            { type: 'text', text: 'One question.' },
            { type: 'tool_use', id: 'q1', name: 'ask_user', input: { question: 'Which one?' } },
          ],
          calls: [{ id: 'q1', name: 'ask_user', input: { question: 'Which one?' } }],
        }),
        says('The blue one it is.'),
      ),
      { tools: [askUser] },
    );
    await run('hi');
    await run('the blue one');
    await settle();
    expect(bodies().map(({ type, data }) => [type, data.runId, data.lastMessage])).toEqual([
      ['session.waiting', 's1-0', 'One question.'],
      ['session.ended', 's1-0.1', 'The blue one it is.'],
    ]);
  });

  test('sends the same bytes under the same id at each try', async () => {
    answers = [status(500), { kind: 'failed', code: 'timeout' }, status(302)];
    await run('hi');
    await settle();
    expect(posts).toHaveLength(4);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(posts.map(({ id }) => id)).size).toBe(1);
    expect(await kept()).toMatchObject({ attempts: 0, state: 'active', memory: { last: 204 } });
  });

  test('cuts long text, and the payload says so', async () => {
    await open(scriptedModel(says('x'.repeat(20_000))));
    await run('hi');
    await settle();
    expect(bodies()[0].data.lastMessage).toHaveLength(16_000);
    expect(bodies()[0].data.lastMessageCut).toBe(true);
  });
});

describe('retries', () => {
  const tries = callbackPauses.length + 1;

  test('are 28 tries over about three days, then the event is given up and the next one is tried', async () => {
    answers = Array.from({ length: tries }, () => status(500));
    await run('a');
    await run('b');
    await settle();
    expect(tries).toBe(28);
    expect(posts).toHaveLength(tries + 1);
    const pauses = posts.slice(1, tries).map(({ at }, i) => at - (posts[i]?.at ?? 0));
    callbackPauses.forEach((pause, i) => {
      expect(pauses[i]).toBeGreaterThanOrEqual(pause);
      expect(pauses[i]).toBeLessThanOrEqual(pause * 1.1 + 2_000);
    });
    const days = ((posts[tries - 1]?.at ?? 0) - (posts[0]?.at ?? 0)) / (24 * HOUR);
    expect(days).toBeGreaterThan(3);
    expect(days).toBeLessThan(4);
    expect(bodies().map(({ data }) => data.lastMessage)).toEqual([...Array(tries).fill('one'), 'two']);
    expect(await kept()).toMatchObject({ state: 'active' });
  });

  test('show an event that was given up until a later event is delivered', async () => {
    answers = Array.from({ length: tries }, () => ({ kind: 'failed', code: 'address_refused' }) as const);
    await run('a');
    await settle();
    expect(callbackStatus(await kept())).toEqual({
      url: 'https://example.com/hook',
      state: 'given_up',
      attempts: 0,
      lastStatus: 'address_refused',
    });
    await run('b');
    await settle();
    expect(callbackStatus(await kept())).toMatchObject({ state: 'active', lastStatus: 204 });
  });

  test.each([1, 4, 10, 15])(
    'reach a receiver that was down for %i minutes within two minutes of its return',
    async (minutes) => {
      const fails = (): CallbackOutcome | undefined =>
        world.clock.now() < backAt ? { kind: 'failed', code: 'timeout' } : undefined;
      await run('hi');
      const backAt = world.clock.now() + minutes * 60_000;
      // A receiver that is down may hold each try until its timeout.
      await settle(2_000, async () => {
        const failed = fails();
        if (failed) await world.clock.advance(15_000);
        return failed ?? ok;
      });
      expect((posts.at(-1)?.at ?? 0) - backAt).toBeLessThan(120_000);
    },
  );

  test('wait as long as the receiver asks, within a day', async () => {
    answers = [status(429, HOUR), status(503, 1000 * HOUR)];
    await run('hi');
    await settle();
    const [first, second, third] = posts.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBe(HOUR);
    expect((third ?? 0) - (second ?? 0)).toBe(24 * HOUR);
  });

  /** Delivers the message that is on the queue now, and none that it delays. */
  async function deliverOnce() {
    const received = world.queue.deliveries.receive();
    const deadlineAt = world.clock.now() + 120_000;
    const message = received?.handle ?? { messageId: '', receiptHandle: '' };
    await deliver(world.key, { id: world.ids.next(), message, deadlineAt }, { callback: channel() }, world);
    if (received) world.queue.deliveries.delete(received.handle);
  }

  /** What `POST /sessions/{sessionId}/callback/try` does. */
  async function tryNow() {
    expect(await world.outbound.hurry(world.key, 'callback')).toBe('hurried');
    await world.queue.deliver({ ...world.key, kind: 'callback' });
  }

  test('can be had at once, while they wait and after a 410', async () => {
    answers = [...Array.from({ length: 20 }, () => status(500)), ok];
    await run('hi');
    for (let n = 0; n < 20; n++) {
      await deliverOnce();
      await tryNow();
    }
    await deliverOnce();
    expect(posts).toHaveLength(21);
    expect(new Set(posts.map(({ id }) => id)).size).toBe(1);
    await settle();
    expect(posts).toHaveLength(21);
    expect(callbackStatus(await kept())).toMatchObject({ state: 'active', attempts: 0, lastStatus: 204 });

    answers = [status(410)];
    await run('again');
    await settle();
    await tryNow();
    await settle();
    expect(posts.slice(21).map(({ id }) => id)).toEqual([posts[21]?.id, posts[21]?.id]);
    expect(callbackStatus(await kept())).toMatchObject({ state: 'active', lastStatus: 204 });
  });

  test('show the next try while they wait', async () => {
    answers = [status(500), status(500)];
    await run('hi');
    await deliverOnce();
    expect(callbackStatus(await kept())).toMatchObject({
      state: 'active',
      attempts: 1,
      lastStatus: 500,
      nextAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  test('end for good after a 410', async () => {
    answers = [status(410)];
    await run('a');
    await run('b');
    await settle();
    await run('c');
    await settle();
    expect(posts).toHaveLength(1);
    expect(callbackStatus(await kept())).toMatchObject({ state: 'disabled', lastStatus: 410 });
  });

  test('after a lost answer send the same message twice, never two messages', async () => {
    let died = false;
    const dying = callbackChannel({
      ...world,
      async post(message) {
        posts.push({ ...message, at: world.clock.now() });
        return ok;
      },
    });
    await run('hi');
    const outbound: typeof world.outbound = {
      ...world.outbound,
      // Its second write is the one that says the event was delivered.
      advance: async (...args) => {
        if (posts.length > 0) throw new Error('died');
        return world.outbound.advance(...args);
      },
    };
    const message = { messageId: 'm', receiptHandle: 'r' };
    const invocation = { id: 'first', message, deadlineAt: world.clock.now() + 120_000 };
    await deliver(world.key, invocation, { callback: dying }, { ...world, outbound }).catch(() => {
      died = true;
    });
    expect(died).toBe(true);
    await world.clock.advance(150_000);
    await settle();
    expect(posts).toHaveLength(2);
    expect(posts[1]).toMatchObject({ id: posts[0]?.id, body: posts[0]?.body });
  });

  test('a turn without time for another post asks for another turn', async () => {
    await run('hi');
    const message = { messageId: 'm', receiptHandle: 'r' };
    const invocation = { id: 'short', message, deadlineAt: world.clock.now() + 10_000 };
    await deliver(world.key, invocation, { callback: channel() }, world);
    expect(posts).toHaveLength(0);
    await settle();
    expect(posts).toHaveLength(1);
  });
});
