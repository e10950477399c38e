import { setTimeout as moment } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { deliver } from '../../../shared/agent/outbound/deliver.ts';
import { type Destination, newDestination } from '../../../shared/agent/outbound/destination.ts';
import { createSlackStore } from '../../../shared/memory/slack.ts';
import { createSlackChannel } from '../../../shared/slack/channel.ts';
import { slackDestination } from '../../../shared/slack/destination.ts';
import { createSlackApi, webClient } from '../../../shared/slack/web-api.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, fails, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type FakeSlack, fakeSlack } from '../../support/fake-slack.ts';
import { foldingModel } from '../../support/folding-model.ts';
import { moveContext } from '../../support/move-context.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { foldsOf, getting, small } from '../step/folds.fixture.ts';

/** A session of the real core that posts to a thread. */
const inThread = async (slack: FakeSlack, ...script: Scripted[]) =>
  threadOf(slack, await sessionWorld({}, scriptedModel(...script), { outbound: true }));

async function threadOf(slack: FakeSlack, world: SessionWorld, shown?: Destination) {
  const store = createSlackStore(world.clock);
  const installation = { team: 'T1', tenant: 'acme', botUser: 'U0BOT', secretId: 'id', installedAt: 0 };
  await store.install(installation);
  const place = { team: 'T1', channel: 'C1', thread: '1.1' };
  await world.outbound.put(world.key, shown ?? newDestination('slack', 'slack', { place, user: 'U1' }));
  const asked: boolean[] = [];
  const logged: unknown[] = [];
  const channel = createSlackChannel({
    store,
    async tokenOf(_installation, fresh = false) {
      asked.push(fresh);
      return 'xoxb-test';
    },
    apiWith: async (token) => createSlackApi(webClient(slack.url, token)),
    sessions: world.sessions,
    blobs: world.blobs,
    clock: world.clock,
    outcomes: async () => ({}),
    log: (...line) => void logged.push(line),
  });
  let count = 0;
  return {
    world,
    store,
    asked,
    logged,
    /** One delivery, moving the clock while it waits. */
    async tell() {
      const id = `delivery${++count}`;
      const invocation = {
        id,
        message: { messageId: id, receiptHandle: id },
        deadlineAt: world.clock.now() + 120_000,
      };
      let settled = false;
      const done = deliver(world.key, invocation, { slack: channel }, world).finally(() => {
        settled = true;
      });
      while (!settled) {
        await moment(2);
        if (world.clock.sleepers() > 0 && !settled) await world.clock.advance(1_000);
      }
      return done;
    },
  };
}

const texts = (slack: FakeSlack) => slack.texts().filter((text) => !text.startsWith(':'));
const settled = async (world: SessionWorld) => expect(await world.settle()).toBeGreaterThan(0);

test('an answer of the core is posted in the thread, once, however often it is delivered', async () => {
  await using slack = await fakeSlack();
  const { world, tell } = await inThread(slack, says('It is *done*.'));
  await world.say('Do it.');
  await settled(world);
  for (let n = 0; n < 3; n++) await tell();
  expect(slack.texts()).toEqual([expect.stringMatching(/^:white_check_mark: 1 step/), 'It is *done*.']);
});

test('a step that dies in the middle of its text: the next attempt continues in the same message', async () => {
  await using slack = await fakeSlack();
  const { world, tell } = await inThread(
    slack,
    async ({ stream }) => {
      stream('I believe that ');
      await world.clock.sleep(2_000);
      return world.kill();
    },
    says('It is so.'),
  );
  await world.say('Is it?');
  expect(await world.step()).toBe('stopped');
  const telling = tell();
  await settled(world);
  await telling;
  await tell();
  expect(texts(slack)).toEqual(['It is so.']);
});

test('a reply that is adopted from a dead owner is posted once', async () => {
  await using slack = await fakeSlack();
  const { world, tell } = await inThread(slack, says('Said before the end.'));
  world.faults.at('sessions.putSlot', async (proceed, host, args) => {
    await world.clock.sleep(2_000);
    return killAfter(proceed, host, args);
  });
  await world.say('Hello?');
  expect(await world.step()).toBe('stopped');
  await tell();
  expect(texts(slack)).toEqual(['Said before the end.']);
  await settled(world);
  await tell();
  expect(texts(slack)).toEqual(['Said before the end.']);
  expect(slack.texts()[0]).toMatch(/^:white_check_mark:/);
});

test('while a model server is waited for the status says so, and retracted text is replaced', async () => {
  await using slack = await fakeSlack();
  const { world, tell } = await inThread(
    slack,
    ({ stream }) => {
      stream('Half of ');
      return fails();
    },
    says('All of it.'),
  );
  await world.say('Go.');
  await world.step();
  await tell();
  expect(slack.texts()).toEqual([
    expect.stringMatching(
      /^:hourglass_flowing_sand: Waiting for the model, next try at <!date\^\d+\^\{time_secs\}\|20[^>]+Z>$/,
    ),
  ]);
  await settled(world);
  await tell();
  expect(texts(slack)).toEqual(['All of it.']);
});

test('an answer that is an object is posted as its fields', async () => {
  await using slack = await fakeSlack();
  const model = scriptedModel(says('{"title":"It crashes","labels":["bug","android"]}'));
  const answer = z.object({ title: z.string(), labels: z.array(z.string()) });
  const { world, tell } = await threadOf(slack, await sessionWorld({ answer }, model, { outbound: true }));
  await world.say('What is it?');
  await settled(world);
  for (let n = 0; n < 3; n++) await tell();
  expect(texts(slack)).toEqual(['**Title:** It crashes\n\n**Labels:**\n- bug\n- android']);
});

test('a renewed token is fetched again', async () => {
  await using slack = await fakeSlack();
  const { world, tell, asked } = await inThread(slack, says('One.'));
  await world.say('1');
  await settled(world);
  slack.next('chat.postMessage', { error: 'token_revoked' });
  await tell();
  expect(asked).toEqual([false, true]);
  expect(texts(slack)).toEqual(['One.']);
});

const away = { error: 'not_in_channel' };

test('a channel that fails for seconds is retried, and gets everything', async () => {
  await using slack = await fakeSlack();
  const { world, tell, logged } = await inThread(slack, says('One.'));
  await world.say('1');
  await settled(world);
  slack.next('chat.postMessage', away, away);
  await tell();
  expect(slack.calls).toHaveLength(1);
  // No try comes early, and no compute is held until then.
  await tell();
  expect(slack.calls).toHaveLength(1);
  await world.clock.advance(15_000);
  await tell();
  expect(slack.calls).toHaveLength(2);
  await world.clock.advance(30_000);
  await tell();
  expect(texts(slack)).toEqual(['One.']);
  expect(slack.texts()[0]).toMatch(/^:white_check_mark:/);
  expect(logged).toHaveLength(1);
});

test('a half-posted answer, with its Stop button, is completed when the channel is back', async () => {
  await using slack = await fakeSlack();
  const { world, tell } = await inThread(slack, async ({ stream }) => {
    stream('Half of it, ');
    await world.clock.sleep(4_000);
    stream('and the rest.');
    await world.clock.sleep(2_000);
    return says('Half of it, and the rest.');
  });
  await world.say('1');
  const running = world.begin();
  slack.next('chat.appendStream', away);
  await tell();
  expect(texts(slack)).toEqual(['Half of it, ']);
  expect(JSON.stringify(slack.messages[0]?.blocks)).toContain('"action_id":"steploop.stop"');
  await running?.finish();
  await tell();
  expect(texts(slack)).toEqual(['Half of it, and the rest.']);
  expect(JSON.stringify(slack.messages[0]?.blocks)).not.toContain('action_id');
});

test('a question during a channel failure is posted there later', async () => {
  await using slack = await fakeSlack();
  const asks = calls(['pay', { to: 'bob' }]);
  const { world, tell } = await inThread(slack, asks, says('Paid.'));
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ to: z.string() }),
    effect: 'once',
    approval: 'always',
    run: async () => 'paid',
  });
  world.deploy({ tools: [pay] });
  await world.say('Pay bob');
  await settled(world);
  slack.next('chat.postMessage', away);
  await tell();
  expect(slack.texts()).toEqual([]);
  await world.clock.advance(15_000);
  await tell();
  const buttons = slack.messages.filter(({ blocks }) => JSON.stringify(blocks).includes('steploop.approve'));
  expect(buttons).toHaveLength(1);
});

test('a message there is answered at once, whatever wait there is, and unposted text comes first', async () => {
  await using slack = await fakeSlack();
  const { world, tell } = await inThread(slack, says('One.'), says('Two.'));
  await world.say('1');
  await settled(world);
  slack.next('chat.postMessage', ...Array.from({ length: 6 }, () => away));
  for (let n = 0; n < 6; n++) {
    await tell();
    await world.clock.advance(15_000 * 2 ** n);
  }
  slack.next('chat.postMessage', away);
  await tell();
  expect(slack.calls).toHaveLength(7);
  await world.say('2');
  await settled(world);
  await tell();
  expect(texts(slack)).toEqual(['One.', 'Two.']);
});

test('a channel that is lost for good is tried ever more rarely, and then not any more', async () => {
  await using slack = await fakeSlack({ fault: () => ({ error: 'is_archived' }) });
  const { world, tell, logged } = await inThread(slack, says('One.'));
  await world.say('1');
  await settled(world);
  const { deliveries } = world.queue;
  const begun = world.clock.now();
  for (;;) {
    const next = deliveries.receive();
    const at = deliveries.nextVisibleAt();
    if (next) {
      await tell();
      deliveries.delete(next.handle);
    } else if (at === undefined) break;
    else await world.clock.advance(at - world.clock.now());
  }
  expect(slack.calls).toHaveLength(21);
  expect(world.clock.now() - begun).toBeGreaterThan(12 * 3_600_000);
  expect(world.clock.now() - begun).toBeLessThan(24 * 3_600_000);
  expect(logged).toHaveLength(2);
});

test('a workspace without the app gets no posts; they are posted when the same tenant has it again', async () => {
  await using slack = await fakeSlack();
  const { world, store, tell } = await inThread(slack, says('One.'), says('Two.'));
  await world.say('1');
  await settled(world);
  await store.uninstall('T1', 1);
  await tell();
  expect(slack.calls).toEqual([]);
  await store.install({ team: 'T1', tenant: 'acme', botUser: 'U0BOT', secretId: 'id', installedAt: 1 });
  await world.say('2');
  await settled(world);
  await tell();
  expect(texts(slack)).toEqual(['One.', 'Two.']);
});

test('a workspace that meanwhile belongs to another tenant gets no posts', async () => {
  await using slack = await fakeSlack();
  const { world, store, tell } = await inThread(slack, says('Secret.'));
  await world.say('1');
  await settled(world);
  await store.uninstall('T1', 1);
  await store.install({ team: 'T1', tenant: 'other', botUser: 'U0BOT', secretId: 'id', installedAt: 1 });
  await tell();
  expect(slack.calls).toEqual([]);
});

test('a thread does not show where the model’s context begins', async () => {
  const shown = async (contextStart: number) => {
    await using slack = await fakeSlack();
    const { world, tell } = await inThread(slack, says('x'.repeat(35_000)), says('Two.'), says('Three.'));
    for (const text of ['First?', 'Second?']) {
      await world.say(text);
      await settled(world);
      await tell();
    }
    await world.say('Third?');
    await moveContext(world, contextStart);
    world.faults.at('sessions.commit', killBefore);
    await settled(world);
    const events = (await world.events()).flatMap((event) => (event.type === 'CUSTOM' ? event.name : []));
    expect(events).toContain('steploop.snapshot_needed');
    await tell();
    return { texts: slack.texts(), asked: world.model.requests.at(-1)?.messages.length };
  };
  const [whole, moved] = [await shown(0), await shown(1)];
  expect(moved.texts).toEqual(whole.texts);
  expect([whole.asked, moved.asked]).toEqual([5, 3]);
});

test('a thread has each answer of a session with compactions once, and nothing of the compactions, whatever dies', async () => {
  const said = ['Ready.', 'Three are counted.', 'Three more.'];
  for (const death of [0, 5, 6, 10, 11, 12]) {
    await using slack = await fakeSlack();
    const script = [
      says('Ready.'),
      ...getting(3),
      says('Three are counted.'),
      ...getting(3, 4),
      says('Three more.'),
    ];
    const world = await sessionWorld(small(), foldingModel({}, ...script), { outbound: true });
    const { tell } = await threadOf(slack, world);
    if (death > 0) world.faults.at('sessions.commit', death % 2 ? killBefore : killAfter, death);
    for (const [i, text] of ['Begin.', 'Count.', 'Go on.'].entries()) {
      await world.say(text);
      for (let n = 0; n < 40 && (await world.step()) !== undefined; n++) if (n % 2) await tell();
      await settled(world).catch(() => {});
      await tell();
      expect(texts(slack)).toEqual(said.slice(0, i + 1));
    }
    const slots = await world.slots();
    expect(foldsOf(slots).length).toBeGreaterThan(0);
  }
});

describe('a session that did not begin in Slack', () => {
  const opened = async (slack: FakeSlack, team = 'T1', ...script: Scripted[]) =>
    threadOf(
      slack,
      await sessionWorld({}, scriptedModel(...script), { outbound: true }),
      slackDestination(team, 'C1', 'triage', 'It <crashes> & burns'),
    );
  const posts = (slack: FakeSlack) => slack.calls.filter(({ method }) => method === 'chat.postMessage');

  test('is shown in a thread that the bot opens, without streams, and the thread is known', async () => {
    await using slack = await fakeSlack();
    const { world, store, tell } = await opened(slack, 'T1', says('One.'), says('Two.'));
    await world.say('Look.');
    await settled(world);
    for (let n = 0; n < 3; n++) await tell();
    const [root, ...rest] = posts(slack);
    expect(root?.args).toMatchObject({ channel: 'C1', text: '*triage*: It &lt;crashes&gt; &amp; burns' });
    expect(root?.args).not.toHaveProperty('thread_ts');
    const [{ memory } = { memory: null }] = await world.outbound.list(world.key);
    const { ts } = (memory as { root: { ts: string } }).root;
    expect(rest.map(({ args }) => args.thread_ts)).toEqual([ts, ts]);
    expect(slack.calls.some(({ method }) => method === 'chat.startStream')).toBe(false);
    expect(await store.linkedTo({ team: 'T1', channel: 'C1', thread: ts })).toEqual(world.key);
    await world.say('And again.');
    await settled(world);
    await tell();
    expect(
      new Set(
        posts(slack)
          .slice(1)
          .map(({ args }) => args.thread_ts),
      ),
    ).toEqual(new Set([ts]));
    expect(texts(slack)).toEqual([expect.stringContaining('triage'), 'One.', 'Two.']);
  });

  test.each(['drop', 'fail', { limited: 2 }] as const)(
    'opens one thread if Slack answers %j first',
    async (first) => {
      await using slack = await fakeSlack();
      const { world, tell } = await opened(slack, 'T1', says('One.'));
      slack.next('chat.postMessage', first);
      await world.say('Look.');
      await settled(world);
      await tell();
      await world.clock.advance(20_000);
      await tell();
      expect(slack.texts().filter((text) => text.startsWith('*triage*'))).toHaveLength(1);
      expect(texts(slack).at(-1)).toBe('One.');
    },
  );

  test('waits for the bot to be invited, and skips nothing', async () => {
    await using slack = await fakeSlack();
    const { world, tell } = await opened(slack, 'T1', says('One.'));
    slack.next('chat.postMessage', { error: 'not_in_channel' });
    await world.say('Look.');
    await settled(world);
    await tell();
    await world.clock.advance(20_000);
    await tell();
    expect(texts(slack)).toEqual([expect.stringContaining('triage'), 'One.']);
  });

  test('of another tenant than the workspace posts nothing, and the log says so', async () => {
    await using slack = await fakeSlack();
    const { world, store, logged, tell } = await opened(slack, 'T9', says('One.'));
    await store.install({ team: 'T9', tenant: 'birch', botUser: 'U9', secretId: 'id', installedAt: 0 });
    await world.say('Look.');
    await settled(world);
    await tell();
    expect(slack.calls).toEqual([]);
    expect(logged).toMatchObject([
      [expect.stringContaining('belongs to another tenant'), { sessionId: 's1' }],
    ]);
  });
});
