import { describe, expect, test } from 'vitest';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { accept, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { endOfStep, makeFork } from '../../../shared/agent/entrypoints/fork.ts';
import { retryRun } from '../../../shared/agent/entrypoints/retry.ts';
import { formats } from '../../../shared/agent/history/formats.ts';
import { turnsOf } from '../../../shared/agent/history/of-slots.ts';
import { toSlots } from '../../../shared/agent/history/to-slots.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { ModelSlot, Slot } from '../../../shared/agent/session/slots.ts';
import { historyFormats } from '../../../shared/contract/history.ts';
import { changed, says, scriptedModel, stops, talksUntilStopped } from '../../../testing/scripted-model.ts';
import { httpSession } from '../../support/http-session.ts';
import { modelRequest } from '../../support/model-call.ts';
import { block, message, text, thinking, toolUse } from '../../support/model-events.ts';
import { modelServer, reply as whole } from '../../support/model-server.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { refusalOfRequest } from '../../support/strict-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { asksFor } from '../workspace/files.fixture.ts';

/** A strict server accepts the messages of every request: the model of a session world answers invalid ones with an error. */

const makeWhole = { importId: 'i', attachmentOf: () => undefined as never };

/** The reason why a server would refuse a message after this conversation. */
const refusedAfter = (slots: readonly Slot[], provider: 'anthropic' | 'openai' = 'anthropic') => {
  const messages = toMessages(slots, [{ text: 'And now?' }]);
  return refusalOfRequest(modelRequest({ provider, messages }));
};

const callsIn = ({ reply }: ModelSlot): unknown[] =>
  (reply?.content ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id);

async function forkOf(world: SessionWorld, slot?: number): Promise<{ tenant: string; sessionId: string }> {
  const { session } = await world.view();
  const below = (await endOfStep(session, slot, world.sessions)) ?? 0;
  const asked = { forkId: `fork${below}`, asked: '', user: 'user:ada', title: 'A fork', by: 'user:ada' };
  const fork = await makeFork(session, below, asked, world);
  if (typeof fork === 'string') throw new Error(fork);
  return fork.key;
}

describe('stop-in-tool-then-history', () => {
  test.each([
    ['a cancel in a call', ['slow', 'queued']],
    ['a cancel in a call and a crash', ['dying', 'queued']],
    ['a cancel during an approval', ['slow', 'queued', 'paid']],
  ])(
    'stop-in-tool-then-history: after %s every call has one result, also in a fork, and after export and import',
    async (_, wanted) => {
      const slow = tool('slow', async () => {
        await cancel(world.key, world);
        return 'seen';
      });
      const dying = tool('dying', async () => {
        await cancel(world.key, world);
        return world.kill();
      });
      const queued = tool('queued', () => 'sent', { where: 'queue' });
      const paid = tool('paid', () => 'paid', { approval: 'always', effect: 'once' });
      const model = scriptedModel(
        asksFor(...wanted.map((name) => [name, {}] as const)),
        says('Stopped, as you said.'),
        says('Here as well.'),
      );
      const world = await sessionWorld({ tools: [slow, dying, queued, paid] }, model);
      await world.say('Do all of it.');
      await settleWithCalls(world);
      await cancel(world.key, world);
      await settleWithCalls(world);
      await world.say('What has come of it?');
      await settleWithCalls(world);
      const slots = await world.slots();
      const asked = slots.flatMap((slot) => (slot.kind === 'model' ? callsIn(slot) : []));
      const results = slots.flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
      expect(results.map(({ callId }) => callId)).toEqual(asked);
      expect(asked).toHaveLength(wanted.length);

      const fork = await forkOf(world, 0);
      await accept(fork, { eventId: 'f1', text: 'And here?' }, world);
      await settleWithCalls(world);
      expect(model.left()).toBe(0);

      for (const name of historyFormats) {
        const { read, write } = formats[name];
        const imported = toSlots(read(write(turnsOf(slots))).turns, makeWhole);
        expect([name, refusedAfter(imported), refusedAfter(imported, 'openai')]).toEqual([
          name,
          undefined,
          undefined,
        ]);
      }
    },
  );
});

describe('thinking-first-block', () => {
  const thought = (words: string, signature: string) => ({ type: 'thinking', thinking: words, signature });

  test('thinking-first-block: thinking, also an empty block, goes back unchanged and in order', async () => {
    const first = [
      thinking('S1', 'First ', 'this.'),
      thinking('S2'),
      block({ type: 'redacted_thinking', data: 'R1' }),
      text('On it.'),
      thinking('S3', 'Then that.'),
      toolUse('toolu_1', 'look', '{"at":1}'),
      toolUse('toolu_2', 'look', '{"at":2}'),
    ];
    await using server = await modelServer(
      whole(message(first, 'tool_use')),
      whole(message([text('Both seen.')])),
      whole(message([text('You are welcome.')])),
    );
    const world = await httpSession({ tools: [tool('look', () => 'seen')] }, { primary: server.url });
    for (const words of ['Look twice.', 'Thanks.']) {
      await world.say(words);
      await world.settle();
    }
    const sent = server.requests.map(({ body }) => (body as unknown as ModelRequest).messages[1]?.content);
    const wanted = [
      thought('First this.', 'S1'),
      thought('', 'S2'),
      { type: 'redacted_thinking', data: 'R1' },
      { type: 'text', text: 'On it.' },
      thought('Then that.', 'S3'),
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'toolu_2', name: 'look', input: { at: 2 } },
    ];
    expect(sent.slice(1).map(withoutMarks)).toEqual([wanted, wanted]);
  });
});

/** Cache breakpoints move with every request, and are not compared. */
const withoutMarks = (content: unknown): unknown =>
  JSON.parse(JSON.stringify(content, (key, value) => (key === 'cache_control' ? undefined : value)));

describe('trailing-assistant-refused', () => {
  const look = tool('look', () => 'seen');
  const endsWith = (requests: readonly ModelRequest[]) =>
    requests.map(({ messages }) => messages.at(-1)?.role);
  const users = (n: number) => Array.from({ length: n }, () => 'user');

  test('trailing-assistant-refused: text that the limit has cut is continued after a text of ours', async () => {
    const model = scriptedModel(stops('max_tokens', 'It is'), says('nine.'));
    const world = await sessionWorld({}, model);
    await world.say('What time is it?');
    await world.settle();
    expect(endsWith(model.requests)).toEqual(users(2));
  });

  test('trailing-assistant-refused: so is a reply that the deadline has cut', async () => {
    const model = scriptedModel(talksUntilStopped('It is'), says('nine.'));
    const world = await sessionWorld({}, model);
    await world.say('What time is it?');
    await world.step({ deadlineMs: 30_000 });
    await world.settle();
    expect(endsWith(model.requests)).toEqual(users(2));
  });

  test('trailing-assistant-refused: a retry after the last allowed step, and after a stop during a reply', async () => {
    const model = scriptedModel(
      asksFor(['look', {}]),
      says('Seen.'),
      talksUntilStopped('It'),
      says('is nine.'),
    );
    const world = await sessionWorld({ tools: [look], limits: { maxSteps: 1 } }, model);
    await world.say('Look.');
    await world.settle();
    expect(await retryRun(world.key, { eventId: 'r1', by: 'user:ada' }, world)).toBe('accepted');
    await world.settle();
    await world.say('What time is it?');
    const running = world.begin();
    await world.clock.advance(1_000);
    await cancel(world.key, world);
    await running?.finish();
    await world.settle();
    expect(await retryRun(world.key, { eventId: 'r2', by: 'user:ada' }, world)).toBe('accepted');
    await world.settle();
    expect(endsWith(model.requests)).toEqual(users(model.requests.length));
    expect(model.left()).toBe(0);
  });

  test('trailing-assistant-refused: a fork that ends with a reply waits for a message, and so does an import', async () => {
    const model = scriptedModel(says('Hello.'), says('Hello again.'));
    const world = await sessionWorld({}, model);
    await world.say('Hi.');
    await world.settle();
    const fork = await forkOf(world, 0);
    expect(await world.step()).toBeUndefined();
    await accept(fork, { eventId: 'f1', text: 'Hi again.' }, world);
    await world.settle();
    expect(endsWith(model.requests)).toEqual(users(2));
    const imported = toSlots(
      formats.openai.read([{ role: 'assistant', content: 'Welcome.' }]).turns,
      makeWhole,
    );
    expect(refusedAfter(imported)?.rule).toBeUndefined();
  });

  test('trailing-assistant-refused: only a paused turn may be last', async () => {
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
    const answer = { content: [found, { type: 'text', text: 'So.' }] };
    const model = scriptedModel(
      says('', { stop: 'pause_turn', content: [search] }),
      changed(says('So.'), answer),
    );
    const world = await sessionWorld({}, model);
    await world.say('Search.');
    await world.settle();
    expect(endsWith(model.requests)).toEqual(['user', 'assistant']);
  });
});
