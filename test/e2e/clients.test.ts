import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Wire } from '../../local/stack/wire.ts';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import { SteploopAgent } from '../../web/ag-ui/agent.ts';
import { connect } from '../../web/client/connect.ts';
import { refused } from '../support/ag-ui.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { message, text } from '../support/model-events.ts';
import { type Step, sse, stream } from '../support/model-server.ts';
import {
  callTools,
  type RuleModel,
  ruleModel,
  sayText,
  sayTextHeld,
  sayTextSlowly,
} from '../support/rule-model.ts';
import { isTerminal, watch } from '../support/watcher.ts';

const words = (n: number) => Array.from({ length: n }, (_, i) => `${i} `);

let model: RuleModel;
let world: Embedded;
let release = Promise.withResolvers<void>();
/** Pushes to clients: their time and size. */
let posts: { at: number; frames: number }[] = [];
/** Set while clients accept nothing. */
let stuck: Promise<void> | undefined;
/** Number of words that the model has streamed of its endless answer. */
let saidWords = 0;

const wire: Wire = {
  async before({ operation, body }) {
    if (operation !== 'PostToConnection' || !body.includes('"frames"')) return;
    posts.push({ at: performance.now(), frames: JSON.parse(body).frames.length });
    await stuck;
  },
};

/** Streams a number each 50 ms until its client disconnects. */
const endless: Step = async (response, left) => {
  const events = message([text('')]);
  const cut = events.findIndex(({ type }) => type === 'content_block_delta');
  await stream(response, events.slice(0, cut), left);
  for (saidWords = 0; !left.aborted; saidWords++) {
    const delta = { type: 'text_delta', text: `${saidWords} ` };
    response.write(sse({ type: 'content_block_delta', index: 0, delta }));
    await pause(50);
  }
};

/** Streams a number each 15 ms until it is released, then ends. */
const long: Step = async (response, left) => {
  let done = false;
  void release.promise.then(() => (done = true));
  const events = message([text('')]);
  const cut = events.findIndex(({ type }) => type === 'content_block_delta');
  await stream(response, events.slice(0, cut), left);
  for (let i = 0; !done && !left.aborted; i++) {
    response.write(
      sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${i} ` } }),
    );
    await pause(15);
  }
  for (const event of events.slice(cut + 1)) response.write(sse(event));
  response.end();
};

beforeAll(async () => {
  model = await ruleModel(({ lastText, turn }) => {
    switch (lastText) {
      case 'long':
        return long;
      case 'endless':
        return endless;
      case 'hold':
        return sayTextHeld('The beginning', release.promise, ' and the end.');
      case '2000 tokens':
        return sayTextSlowly(2, words(2_000));
      case 'paint':
        return callTools(['paint', { color: 'red' }]);
      case 'work':
        return turn === 0 ? callTools(['look', { n: 1 }]) : sayText('Worked.');
      default:
        return sayText('You said: ', lastText, '.');
    }
  });
  world = await embedded({ model, wire });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const committed = async (id: string) =>
  (await world.messages(id)).flatMap((m) => (m.role === 'assistant' && m.content ? [m.content] : []));
const isText = (event: AgUiEvent) => event.type === 'TEXT_MESSAGE_CONTENT' && event.messageId.includes('-0-');

describe('a client', () => {
  test('that drops and reconnects 100 times during a long answer ends with exactly the committed text', async () => {
    release = Promise.withResolvers();
    const open = new Set<WebSocket>();
    class Tracked extends WebSocket {
      constructor(url: string) {
        super(url);
        open.add(this);
        this.addEventListener('close', () => open.delete(this));
      }
    }
    let opened = 0;
    const id = await world.start('long');
    using watcher = watch(world, id, {
      WebSocket: Tracked,
      onStatus(status) {
        if (status === 'open') opened += 1;
      },
    });
    await watcher.seen(isText);
    for (let drops = 0; drops < 100; drops++) {
      const before = opened;
      for (const socket of open) socket.close();
      while (opened === before) await pause(5);
      // Sometimes before it has caught up, sometimes after.
      await pause((drops % 5) * 40);
    }
    release.resolve();
    await watcher.seen(isTerminal);
    expect(opened).toBeGreaterThan(100);
    const texts = await committed(id);
    expect(texts[0]?.split(' ').length).toBeGreaterThan(300);
    expect(watcher.texts('assistant')).toEqual(texts);
    expect(await refused(watcher.events)).toBeUndefined();
  });

  test('sees the first words before the model has finished', async () => {
    release = Promise.withResolvers();
    const id = await world.start('hold');
    using watcher = watch(world, id);
    await watcher.seen(isText);
    expect((await world.session(id)).state).toBe('running');
    release.resolve();
    await watcher.seen(isTerminal);
    expect(watcher.texts('assistant')).toEqual(['The beginning and the end.']);
  });

  test('that reloads does not stop the run, and two see the same', async () => {
    release = Promise.withResolvers();
    const id = await world.start('hold');
    {
      using first = watch(world, id);
      await first.seen(isText);
    }
    using reloaded = watch(world, id);
    using other = watch(world, id);
    await Promise.all([reloaded.seen(isText), other.seen(isText)]);
    release.resolve();
    await Promise.all([reloaded.seen(isTerminal), other.seen(isTerminal)]);
    expect(reloaded.view().items).toEqual(other.view().items);
    expect(reloaded.texts('assistant')).toEqual(['The beginning and the end.']);
    expect(await world.atRest(id)).toMatchObject({ state: 'completed', run: { steps: 1 } });
  });

  test('that presses Stop pays for no more than 2 s of further tokens, and only what was streamed is billed', async () => {
    const id = await world.start('endless');
    using watcher = watch(world, id);
    await watcher.seen((event) => event.type === 'TEXT_MESSAGE_CONTENT' && event.delta.includes('5'));
    const before = saidWords;
    await watcher.client.cancel(id);
    await watcher.seen(isTerminal);
    const session = await world.atRest(id);
    expect(session).toMatchObject({ state: 'cancelled' });
    // 20 words a second.
    expect(saidWords - before).toBeLessThanOrEqual(40);
    const [said = ''] = await committed(id);
    expect(watcher.texts('assistant')).toEqual([said]);
    // The usage of a stream that was cut is estimated, since the model's server does not report it: 4 characters a
    // token.
    expect(session.totals).toMatchObject({ output: Math.ceil(said.length / 4) });
    expect(await refused(watcher.events)).toBeUndefined();
  });

  test('that does not read is dropped, and no step waits for it; then it catches up', async () => {
    const next = await world.start('2000 tokens');
    const stop = Promise.withResolvers<void>();
    posts = [];
    stuck = stop.promise;
    using slow = watch(world, next);
    try {
      expect(await world.atRest(next)).toMatchObject({ state: 'completed' });
      // A client that reads would get the answer in 45 pushes. Each of these ran into its time limit: the catching up
      // of the subscription and the step's own, once more per reconnection.
      expect(posts.length).toBeGreaterThan(0);
      expect(posts.length).toBeLessThanOrEqual(12);
    } finally {
      stuck = undefined;
      stop.resolve();
    }
    await slow.seen(isTerminal);
    expect(slow.texts('assistant')).toEqual(await committed(next));
  });
});

test('an answer of 2,000 tokens is at most 10 pushes a second after the first', async () => {
  const id = await world.start('warm up');
  await world.atRest(id);
  using watcher = watch(world, id);
  await watcher.seen(isTerminal);
  await pause(300);
  posts = [];
  await world.api('POST', `/sessions/${id}/messages`, { message: '2000 tokens' });
  await watcher.seen((event) => event.type === 'TEXT_MESSAGE_CONTENT' && event.delta.includes('1999'));
  await world.atRest(id);
  const [first, ...others] = posts;
  const seconds = ((others.at(-1)?.at ?? 0) - (first?.at ?? 0)) / 1000;
  console.log(`2,000 tokens in ${seconds.toFixed(1)} s: ${posts.length} pushes`);
  expect(others.length).toBeGreaterThan(5);
  expect(others.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1);
  expect(watcher.texts('assistant').at(-1)).toBe(words(2_000).join(''));
});

describe('SteploopAgent', () => {
  const clientOf = () => {
    const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
    return connect({ httpUrl, socketUrl, token: () => world.token });
  };
  const say = (agent: SteploopAgent, content: string) =>
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  const shown = (agent: SteploopAgent) => agent.messages.map(({ role, content }) => [role, content]);

  test('starts a session and continues it, and another agent connects to it', async () => {
    const client = clientOf();
    const agent = new SteploopAgent({ client, agent: 'worker' });
    say(agent, 'hello');
    const mine = agent.messages[0]?.id;
    expect((await agent.runAgent()).result).toMatchObject({ success: true });
    say(agent, 'work');
    await agent.runAgent();
    expect(agent.messages[0]?.id).toBe(mine);
    const texts = await world.messages(agent.threadId);
    expect(shown(agent)).toEqual(texts.map((m) => [m.role, m.content]));

    const asked = model.asked.length;
    const other = new SteploopAgent({ client, agent: 'worker', sessionId: agent.threadId });
    await other.connectAgent();
    expect(shown(other)).toEqual(shown(agent));
    // The last message was sent before, so it is shown and not run again.
    await agent.runAgent();
    expect(shown(agent)).toEqual(shown(other));
    expect(model.asked).toHaveLength(asked);
    client.close();
  });

  test('carries out a call of its page, after a reload too, and its result counts once', async () => {
    const client = clientOf();
    const tools = [{ name: 'paint', description: 'Paints the page.', parameters: { type: 'object' } }];
    const agent = new SteploopAgent({ client, agent: 'worker' });
    say(agent, 'paint');
    await agent.runAgent({ tools });
    const { state, waits } = await client.session(agent.threadId);
    expect([state, waits.map(({ kind }) => kind)]).toEqual(['waiting_for_tool', ['page']]);
    const reloaded = new SteploopAgent({ client: clientOf(), agent: 'worker', sessionId: agent.threadId });
    await reloaded.connectAgent({ tools });
    const toolCallId = String(waits[0]?.toolCallId);
    expect(reloaded.messages.at(-1)).toMatchObject({ toolCalls: [{ id: toolCallId }] });

    const pages = [agent, reloaded].map(async (page, n) => {
      page.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId, content: `painted in ${n}` });
      await page.runAgent({ tools });
    });
    await Promise.all(pages);
    expect(await client.session(agent.threadId)).toMatchObject({ state: 'completed', waits: [] });
    const results = (await world.messages(agent.threadId)).filter(({ role }) => role === 'tool');
    expect(results).toEqual([
      expect.objectContaining({ content: expect.stringMatching(/^painted in [01]$/) }),
    ]);
    for (const page of [agent, reloaded]) {
      expect(shown(page).at(-1)).toEqual(['assistant', 'You said: .']);
      page.client.close();
    }
  });

  test('stops the run, and leaves one that continues', async () => {
    release = Promise.withResolvers();
    const client = clientOf();
    const agent = new SteploopAgent({ client, agent: 'worker' });
    say(agent, 'endless');
    const outcomes: string[] = [];
    await agent.runAgent(
      {},
      {
        onTextMessageContentEvent: ({ event }) => void (event.delta.includes('3') && agent.abortRun()),
        onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome),
      },
    );
    expect(outcomes).toEqual(['cancelled']);
    expect(shown(agent).at(-1)).toEqual(['assistant', (await committed(agent.threadId))[0]]);

    say(agent, 'hold');
    const seen = Promise.withResolvers<void>();
    const left = agent.runAgent(
      {},
      {
        onTextMessageContentEvent: ({ event }) => void (event.delta.includes('beginning') && seen.resolve()),
      },
    );
    await seen.promise;
    await agent.detachActiveRun();
    await left;
    const following = agent.clone().connectAgent();
    release.resolve();
    await following;
    expect(await world.atRest(agent.threadId)).toMatchObject({ state: 'completed' });
    client.close();
  });
});
