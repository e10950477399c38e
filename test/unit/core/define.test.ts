import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { canonicalJson, hash } from '../../../shared/agent/plain/hash.ts';
import { modelAt, modelsOf } from '../../../shared/agent/session/pinned.ts';
import { tool } from '../step/reading.fixture.ts';

const minimal = { name: 'triage', version: '1', model: { name: 'm' }, system: 'Label issues.' };

/** Definitions that TypeScript would not let pass. */
const untyped = (definition: object) => () => defineAgent(definition as typeof minimal);

describe('A21: defineAgent', () => {
  test('A21: fills the defaults of the four keys and the limits', () => {
    const agent = defineAgent(minimal);
    expect(agent.guardrails).toMatchObject({
      loop: { stepRepeat: { limit: 3 } },
      truncation: { max: 2 },
      budget: { reserveTokens: 512, reserveCostFraction: 0.1 },
    });
    expect(agent.limits).toMatchObject({
      maxSteps: 50,
      scope: 'run',
      timeoutSeconds: 0,
      tokenBudget: 0,
      costLimitUsd: 0,
      maxRetries: 3,
      toolTimeoutSeconds: 300,
      maxToolOutputChars: 50_000,
    });
  });

  test.each([
    { what: 'an unknown key', definition: { ...minimal, limit: {} }, path: 'limit' },
    { what: 'an unknown limit', definition: { ...minimal, limits: { maxStep: 3 } }, path: 'limits' },
    {
      what: 'an unknown guard key',
      definition: { ...minimal, guardrails: { max_repeated: 3 } },
      path: 'guardrails',
    },
    {
      what: 'a number as text',
      definition: { ...minimal, limits: { maxSteps: '3' } },
      path: 'limits.maxSteps',
    },
    {
      what: 'a negative limit',
      definition: { ...minimal, limits: { tokenBudget: -1 } },
      path: 'limits.tokenBudget',
    },
    { what: 'no steps at all', definition: { ...minimal, limits: { maxSteps: 0 } }, path: 'limits.maxSteps' },
    {
      what: 'a fraction above one',
      definition: { ...minimal, guardrails: { budget: { reserveCostFraction: 1.1 } } },
      path: 'guardrails.budget.reserveCostFraction',
    },
    { what: 'a missing system prompt', definition: { ...minimal, system: '' }, path: 'system' },
    { what: 'a bad name', definition: { ...minimal, name: 'no spaces' }, path: 'name' },
    {
      what: 'a provider that is not a name',
      definition: { ...minimal, model: { name: 'm', provider: '' } },
      path: 'model.provider',
    },
    {
      what: 'a server that is not a name',
      definition: { ...minimal, model: { name: 'm', server: '' } },
      path: 'model.server',
    },
    {
      what: 'a fallback with fallbacks',
      definition: { ...minimal, model: { name: 'm', fallbacks: [{ name: 'n', fallbacks: [] }] } },
      path: 'model.fallbacks[0]',
    },
    { what: 'an invalid tool', definition: { ...minimal, tools: [{}] }, path: 'tools[0]' },
    {
      what: 'a policy without definePolicy',
      definition: { ...minimal, policy: { name: 'p', mode: 'yolo', rules: [{ name: 'r' }] } },
      path: 'policy',
    },
    { what: 'an invalid guard', definition: { ...minimal, guards: [{}] }, path: 'guards[0]' },
  ])('A21: $what is refused, and the error names $path', ({ definition, path }) => {
    expect(untyped(definition)).toThrow(path);
  });

  test('A21: all errors are reported at once', () => {
    expect(untyped({ ...minimal, system: '', limits: { maxSteps: 0, nope: 1 } })).toThrow(
      /maxSteps[\s\S]*nope|nope[\s\S]*maxSteps/,
    );
  });

  test('A21: two tools of one name are refused', () => {
    expect(untyped({ ...minimal, tools: [tool('get'), tool('get')] })).toThrow('two tools are named get');
  });

  test('A21: two policies of one name are refused, because decisions are stored by their names', () => {
    const one = definePolicy({ name: 'careful' });
    const other = definePolicy({ name: 'careful', mode: 'yolo' });
    expect(untyped({ ...minimal, policy: one, policyBy: { role: { intern: other } } })).toThrow(
      'two policies are named careful',
    );
    expect(untyped({ ...minimal, policy: one, policyBy: { role: { intern: one } } })).not.toThrow();
  });

  test('A21: an agent is frozen', () => {
    expect(Object.isFrozen(defineAgent(minimal))).toBe(true);
  });

  test('A21: an agent is deeply frozen', () => {
    expect(Object.isFrozen(defineAgent(minimal).limits)).toBe(true);
    expect(Object.isFrozen(defineAgent(minimal).guardrails.loop.callStreak.escalateAt)).toBe(true);
  });

  test.each([{ most: Number.NaN }, { most: () => 3 }, { most: 3n }])(
    'A21: a guard whose settings cannot be stored is refused: %o',
    (settings) => {
      const odd = { ...defineGuard({ name: 'odd', scope: 'run', initial: {}, hooks: {} }), settings };
      expect(() => defineAgent({ ...minimal, guards: [odd as never] })).toThrow(
        /must be JSON.*guards\[0\]\.settings/s,
      );
    },
  );

  test.each(['mine', 'max_steps'])('A21: a second guard named %s is refused', (name) => {
    const guard = () => defineGuard({ name, scope: 'run', initial: {}, hooks: {} });
    expect(
      untyped({
        ...minimal,
        guards: [defineGuard({ name: 'mine', scope: 'run', initial: {}, hooks: {} }), guard()],
      }),
    ).toThrow(name);
  });
});

describe('A21: defineTool', () => {
  const good = {
    name: 'get',
    description: 'Gets.',
    effect: 'read' as const,
    input: z.object({}),
    run: () => 1,
  };
  const toolOf = (spec: object) => () => defineTool(spec as typeof good);

  test.each([
    { what: 'a name with spaces', spec: { ...good, name: 'get it' }, says: 'name' },
    { what: 'a name of 65 characters', spec: { ...good, name: 'x'.repeat(65) }, says: 'name' },
    { what: 'no description', spec: { ...good, description: '' }, says: 'description' },
    { what: 'an unknown effect', spec: { ...good, effect: 'maybe' }, says: 'effect' },
    { what: 'an invalid schema', spec: { ...good, input: { type: 'object' } }, says: 'zod schema' },
    { what: 'no run function', spec: { ...good, run: 'x' }, says: 'function' },
    {
      what: 'a timeout beyond that of an invocation',
      spec: { ...good, timeoutSeconds: 841 },
      says: 'timeoutSeconds',
    },
    { what: 'an unknown key', spec: { ...good, parameters: {} }, says: 'parameters' },
  ])('A21: $what is refused', ({ spec, says }) => {
    expect(toolOf(spec)).toThrow(says);
  });

  test('A21: the error names the tool', () => {
    expect(toolOf({ ...good, effect: 'maybe' })).toThrow(/^tool get:/);
  });
});

describe('pin', () => {
  const price = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };

  test('is data, and the same for the same definition', () => {
    const pinned = () => pin(defineAgent({ ...minimal, tools: [tool('get')] }), price);
    expect(JSON.parse(JSON.stringify(pinned()))).toEqual(pinned());
    expect(hash(canonicalJson(pinned()))).toBe(hash(canonicalJson(pinned())));
  });

  test("A10: the definition's own price beats the table", () => {
    const own = { input: 9, output: 9 };
    expect(pin(defineAgent({ ...minimal, model: { name: 'm', price: own } }), price).price).toMatchObject(
      own,
    );
    expect(pin(defineAgent(minimal), price).price).toEqual(price);
    expect(pin(defineAgent(minimal), undefined)).not.toHaveProperty('price');
  });
});

describe('T14: the models of a definition', () => {
  const price = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };

  test('T14: are the first and its fallbacks, each with its own settings and price', () => {
    const fallbacks = [
      { provider: 'openai' as const, server: 'secondary' as const, name: 'listed', maxTokens: 7 },
      { name: 'priced', price: { input: 9, output: 9 } },
      { name: 'unknown', request: { temperature: 0 } },
    ];
    const agent = defineAgent({ ...minimal, model: { name: 'm', fallbacks } });
    const plain = { provider: 'anthropic', server: 'primary', maxTokens: 8192, request: {} };
    expect(modelsOf(pin(agent, undefined, [price, price]))).toEqual([
      { ...plain, model: 'm' },
      { ...plain, provider: 'openai', server: 'secondary', model: 'listed', maxTokens: 7, price },
      { ...plain, model: 'priced', price: { input: 9, output: 9, cacheRead: 0, cacheWrite: 0 } },
      { ...plain, model: 'unknown', request: { temperature: 0 } },
    ]);
  });

  test('A17: a definition from before there was a choice of kinds is of Anthropic’s kind', () => {
    const { provider: _p, server: _s, ...old } = pin(defineAgent(minimal), price);
    expect(modelAt(old)).toMatchObject({ provider: 'anthropic', server: 'primary', model: 'm', price });
    expect(modelAt(old, 3)).toEqual(modelAt(old));
  });
});

describe('the windows of models', () => {
  const listed = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, window: 200_000 };
  const { window: _, ...price } = listed;

  test('H13: are pinned with the prices, and a definition’s own beats the list', () => {
    const models = {
      name: 'm',
      fallbacks: [{ name: 'f', window: 64_000 }],
      summarizer: { name: 's', maxTokens: 2_000 },
    };
    const pinned = pin(defineAgent({ ...minimal, model: models }), listed, [listed, listed]);
    expect(pinned).toMatchObject({ window: 200_000, price });
    expect(modelsOf(pinned).map(({ window }) => window)).toEqual([200_000, 64_000]);
    expect(pinned.summarizer).toEqual({
      ...{ provider: 'anthropic', server: 'primary', model: 's', maxTokens: 2_000, request: {} },
      ...{ window: 200_000, price },
    });
  });

  test('H13: are absent if they are unknown, and if no other model summarizes', () => {
    const pinned = pin(defineAgent(minimal), price);
    expect(pinned).not.toHaveProperty('window');
    expect(pinned).not.toHaveProperty('summarizer');
  });

  test.each<[string, object]>([
    ['model.maxTokens must be below its window of 8000', { model: { name: 'm', window: 8_000 } }],
    [
      'model.fallbacks[0].maxTokens must be below',
      { model: { name: 'm', fallbacks: [{ name: 'f', window: 8_192 }] } },
    ],
    [
      'model.summarizer.maxTokens must be below',
      { model: { name: 'm', summarizer: { name: 's', window: 1_000 } } },
    ],
    [
      'guardrails.context.reserve must be below',
      { guardrails: { context: { window: 4_000, reserve: 4_000 } } },
    ],
    [
      'model.fallbacks[0] has another provider',
      {
        model: { name: 'm', fallbacks: [{ name: 'f', provider: 'openai' }] },
        guardrails: { context: { strategy: 'server' } },
      },
    ],
    ['must not be above foldAt', { guardrails: { context: { foldAt: 0.4 } } }],
  ])('H13: %s', (says, definition) => {
    expect(untyped({ ...minimal, ...definition })).toThrow(says);
  });

  test('H13: Anthropic’s server may edit the context, also if another model summarizes', () => {
    const model = { name: 'm', summarizer: { name: 's', provider: 'openai' } };
    expect(untyped({ ...minimal, model, guardrails: { context: { strategy: 'server' } } })).not.toThrow();
  });
});

describe('canonicalJson', () => {
  test.each([
    { a: { x: 1, y: [{ b: 1, a: 2 }] }, b: { y: [{ a: 2, b: 1 }], x: 1 }, same: true },
    { a: [1, 2], b: [2, 1], same: false },
    { a: { x: undefined }, b: {}, same: true },
    { a: undefined, b: null, same: true },
    { a: 'x', b: 'y', same: false },
  ])('$a and $b: same $same', ({ a, b, same }) => {
    expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
  });
});
