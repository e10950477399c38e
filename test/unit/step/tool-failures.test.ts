import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { ending, resultsOf, tool } from './reading.fixture.ts';

/** Calls one tool and returns its result. The run must continue. */
async function resultOf(tools: Tool[], input: unknown = {}, limits = {}, name = tools[0]?.name ?? 'nope') {
  const world = await sessionWorld({ tools, limits }, scriptedModel(calls([name, input]), says('ok')));
  await world.say('hi');
  await world.settle();
  expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 2 });
  const [result] = resultsOf(await world.slots());
  return { world, result };
}

const circular: Record<string, unknown> = {};
circular.self = circular;

describe('A13: failures are results', () => {
  test('A13: an unknown tool', async () => {
    const { result } = await resultOf([tool('get')], {}, {}, 'nope');
    expect(result).toMatchObject({
      outcome: 'error',
      content: 'Error [unknown_tool]: there is no tool named nope.',
    });
  });

  test('A13: arguments that fail the schema report the error, and the tool does not run', async () => {
    let ran = 0;
    const strict = defineTool({
      name: 'label',
      description: 'Labels.',
      effect: 'once',
      input: z.strictObject({ issue: z.int().positive(), labels: z.array(z.string()) }),
      run: () => ++ran,
    });
    const { result } = await resultOf([strict], { issue: 'seven', labels: [1], colour: 'red' });
    expect(ran).toBe(0);
    expect(result?.outcome).toBe('error');
    expect(result?.content).toMatch(/^Error \[invalid_arguments\]: label was not run\.\n/);
    for (const part of ['issue', 'labels[0]', 'colour']) expect(result?.content).toContain(part);
  });

  test('A13: a tool gets its arguments as its schema parses them', async () => {
    const got: unknown[] = [];
    const withDefault = defineTool({
      name: 'list',
      description: 'Lists.',
      effect: 'read',
      input: z.object({ page: z.int().default(1) }),
      run: (input) => got.push(input),
    });
    await resultOf([withDefault], {});
    expect(got).toEqual([{ page: 1 }]);
  });

  test.each<{ what: string; run: () => unknown; content: string }>([
    {
      what: 'throws an error',
      run: () => {
        throw new Error('out of stock');
      },
      content: 'Error [failed]: out of stock',
    },
    { what: 'rejects', run: () => Promise.reject(new Error('late')), content: 'Error [failed]: late' },
    {
      what: 'throws text',
      run: () => {
        throw 'plain';
      },
      content: 'Error [failed]: plain',
    },
    {
      what: 'throws nothing',
      run: () => {
        throw undefined;
      },
      content: 'Error [failed]: undefined',
    },
    {
      what: 'returns a circular value',
      run: () => circular,
      content: 'Error [not_json]: get ran, but what it returned is not JSON.',
    },
    {
      what: 'returns a function',
      run: () => () => 1,
      content: 'Error [not_json]: get ran, but what it returned is not JSON.',
    },
    {
      what: 'returns a symbol',
      run: () => Symbol('x'),
      content: 'Error [not_json]: get ran, but what it returned is not JSON.',
    },
  ])('A13: a tool that $what', async ({ run, content }) => {
    const { result } = await resultOf([tool('get', run)]);
    expect(result).toMatchObject({ outcome: 'error', content });
  });

  test.each<{ what: string; value: unknown; content: string }>([
    { what: 'nothing', value: undefined, content: 'ok' },
    { what: 'empty text', value: '', content: 'ok' },
    { what: 'text', value: 'hello', content: 'hello' },
    { what: 'null', value: null, content: 'null' },
    { what: 'an object', value: { a: [1, 'x'] }, content: '{"a":[1,"x"]}' },
  ])('A13: a tool that returns $what has succeeded', async ({ value, content }) => {
    const { result } = await resultOf([tool('get', () => value)]);
    expect(result).toMatchObject({ outcome: 'ok', content });
  });

  test.each([
    { what: 'its own timeout', limits: {}, own: 7, ms: 7_000 },
    { what: "the agent's", limits: { toolTimeoutSeconds: 20 }, own: undefined, ms: 20_000 },
  ])('A13: a tool that hangs is abandoned after $what, and aborted', async ({ limits, own, ms }) => {
    let told: AbortSignal | undefined;
    const hangs = tool(
      'get',
      (_input, { signal }) => {
        told = signal;
        return new Promise(() => {});
      },
      { timeoutSeconds: own },
    );
    const { result } = await resultOf([hangs], {}, limits);
    expect(result).toMatchObject({ outcome: 'error', durationMs: ms });
    expect(result?.content).toMatch(/^Error \[timeout\]: get did not finish within \d+ s/);
    expect(told?.aborted).toBe(true);
  });

  test('A13: an oversize output is kept whole, and the model is told', async () => {
    const whole = `${'x'.repeat(50_000)}the end`;
    const { world, result } = await resultOf([tool('get', () => whole)]);
    expect(result?.content.length).toBeLessThan(50_200);
    expect(result?.content).toContain('50000 of 50007 characters shown');
    expect(await world.blobs.get(result?.blob ?? '')).toBe(whole);
  });

  test('A13: an output of just the limit is not cut', async () => {
    const { result } = await resultOf([tool('get', () => 'x'.repeat(50_000))]);
    expect(result?.content).toHaveLength(50_000);
    expect(result?.blob).toBeUndefined();
  });

  test('A13: an oversize error is cut too', async () => {
    const { result } = await resultOf([tool('get', () => Promise.reject(new Error('x'.repeat(60_000))))]);
    expect(result?.outcome).toBe('error');
    expect(result?.content.length).toBeLessThan(50_200);
  });

  test('A13: a setting without a value in the deployment is a failure that the model reads', async () => {
    const get = tool('get', (_input, { setting }) => setting('API_URL'), { settings: ['API_URL'] });
    const { result } = await resultOf([get]);
    expect(result?.content).toBe('Error [failed]: this deployment has no setting API_URL');
  });

  test.each([
    ['setting', 'settings'],
    ['secret', 'secrets'],
  ] as const)('A13: a %s that the tool does not declare is refused by its name', async (read, list) => {
    const { result } = await resultOf([tool('get', (_input, context) => context[read]('API_KEY'))]);
    expect(result?.content).toBe(
      `Error [failed]: the tool get does not ask for API_KEY, so add it to its ${list}`,
    );
  });

  test('A13: a schema that throws on the arguments is a failed call', async () => {
    const parses = defineTool({
      name: 'get',
      description: 'Gets.',
      effect: 'read',
      input: z.object({ json: z.string().transform((text): unknown => JSON.parse(text)) }),
      run: () => 'got',
    });
    const { result } = await resultOf([parses], { json: '{' });
    expect(result?.content).toMatch(/^Error \[invalid_arguments\]/);
  });

  test('A13: a tool that throws a value without text', async () => {
    const { result } = await resultOf([tool('get', () => Promise.reject(Object.create(null)))]);
    expect(result?.outcome).toBe('error');
  });

  test.each([
    { what: 'an output cut inside an emoji', value: `${'x'.repeat(49_999)}😀 and more` },
    { what: 'an output with half an emoji', value: '\ud83d alone' },
  ])('A13: $what stays well-formed text', async ({ value }) => {
    const { result } = await resultOf([tool('get', () => value)]);
    expect(result?.content.isWellFormed()).toBe(true);
  });

  test('invariant 7: ill-formed text of a user is sent, and kept, well-formed', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('half an emoji \ud83d');
    await world.settle();
    expect(JSON.stringify(world.model.requests[0])).not.toContain('ud83d');
  });
});
