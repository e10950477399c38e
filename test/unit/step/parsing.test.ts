import { describe, expect, test } from 'vitest';
import { reasoningSplitter } from '../../../shared/agent/step/model/reasoning.ts';
import { says, saysAndCalls, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { custom, resultsOf, tool } from './reading.fixture.ts';
import { type Definition, drive, sameWhenKilled } from './rows.fixture.ts';

const completed = { state: 'completed', reason: 'completed' };
const hamr = (): Definition => ({ guardrails: 'hamr' });

describe('H19: calls that are written as text', () => {
  const get = tool('get', () => 'seven');
  /** A reply with text next to a call of `get` with the id 1. */
  const beside = (text: string) => saysAndCalls(text, ['get', { id: 1 }]);

  test.each([
    'Let me look. <tool_call>{"name": "get", "arguments": {"id": 2}}</tool_call>',
    'I call <invoke name="get"><parameter name="id">2</parameter></invoke>',
    'So: <function=get>{"id": 2}</function>',
    '[TOOL_CALLS] [{"name": "get", "arguments": {"id": 2}}]',
    '<tool_call>{get}</tool_call>',
  ])('H19: %s is a malformed call', async (text) => {
    const { recoveries, end } = await drive({ ...hamr(), tools: [get] }, [says(text), says('It is 7.')]);
    expect(recoveries).toEqual(['malformed_tool_call']);
    expect(end).toMatchObject(completed);
  });

  test.each([
    'Let me look. <tool_call>{"name": "get", "arguments": {"id": 2}}</tool_call>',
    '<tool_call>{get}</tool_call>',
    'Now <tool_call>{"name": "get", "arguments": {"id": 2}</tool_call>',
  ])('H19: %s beside a call: the call runs, and the model is told about the malformed one', async (text) => {
    const script = [beside(text), says('It is 7.')];
    const { told, internals, slots, recoveries, end } = await drive({ ...hamr(), tools: [get] }, script);
    expect({ told, recoveries }).toEqual({ told: ['malformed_call'], recoveries: [] });
    expect(internals[0]?.text).toContain('was not run');
    expect(resultsOf(slots)).toHaveLength(1);
    expect(end).toMatchObject(completed);
  });

  test('H19: for malformed calls beside calls the model is told five times in a run', async () => {
    const script = Array.from({ length: 7 }, (_, n) =>
      saysAndCalls('<tool_call>{get}</tool_call>', ['get', { n }]),
    );
    const { told } = await drive({ ...hamr(), tools: [get] }, [...script, says('It is 7.')]);
    expect(told.filter((reason) => reason === 'malformed_call')).toHaveLength(5);
  });

  test('H19: deaths in the middle report it once', async () => {
    await sameWhenKilled(() => ({
      definition: { ...hamr(), tools: [get] },
      script: [beside('<tool_call>{get}</tool_call>'), says('It is 7.')],
    }));
  });

  test.each([
    {
      what: 'the text of the call itself',
      text: '<tool_call>{"name": "get", "arguments": {"id": 1}}</tool_call>',
    },
    { what: 'a part of it', text: "Let me look. <tool_call> is what I'd write." },
    { what: 'code', text: 'Write `<tool_call>{"name": "get"}</tool_call>`.' },
    { what: 'an unknown tool', text: 'They write <tool_call>{"name": "open"}</tool_call>.' },
    { what: 'markup', text: 'Use <invoice name="get"> or <functional=get>, or x < y.' },
  ])('H19: $what is not another call', async ({ text }) => {
    const both = await drive({ ...hamr(), tools: [get] }, [beside(text), says('It is 7.')]);
    expect(both.told).toEqual([]);
    if (/^<tool_call>/.test(text)) return;
    const alone = await drive({ ...hamr(), tools: [get] }, [says(`Well: ${text}`)]);
    expect({ told: alone.told, recoveries: alone.recoveries }).toEqual({ told: [], recoveries: [] });
  });
});

describe('H19: thinking tags', () => {
  test.each([
    { said: '<think x="1">hm</think>It is 7.', text: 'It is 7.', reasoning: 'hm' },
    { said: '<think >hm</think >It is 7.', text: 'It is 7.', reasoning: 'hm' },
    { said: '<THINKING id=a>hm</thinking>\n\nIt is 7.', text: 'It is 7.', reasoning: 'hm' },
    { said: '<think>a<think>b</think>c</think>It is 7.', text: 'It is 7.', reasoning: 'abc' },
    { said: '<think>\na\n<think>\nb</think>\n</think>\nIt is 7.', text: 'It is 7.', reasoning: 'a\nb' },
    { said: 'I add.</think>\n\nIt is 7.', text: 'It is 7.', reasoning: 'I add.' },
    { said: 'I add.\n</think>\n\nIt is 7.', text: 'It is 7.', reasoning: 'I add.\n' },
    { said: 'I add.\n  </THINKING>It is 7.', text: 'It is 7.', reasoning: 'I add.\n  ' },
    { said: '<think>a</think>A draft.\n</think>\nIt is 7.', text: 'It is 7.', reasoning: 'aA draft.\n' },
    { said: 'a</think>b</think>It is 7.', text: 'It is 7.', reasoning: 'ab' },
    { said: 'I `add` them.</think>It is 7.', text: 'It is 7.', reasoning: 'I `add` them.' },
    {
      said: 'The tags <b> and </think> end it.',
      text: 'The tags <b> and </think> end it.',
      reasoning: undefined,
    },
    { said: 'It ends at "</think>".', text: 'It ends at "</think>".', reasoning: undefined },
    { said: 'So: `x </think> y`.', text: 'So: `x </think> y`.', reasoning: undefined },
    {
      said: 'So:\n```\nhm\n</think>\nIt is 7.\n```\nThat is all.',
      text: 'So:\n```\nhm\n</think>\nIt is 7.\n```\nThat is all.',
      reasoning: undefined,
    },
    {
      said: 'So:\n```\nhm\n```\nI add.\n</think>\nIt is 7.',
      text: 'It is 7.',
      reasoning: 'So:\n```\nhm\n```\nI add.\n',
    },
    { said: '</think>It is 7.', text: 'It is 7.', reasoning: undefined },
    { said: '\n\n</think>\n\nIt is 7.', text: 'It is 7.', reasoning: undefined },
    {
      said: 'Write `<think>…</think>` first.',
      text: 'Write `<think>…</think>` first.',
      reasoning: undefined,
    },
    { said: '`<think>` begins it.</think>Yes.', text: 'Yes.', reasoning: '`<think>` begins it.' },
    { said: 'A `</think>` ends it.', text: 'A `</think>` ends it.', reasoning: undefined },
    {
      said: '<think>they ask of <think> tags</think>They are tags.',
      text: 'They are tags.',
      reasoning: 'they ask of <think> tags',
    },
    {
      said: '<think>a\n<think> is a tag</think>They are tags.',
      text: 'They are tags.',
      reasoning: 'a\n<think> is a tag',
    },
    {
      said: 'if a <thinker> or x < y, <thin>',
      text: 'if a <thinker> or x < y, <thin>',
      reasoning: undefined,
    },
  ])('H19: of $said people read $text', async ({ said, text, reasoning }) => {
    const { slots } = await drive(hamr(), [says(said)]);
    const [first] = slots.filter((slot) => slot.kind === 'model');
    const texts = first?.reply?.content.map((block) => block.text) ?? [];
    expect(texts.join('')).toBe(text);
    expect(first?.reply?.reasoning).toBe(reasoning);
  });

  test('H19: however a stream is cut, tags are recognized as in the whole', async () => {
    for (const whole of [
      'a<think x>b</think >c',
      '<think>a<think>b</think>c</think>d',
      'a</think>b',
      'a\n</think>\nb </think> c\n</think>d',
      'a<think about',
      'Write `<think>…</think>` first.',
    ]) {
      const pieces = (text: readonly string[]) => {
        const splitter = reasoningSplitter();
        const told = { text: '', thinking: '' };
        for (const piece of [...text.flatMap((one) => splitter.push(one)), ...splitter.end()]) {
          if (piece.kind !== 'all_thinking') told[piece.kind] += piece.text;
          else Object.assign(told, { text: '', thinking: told.thinking + told.text });
        }
        return told;
      };
      for (let at = 0; at <= whole.length; at += 1)
        expect([at, pieces([whole.slice(0, at), whole.slice(at)])]).toEqual([at, pieces([whole])]);
      expect(pieces([...whole])).toEqual(pieces([whole]));
    }
  });

  const streamed = (said: string) => {
    const model = scriptedModel(({ stream }) => {
      for (const piece of said.match(/.{1,3}/gs) ?? []) stream(piece);
      return says(said);
    });
    return sessionWorld({}, model);
  };

  test('H19: thinking that was shown as text is retracted, and shown again as thinking', async () => {
    const world = await streamed('I add 3 and 4.\n</think>\n\nIt is 7.');
    await world.say('How much?');
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    const [retracted] = custom(events, 'steploop.aborted');
    expect(retracted).toMatchObject({ messageIds: [expect.any(String)] });
    const thought = events.flatMap((event) =>
      event.type === 'REASONING_MESSAGE_CONTENT' ? [event.delta] : [],
    );
    expect(thought.join('')).toBe('I add 3 and 4.\n');
    expect(clientView(events).map(({ content }) => content)).toEqual(['How much?', 'It is 7.']);
    const [reply] = (await world.slots()).flatMap((slot) => (slot.kind === 'model' ? [slot.reply] : []));
    expect(clientView(events).at(-1)?.id).toBe(reply?.messageId);
    expect(reply?.messageId).not.toBe(retracted?.messageIds[0]);
  });

  test('H19: a lone closing tag before calls leaves the calls', async () => {
    const get = tool('get', () => 'seven');
    const script = [saysAndCalls('I look.\n</think>\n', ['get', { id: 1 }]), says('It is 7.')];
    const { slots, end } = await drive({ tools: [get] }, script);
    expect(resultsOf(slots)).toHaveLength(1);
    expect(end).toMatchObject(completed);
  });

  test('H19: a text of many closing tags is read in time, and is text from the 201st on', () => {
    const splitter = reasoningSplitter();
    const text = 'a </think> '.repeat(30_000);
    expect(splitter.push(text).some(({ kind }) => kind === 'all_thinking')).toBe(false);
    expect(splitter.push('\n</think>').some(({ kind }) => kind === 'all_thinking')).toBe(false);
  });

  test('H19: kept tags are text', async () => {
    const { slots } = await drive({ guardrails: { parsing: { reasoningTags: 'keep' } } }, [
      says('I add.</think>It is 7.'),
    ]);
    const [first] = slots.filter((slot) => slot.kind === 'model');
    expect(first?.reply?.content).toEqual([{ type: 'text', text: 'I add.</think>It is 7.' }]);
  });
});
