import { contains, defineEval, type EvalDefinition, neverCalls, trajectory } from 'steploop/evals';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { playable } from '../../../testing/evals/check.ts';

const lookup = defineTool({
  name: 'lookup_order',
  description: 'Finds an order.',
  effect: 'read',
  input: z.object({ orderId: z.string() }),
  run: () => ({ state: 'sent' }),
});
const agent = defineAgent({
  name: 'support',
  version: '1',
  model: { name: 'm' },
  system: 'You help.',
  tools: [lookup],
});
const right = { name: 'greets', user: 'Hello', expect: [contains('hello')] };

describe('a wrong eval is refused with a sentence:', () => {
  it.each<[string, unknown, string]>([
    [
      'a key that is none',
      { agent, case: [right], cases: [right] },
      'eval support: case: there is no such key',
    ],
    ['a typo in a case', { agent, cases: [{ ...right, exspect: [] }] }, 'did you mean expect?'],
    ['no cases', { agent, cases: [] }, 'eval support: cases: must have a case'],
    ['no agent', { cases: [right] }, 'eval ?: agent: must be an agent made by defineAgent'],
    [
      'nothing said',
      { agent, cases: [{ ...right, user: [] }] },
      'eval support: cases.0.user: must be what people say',
    ],
    ['no scorer', { agent, cases: [{ ...right, expect: ['hello'] }] }, 'cases.0.expect.0: must be a scorer'],
    [
      'a fake that is none',
      { agent, cases: [{ ...right, tools: { lookup_order: 'sent' } }] },
      'cases.0.tools',
    ],
    ['a script of texts', { agent, cases: [{ ...right, script: ['Hi'] }] }, 'must be an answer of the model'],
    ['two cases of one name', { agent, cases: [right, right] }, 'two cases are named "greets"'],
    [
      'a case that expects nothing',
      { agent, cases: [{ ...right, expect: [] }] },
      'the case "greets" expects nothing',
    ],
    ['a name of two lines', { agent, cases: [{ ...right, name: 'a\nb' }] }, 'cases.0.name: must be one line'],
    ['no eval at all', undefined, 'eval ?: the eval'],
  ])('%s', (_what, definition, says) => {
    expect(() => defineEval(definition as EvalDefinition)).toThrow(says);
  });

  it('is valid if its eval expects something of every case', () => {
    const made = defineEval({ agent, expect: [contains('hello')], cases: [{ ...right, expect: undefined }] });
    expect(made.name).toBe('support');
  });
});

describe('unknown names are reported before any case is played:', () => {
  const told = (definition: Partial<EvalDefinition>, says: string) =>
    expect(() => playable([defineEval({ agent, cases: [right], ...definition })], [agent])).toThrow(says);

  it('an agent, a fake, a tool that may run, an expected tool', () => {
    told({ agent: 'suport' }, 'the definition has no agent suport. Is support meant?');
    told(
      { tools: { lookup_oder: () => 1 } },
      'the agent support has no tool lookup_oder. Is lookup_order meant?',
    );
    told({ real: ['refund'] }, 'There are: lookup_order.');
    told({ cases: [{ ...right, expect: [neverCalls('coment')] }] }, 'has no tool coment.');
    told({ cases: [{ ...right, expect: [trajectory([['get', {}]])] }] }, 'has no tool get.');
  });

  it('two evals of one name', () => {
    const one = defineEval({ agent, cases: [right] });
    const other = defineEval({ agent: 'support', cases: [right] });
    expect(() => playable([one, other], [agent])).toThrow('Two evals are named support');
  });

  it('and an agent is looked up by name in the definition', () => {
    const [one] = playable([defineEval({ agent: 'support', cases: [right] })], [agent]);
    expect(one).toMatchObject({ agent, id: 'support / greets' });
  });
});
