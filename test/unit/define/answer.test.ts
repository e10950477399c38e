import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from '../../../shared/agent/define/agent.ts';
import type { AnswerOf } from '../../../shared/agent/define/answer.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { rehearse } from '../../../testing/rehearse.ts';
import { says } from '../../../testing/scripted-model.ts';

const basics = { name: 'a', version: '1', model: { name: 'm' }, system: 'You report.' };
const answer = z.object({ severity: z.enum(['low', 'high']), labels: z.array(z.string()).default([]) });
const report = defineAgent({ ...basics, answer });

describe('the answer of an agent', () => {
  test('types the results of its runs', async () => {
    expectTypeOf<AnswerOf<typeof report>>().toEqualTypeOf<{ severity: 'low' | 'high'; labels: string[] }>();
    expectTypeOf<AnswerOf<Agent>>().toEqualTypeOf<unknown>();
    const { object } = await rehearse(report, { user: 'Hi', model: [says('{"severity":"low"}')] });
    expectTypeOf(object).toEqualTypeOf<{ severity: 'low' | 'high'; labels: string[] } | undefined>();
    expect(object).toEqual({ severity: 'low', labels: [] });
  });

  test('is pinned as JSON Schema, with the prompt that asks for it; without one the prompt is the agent’s own', () => {
    const pinned = pin(report, undefined);
    expect(pinned.answer?.schema).toMatchObject({ type: 'object', required: ['severity'] });
    expect(pinned.system).toMatch(/^You report\.\n\n\[steploop\] Your answer is read by a program\./);
    expect(JSON.parse(pinned.system.split('\n').at(-1) ?? '')).toEqual(pinned.answer?.schema);
    const { answer: none, system } = pin(defineAgent(basics), undefined);
    expect([none, system]).toEqual([undefined, 'You report.']);
  });

  test('has the same schema in each process, also if a default is computed each time', () => {
    const at = () =>
      z.object({ at: z.string().default(() => String(Math.random())), n: z.number().default(1) });
    const schemas = [at(), at()].map(
      (made) => pin(defineAgent({ ...basics, answer: made }), undefined).answer?.schema,
    );
    expect(schemas[0]).toEqual(schemas[1]);
    expect(JSON.stringify(schemas[0])).not.toContain('default');
  });

  test('may refer to itself, and is refused with a sentence if its depth is unknown', () => {
    const Tree: z.ZodObject = z.object({
      get kids() {
        return z.array(Tree);
      },
    });
    expect(JSON.stringify(pin(defineAgent({ ...basics, answer: Tree }), undefined).answer)).toContain('$ref');
    let deep = z.object({});
    for (let level = 0; level < 20_000; level++) deep = z.object({ deep });
    expect(() => defineAgent({ ...basics, answer: deep })).toThrow('an answer must be JSON');
  });

  test.each<{ what: string; schema: unknown; says: string }>([
    { what: 'no schema', schema: { title: 'text' }, says: 'must be z.object' },
    { what: 'not an object', schema: z.array(z.string()), says: 'must be z.object' },
    { what: 'a date', schema: z.object({ at: z.date() }), says: 'answer.at: Date cannot be represented' },
    {
      what: 'a transform',
      schema: z.object({ n: z.string().transform((text) => new Map([[text, 1]])) }),
      says: 'Transforms cannot be represented',
    },
  ])('$what is refused, with a sentence', ({ schema, says: why }) => {
    expect(() => defineAgent({ ...basics, answer: schema as typeof answer })).toThrow(why);
  });

  test('reserves the name of its guard', () => {
    const guards = [defineGuard({ name: 'answer', scope: 'run', initial: {}, hooks: {} })];
    expect(() => defineAgent({ ...basics, answer, guards })).toThrow('two guards are named answer');
    expect(defineAgent({ ...basics, guards }).guards).toHaveLength(1);
  });
});
