import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askedBy } from '../../../shared/agent/define/answer.ts';
import { askOf } from '../../../shared/agent/entrypoints/accept.ts';
import { openAnswers } from '../../../shared/agent/step/open/answers.ts';
import {
  calls,
  changed,
  type Scripted,
  says,
  scriptedModel,
  usage,
} from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { endings, ofType, tool } from './reading.fixture.ts';
import { type Definition, drive, read, sameWhenKilled } from './rows.fixture.ts';

const answer = z.object({
  title: z.string().min(3),
  severity: z.enum(['low', 'high']),
  labels: z.array(z.string()).default([]),
});
const get = tool('get');
const definition: Definition = { answer, tools: [get] };
const given = { title: 'The app crashes', severity: 'high' };
const whole = { ...given, labels: [] };
const json = JSON.stringify(given);
const completed = { state: 'completed', reason: 'completed' };
const invalid = { state: 'error', reason: 'answer_invalid' };
const cut = (text: string) => says(text, { stop: 'max_tokens' });

/** The answer of a run, and the steps to it. */
async function answered(script: readonly Scripted[], more: Definition = {}) {
  const run = await drive({ ...definition, ...more }, script);
  return { ...run, object: endings(run.events).at(-1)?.object };
}

describe('an agent that declares its answer', () => {
  test('the object is the result of the run, as the schema parses it, for every client', async () => {
    const { end, object, told, events } = await answered([calls(['get', {}]), says(json)]);
    expect(object).toEqual(whole);
    expect(end).toMatchObject(completed);
    expect(told).toEqual([]);
    expect(ofType(events, 'RUN_FINISHED')[0]?.result.object).toEqual(whole);
  });

  test('the model gets the schema in its prompt, and its server with every request, beside the tools', async () => {
    const { world } = await answered([calls(['get', {}]), says(json)]);
    const [first, second] = world.model.requests;
    expect(first?.system).toContain('"severity"');
    expect(first?.answer?.schema).toMatchObject({ type: 'object', required: ['title', 'severity'] });
    expect([second?.system, second?.answer, second?.tools]).toEqual([
      first?.system,
      first?.answer,
      first?.tools,
    ]);
  });

  test('an agent without one asks for none, and has none', async () => {
    const { world, events } = await drive({}, [says(json)]);
    expect(world.model.requests[0]).not.toHaveProperty('answer');
    expect(world.model.requests[0]?.system).not.toContain('JSON');
    expect(endings(events)[0]).not.toHaveProperty('object');
  });

  test.each([
    { what: 'in a code fence', text: `\`\`\`json\n${JSON.stringify(given, null, 2)}\n\`\`\`` },
    { what: 'with text around it', text: `Here "you" are: ${json}\nI hope that {this} helps.` },
    { what: 'repeated', text: `${json}\n${json}` },
    { what: 'beside one that does not fit', text: `I had {"title": 1} first.\n${json}` },
    { what: 'after an unclosed brace in the text', text: `The sets {1, 2 and {a: b}: \n${json}` },
    { what: 'with braces and quotes in a text', text: JSON.stringify({ ...given, title: 'a } "b" { \\' }) },
  ])('an object $what is the answer, without the rest of the text', async ({ text }) => {
    const { object, told } = await answered([says(text)]);
    expect(object).toMatchObject({ severity: 'high', labels: [] });
    expect(told).toEqual([]);
  });

  test.each([
    { what: 'text', text: 'It crashes.', says: 'no JSON object' },
    { what: 'an object that does not fit', text: '{"title":"no","severity":"high"}', says: 'title: ' },
    { what: 'a missing field', text: '{"title":"crash"}', says: 'severity: ' },
    {
      what: 'two objects that fit',
      text: `${json} ${JSON.stringify({ ...given, severity: 'low' })}`,
      says: '2 objects',
    },
    { what: 'half an object', text: json.slice(0, -2), says: 'no JSON object' },
    { what: 'a list', text: `[${json.slice(0, -1)}]`, says: 'no JSON object' },
    {
      what: 'an object that is too large',
      text: JSON.stringify({ ...given, title: 'x'.repeat(16_000) }),
      says: 'may have 16000',
    },
    {
      what: 'an object nested too deep',
      text: `{"title":${'['.repeat(200)}${']'.repeat(200)}}`,
      says: 'no JSON object',
    },
  ])('$what is sent back with its errors, and the next one is the answer', async ({ text, says: why }) => {
    const { object, told, internals, end, said } = await answered([says(text), says(json)]);
    expect(told).toEqual(['answer_unfit']);
    expect(internals[0]?.text).toContain(why);
    expect(said).toEqual(['answer/answer_unfit']);
    expect(object).toEqual(whole);
    expect(end).toMatchObject({ ...completed, steps: 2 });
  });

  test('two replies are sent back, and the third ends the run as answer_invalid, without an object', async () => {
    const { end, told, object, events, said } = await answered([says('a'), says('b'), says('c')]);
    expect(told).toEqual(['answer_unfit', 'answer_unfit']);
    expect(end).toEqual({ ...invalid, steps: 3 });
    expect(object).toBeUndefined();
    expect(said.at(-1)).toBe('answer/answer_invalid');
    expect(endings(events)[0]).toMatchObject({ success: false, guard: 'answer', code: 'answer_invalid' });
    expect(ofType(events, 'RUN_ERROR')).toMatchObject([{ code: 'answer_invalid' }]);
  });

  test('a large object is refused before the schema parses it, and one that the schema makes large after', async () => {
    const lengths: number[] = [];
    const text = z.string().refine((title) => lengths.push(title.length));
    const large = says(JSON.stringify({ text: 'x'.repeat(5_000_000) }));
    const more = z.string().default('y'.repeat(16_000));
    const { told, end } = await answered([large, says('{"text":"a"}'), says('{"text":"a"}')], {
      answer: z.object({ text, more }),
    });
    expect(lengths).toEqual([1, 1]);
    expect(told).toEqual(['answer_unfit', 'answer_unfit']);
    expect(end).toMatchObject(invalid);
  });

  test.each(['deployed', 'pinned'])('the %s schema parses no answer with a custom prototype', async (by) => {
    const open = z.looseObject({ map: z.record(z.string(), z.unknown()) });
    const { guardrails } = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' });
    const { read: readAnswer } = await openAnswers(
      { schema: askedBy(open) },
      guardrails,
      by === 'deployed' ? open : undefined,
    );
    const evil = '{"map":{"__proto__":{"admin":true},"constructor":1},"__proto__":{"admin":true}}';
    const given = readAnswer([evil]);
    expect(given.kind === 'fits' && JSON.stringify(given.object)).toBe('{"map":{"constructor":1}}');
  });

  test("a number beyond JSON's range is invalid, with every parser", async () => {
    const world = await sessionWorld(
      { answer: z.object({ n: z.number() }) },
      scriptedModel(says('{"n":1}'), says('{"n":1e999}'), says('{"n":2}')),
    );
    await world.say('One.');
    await world.settle();
    world.deploy({ answer: z.object({ other: z.number() }) });
    await world.say('Two.');
    await world.settle();
    const { events, told } = await read(world);
    expect(told).toEqual(['answer_unfit']);
    expect(endings(events).map(({ object }) => object)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('the definition sets the number of repairs; no other setting accepts an invalid answer', async () => {
    const never = await answered([says('a')], { guardrails: { answer: { maxRepairs: 0 } } });
    expect(never.end).toEqual({ ...invalid, steps: 1 });
    const empty = await answered(Array(5).fill(says('')), {
      guardrails: { empty: { onExhausted: 'accept' } },
    });
    expect(empty.end).toMatchObject(invalid);
    expect(empty.told).toEqual(['empty_response', 'empty_response', 'answer_unfit', 'answer_unfit']);
  });

  test('repairs belong to one answer: calls in between change nothing, the next run has its own', async () => {
    const world = await sessionWorld(
      definition,
      scriptedModel(says('a'), calls(['get', {}]), says('b'), says(json), says('c'), says('d'), says(json)),
    );
    for (const text of ['One.', 'Two.']) {
      await world.say(text);
      await world.settle();
    }
    const { events, told } = await read(world);
    expect(told).toEqual(Array(4).fill('answer_unfit'));
    expect(endings(events).map(({ object }) => object)).toEqual([whole, whole]);
  });

  test('deaths in the middle change no count, and the same object results', async () => {
    const calm = await sameWhenKilled(() => ({
      definition,
      script: [calls(['get', {}]), says('It crashes.'), cut(json.slice(0, 20)), says(json)],
    }));
    expect(endings(calm.events)[0]?.object).toEqual(whole);
  });
});

describe('an answer that was cut', () => {
  test.each([
    { what: 'repeated in full', rest: json },
    { what: 'continued', rest: json.slice(20) },
  ])('$what is complete, and its parts are not streamed as text', async ({ rest }) => {
    const { object, told, internals, events, end } = await answered([cut(json.slice(0, 20)), says(rest)]);
    expect(object).toEqual(whole);
    expect(told).toEqual(['max_tokens_recovery']);
    expect(internals[0]?.text).toContain('from its beginning');
    expect(endings(events)[0]).not.toHaveProperty('answer');
    expect(end).toMatchObject(completed);
  });

  test('again and again is asked to be shorter, then repaired, and then invalid', async () => {
    const half = cut(json.slice(0, 20));
    const { told, end } = await answered([half, half, half, half, half]);
    expect(told).toEqual(['max_tokens_recovery', 'max_tokens_recovery', 'answer_unfit', 'answer_unfit']);
    expect(end).toMatchObject(invalid);
  });
});

describe('ends without an answer', () => {
  test('a refusal of the model is no answer, and is not asked again', async () => {
    const { end, object } = await answered([says('', { stop: 'refusal' })]);
    expect(end).toMatchObject({ state: 'error', reason: 'blocked' });
    expect(object).toBeUndefined();
  });

  test('a run in wrap-up gives its report, which is another object: the answer is not requested', async () => {
    const world = await sessionWorld(definition, scriptedModel());
    const first: Scripted = async () => {
      expect(await askOf(world.key, 'wrap_up', 'ask1', world)).toBe('accepted');
      return calls(['get', {}]);
    };
    world.model.answer(first, says('{"findings":["it is 7"]}'));
    await world.say('Go.');
    await world.settle();
    const { events, end, told } = await read(world);
    expect(world.model.requests.map(({ answer: asked }) => asked !== undefined)).toEqual([true, false]);
    expect(told).toEqual(['wrap_up']);
    expect(end).toMatchObject(completed);
    expect(endings(events)[0]).toMatchObject({ summary: { findings: ['it is 7'] } });
    expect(endings(events)[0]).not.toHaveProperty('object');
  });

  test('the last reply of a run with a used-up budget is its answer, if it is valid', async () => {
    const spent = changed(calls(['get', {}]), usage(1_000, 0));
    const limits = { tokenBudget: 1_000 };
    const more = { guardrails: 'attocode', limits } as const;
    const run = await answered([spent, says(json)], more);
    expect([run.end?.state, run.object]).toEqual(['budget_exceeded', whole]);
    const none = await answered([spent, says('I am not done.')], more);
    expect([none.end?.state, none.object]).toEqual(['budget_exceeded', undefined]);
  });
});

describe('guards of texts', () => {
  test('an object announces no action, whatever its fields say', async () => {
    const { told } = await answered([
      says(JSON.stringify({ ...given, title: "Let me look at it. I'll do it now." })),
    ]);
    expect(told).toEqual([]);
  });

  test('an announcement in text is sent back as one, and uses no repairs', async () => {
    const { told } = await answered([says("I'll look at the logs now."), says(json)]);
    expect(told).toEqual(['planning_prose']);
  });
});

describe('a deploy', () => {
  test('a running session keeps the schema that it began with', async () => {
    const world = await sessionWorld(definition, scriptedModel(says(json), says(json)));
    await world.say('One.');
    await world.settle();
    world.deploy({ ...definition, answer: z.object({ other: z.number() }) });
    await world.say('Two.');
    await world.settle();
    const { events } = await read(world);
    // JSON Schema has defaults, but does not fill them in.
    expect(endings(events).map(({ object }) => object)).toEqual([whole, given]);
  });
});
