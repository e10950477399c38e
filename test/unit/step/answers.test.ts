import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askedBy } from '../../../shared/agent/define/answer.ts';
import { askOf } from '../../../shared/agent/doors/accept.ts';
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

/** What a run answered with, and how it came there. */
async function answered(script: readonly Scripted[], more: Definition = {}) {
  const run = await drive({ ...definition, ...more }, script);
  return { ...run, object: endings(run.events).at(-1)?.object };
}

describe('an agent that declares its answer', () => {
  test('the object is the result of the run, as the schema reads it, for every client', async () => {
    const { end, object, told, events } = await answered([calls(['get', {}]), says(json)]);
    expect(object).toEqual(whole);
    expect(end).toMatchObject(completed);
    expect(told).toEqual([]);
    expect(ofType(events, 'RUN_FINISHED')[0]?.result.object).toEqual(whole);
  });

  test('the model is told of it in its prompt, and its server with every request, beside the tools', async () => {
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

  test('one that declares none is asked for none, and has none', async () => {
    const { world, events } = await drive({}, [says(json)]);
    expect(world.model.requests[0]).not.toHaveProperty('answer');
    expect(world.model.requests[0]?.system).not.toContain('JSON');
    expect(endings(events)[0]).not.toHaveProperty('object');
  });

  test.each([
    { what: 'in a code fence', text: `\`\`\`json\n${JSON.stringify(given, null, 2)}\n\`\`\`` },
    { what: 'with words around it', text: `Here "you" are: ${json}\nI hope that {this} helps.` },
    { what: 'said twice', text: `${json}\n${json}` },
    { what: 'beside one that does not fit', text: `I had {"title": 1} first.\n${json}` },
    { what: 'after a brace of the words that nobody closes', text: `The sets {1, 2 and {a: b}: \n${json}` },
    { what: 'with braces and quotes in a text', text: JSON.stringify({ ...given, title: 'a } "b" { \\' }) },
  ])('an object $what is the answer, and nothing else of the text is', async ({ text }) => {
    const { object, told } = await answered([says(text)]);
    expect(object).toMatchObject({ severity: 'high', labels: [] });
    expect(told).toEqual([]);
  });

  test.each([
    { what: 'text', text: 'It crashes.', says: 'no JSON object' },
    { what: 'an object that does not fit', text: '{"title":"no","severity":"high"}', says: 'title: ' },
    { what: 'a field too little', text: '{"title":"crash"}', says: 'severity: ' },
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
  ])(
    '$what is sent back with what is wrong, and what comes then is the answer',
    async ({ text, says: why }) => {
      const { object, told, internals, end, said } = await answered([says(text), says(json)]);
      expect(told).toEqual(['answer_unfit']);
      expect(internals[0]?.text).toContain(why);
      expect(said).toEqual(['answer/answer_unfit']);
      expect(object).toEqual(whole);
      expect(end).toMatchObject({ ...completed, steps: 2 });
    },
  );

  test('two replies are sent back, and the third ends the run as answer_invalid, without an object', async () => {
    const { end, told, object, events, said } = await answered([says('a'), says('b'), says('c')]);
    expect(told).toEqual(['answer_unfit', 'answer_unfit']);
    expect(end).toEqual({ ...invalid, steps: 3 });
    expect(object).toBeUndefined();
    expect(said.at(-1)).toBe('answer/answer_invalid');
    expect(endings(events)[0]).toMatchObject({ success: false, guard: 'answer', code: 'answer_invalid' });
    expect(ofType(events, 'RUN_ERROR')).toMatchObject([{ code: 'answer_invalid' }]);
  });

  test('what is large is refused before the schema sees it, and what the schema makes large after', async () => {
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

  test.each(['deployed', 'pinned'])(
    'the %s schema reads no answer with a prototype of its own',
    async (by) => {
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
    },
  );

  test('a number that is more than JSON has is none, whoever reads it', async () => {
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

  test('how often is for the definition to say; nothing else accepts what is no answer', async () => {
    const never = await answered([says('a')], { guardrails: { answer: { maxRepairs: 0 } } });
    expect(never.end).toEqual({ ...invalid, steps: 1 });
    const empty = await answered(Array(5).fill(says('')), {
      guardrails: { empty: { onExhausted: 'accept' } },
    });
    expect(empty.end).toMatchObject(invalid);
    expect(empty.told).toEqual(['empty_response', 'empty_response', 'answer_unfit', 'answer_unfit']);
  });

  test('repairs are those of one answer: calls between them change nothing, the next run has its own', async () => {
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

  test('deaths in the middle change no count, and the same object comes of it', async () => {
    const calm = await sameWhenKilled(() => ({
      definition,
      script: [calls(['get', {}]), says('It crashes.'), cut(json.slice(0, 20)), says(json)],
    }));
    expect(endings(calm.events)[0]?.object).toEqual(whole);
  });
});

describe('an answer that was cut', () => {
  test.each([
    { what: 'given anew', rest: json },
    { what: 'gone on with', rest: json.slice(20) },
  ])('$what is whole, and nobody is told its parts as a text', async ({ rest }) => {
    const { object, told, internals, events, end } = await answered([cut(json.slice(0, 20)), says(rest)]);
    expect(object).toEqual(whole);
    expect(told).toEqual(['max_tokens_recovery']);
    expect(internals[0]?.text).toContain('from its beginning');
    expect(endings(events)[0]).not.toHaveProperty('answer');
    expect(end).toMatchObject(completed);
  });

  test('again and again is asked to be shorter, then repaired, and then it is none', async () => {
    const half = cut(json.slice(0, 20));
    const { told, end } = await answered([half, half, half, half, half]);
    expect(told).toEqual(['max_tokens_recovery', 'max_tokens_recovery', 'answer_unfit', 'answer_unfit']);
    expect(end).toMatchObject(invalid);
  });
});

describe('ends without an answer', () => {
  test('a model that refuses is no answer, and is not asked again', async () => {
    const { end, object } = await answered([says('', { stop: 'refusal' })]);
    expect(end).toMatchObject({ state: 'error', reason: 'blocked' });
    expect(object).toBeUndefined();
  });

  test('a run that is asked to wrap up gives its account, which is another object: nobody asks for the answer', async () => {
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

  test('the last word of a run whose budget is used up is its answer, if it is one', async () => {
    const spent = changed(calls(['get', {}]), usage(1_000, 0));
    const limits = { tokenBudget: 1_000 };
    const more = { guardrails: 'attocode', limits } as const;
    const run = await answered([spent, says(json)], more);
    expect([run.end?.state, run.object]).toEqual(['budget_exceeded', whole]);
    const none = await answered([spent, says('I am not done.')], more);
    expect([none.end?.state, none.object]).toEqual(['budget_exceeded', undefined]);
  });
});

describe('guards of words', () => {
  test('whatever the fields of an object say, it announces nothing', async () => {
    const { told } = await answered([
      says(JSON.stringify({ ...given, title: "Let me look at it. I'll do it now." })),
    ]);
    expect(told).toEqual([]);
  });

  test('words that announce are sent back as such, and the repairs are left', async () => {
    const { told } = await answered([says("I'll look at the logs now."), says(json)]);
    expect(told).toEqual(['planning_prose']);
  });
});

describe('a deploy', () => {
  test('a session on its way keeps the schema that it began with', async () => {
    const world = await sessionWorld(definition, scriptedModel(says(json), says(json)));
    await world.say('One.');
    await world.settle();
    world.deploy({ ...definition, answer: z.object({ other: z.number() }) });
    await world.say('Two.');
    await world.settle();
    const { events } = await read(world);
    // JSON Schema knows a default, and fills none in.
    expect(endings(events).map(({ object }) => object)).toEqual([whole, given]);
  });
});
