import { describe, expect, test } from 'vitest';
import { reasoningSplitter } from '../../../shared/agent/step/model/reasoning.ts';
import { says, saysAndCalls } from '../../../testing/scripted-model.ts';
import { resultsOf, tool } from './reading.fixture.ts';
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
    { said: 'I add.</think>\n\nIt is 7.', text: 'I add.It is 7.', reasoning: undefined },
    { said: '</think>It is 7.', text: 'It is 7.', reasoning: undefined },
    {
      said: 'Write `<think>…</think>` first.',
      text: 'Write `<think>…</think>` first.',
      reasoning: undefined,
    },
    { said: '`<think>` begins it.</think>Yes.', text: '`<think>` begins it.Yes.', reasoning: undefined },
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
      'a<think about',
      'Write `<think>…</think>` first.',
    ]) {
      const pieces = (text: readonly string[]) => {
        const splitter = reasoningSplitter();
        const all = [...text.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
        const of = (kind: string) =>
          all.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join('');
        return [of('text'), of('thinking')];
      };
      for (let at = 0; at <= whole.length; at += 1)
        expect([at, pieces([whole.slice(0, at), whole.slice(at)])]).toEqual([at, pieces([whole])]);
      expect(pieces([...whole])).toEqual(pieces([whole]));
    }
  });
});
