import { describe, expect, test } from 'vitest';
import {
  calls,
  changed,
  fails,
  says,
  saysAndCalls,
  scriptedModel,
  stops,
} from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { custom, ending, ofType, tool } from './reading.fixture.ts';

const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'x' };

describe('A7: a streamed reply', () => {
  test('A7: keeps its real stop reason: max_tokens is recovered from', async () => {
    const model = scriptedModel(({ stream }) => {
      stream('half a sen');
      return stops('max_tokens', 'half a sen');
    }, says('tence'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();
    expect(model.requests).toHaveLength(2);
    expect(ending(await world.events())).toMatchObject({ state: 'completed', reason: 'completed' });
  });

  test('A7: call ids are the same in events, history and results', async () => {
    const world = await sessionWorld({ tools: [tool('get')] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    const [started] = ofType(events, 'TOOL_CALL_START');
    const [result] = ofType(events, 'TOOL_CALL_RESULT');
    expect(world.model.requests[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: started?.toolCallId }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: result?.toolCallId }] },
    ]);
  });

  test('A7: blocks go back to the model as they came', async () => {
    const odd = {
      type: 'server_tool_use',
      id: 'srv_1',
      name: 'web_search',
      input: { q: 'x' },
      unheard: { of: [1] },
    };
    const result = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [], unheard: 1 };
    const content = [thinking, odd, result, { type: 'text', text: 'Found.' }];
    const model = scriptedModel(says('', { content }), says('ok'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();
    await world.say('more');
    await world.settle();
    expect(model.requests[1]?.messages[1]).toEqual({ role: 'assistant', content });
  });
});

describe('A19: every stream ends exactly once', () => {
  const startedAndEnded = async (world: Awaited<ReturnType<typeof sessionWorld>>) => {
    const events = await world.events();
    await verifyOrder(events);
    const started = ofType(events, 'TEXT_MESSAGE_START').map(({ messageId }) => messageId);
    const ended = ofType(events, 'TEXT_MESSAGE_END').map(({ messageId }) => messageId);
    expect(ended.toSorted()).toEqual(started.toSorted());
    expect(new Set(started).size).toBe(started.length);
    return { events, started };
  };

  test('A19: a normal reply, with thinking on both sides of its text', async () => {
    const content = [thinking, { type: 'text', text: 'A' }, thinking, { type: 'text', text: 'B' }];
    const world = await sessionWorld({}, scriptedModel(says('', { content })));
    await world.say('hi');
    await world.settle();
    const { events } = await startedAndEnded(world);
    expect(ofType(events, 'REASONING_MESSAGE_START')).toHaveLength(2);
    expect(clientView(events).at(-1)).toMatchObject({ role: 'assistant', content: 'AB' });
  });

  test('A19: a provider that fails in the middle of text is aborted, and its text is not shown twice', async () => {
    const model = scriptedModel(({ stream }) => {
      stream('The answer is');
      return fails({ code: 'connection', message: 'closed' });
    }, says('The answer is 42.'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.settle();
    const { events, started } = await startedAndEnded(world);
    expect(custom(events, 'steploop.aborted')).toMatchObject([{ messageIds: [started[1]] }]);
    expect(clientView(events).map((message) => message.content)).toEqual(['hi', 'The answer is 42.']);
  });

  test('A19: a refusal retracts the streamed text', async () => {
    const refusal = stops('refusal', 'Sure, here is how');
    const world = await sessionWorld({}, scriptedModel(refusal));
    await world.say('hi');
    await world.settle();
    const { events } = await startedAndEnded(world);
    expect(clientView(events)).toMatchObject([{ role: 'user' }]);
  });

  test('A19: a stream without any text opens nothing', async () => {
    const world = await sessionWorld(
      { guardrails: { empty: { max: 0, onExhausted: 'accept' } } },
      scriptedModel(says('')),
    );
    await world.say('hi');
    await world.settle();
    const { started } = await startedAndEnded(world);
    expect(started).toEqual(['user-event1']);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('A19: a reply with only calls is shown as calls', async () => {
    const world = await sessionWorld(
      { tools: [tool('get')] },
      scriptedModel(calls(['get', { id: 7 }]), says('ok')),
    );
    await world.say('hi');
    await world.settle();
    const { events } = await startedAndEnded(world);
    expect(clientView(events)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ function: { name: 'get', arguments: '{"id":7}' } }] },
      { role: 'tool', content: 'get done' },
      { role: 'assistant', content: 'ok' },
    ]);
  });

  test('A19: text that history does not keep is not shown', async () => {
    const blank = changed(saysAndCalls('\n\n', ['get', {}]), {});
    const world = await sessionWorld(
      { tools: [tool('get')], guardrails: { empty: { max: 0, onExhausted: 'accept' } } },
      scriptedModel(says(' ', {}), blank),
    );
    await world.say('hi');
    await world.settle();
    const { events } = await startedAndEnded(world);
    expect(clientView(events).map(({ role }) => role)).toEqual(['user']);
  });
});
