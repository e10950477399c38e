import { describe, expect, test } from 'vitest';
import { refusedDeclaration } from '../../../shared/models/common/malformed.ts';
import { text } from '../../support/model-events.ts';
import type { Step } from '../../support/model-server.ts';
import { custom, ending, tool } from '../step/reading.fixture.ts';
import { refuses, type Served, type ServedWorld, says, servedWorld } from './served.fixture.ts';

/** A server that refuses a request for the declaration of one tool: the session continues without that tool. */

const toolsIn = ({ raw }: Served): readonly { readonly name: string }[] => JSON.parse(raw).tools ?? [];
const namesIn = (asked: Served | undefined) => (asked ? toolsIn(asked).map(({ name }) => name) : []);
const told = async (world: ServedWorld) => custom(await world.events(), 'steploop.tools_omitted');
const own = (...names: readonly string[]) => names.map((name) => tool(name, () => 'fine'));

/** Refuses a tool of these names, the first of them, as the Messages API counts. */
const without =
  (...odd: readonly string[]) =>
  (asked: Served): Step => {
    const at = toolsIn(asked).findIndex(({ name }) => odd.includes(name));
    return at < 0 ? says(text('ok')) : refuses(`tools.${at}.custom.input_schema: JSON schema is invalid.`);
  };

describe('a tool that a server refuses', () => {
  test('is left out with name and reason, and the run continues with the others', async () => {
    await using world = await servedWorld(without('odd'), { tools: own('look', 'odd', 'find') });
    await world.talk('Hi.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(namesIn(world.served.at(-1))).toEqual(['look', 'find']);
    const why = expect.stringContaining('JSON schema is invalid');
    expect(await told(world)).toEqual([{ source: 'agent', tools: [{ tool: 'odd', why }] }]);
    await world.talk('And?');
    expect(world.served).toHaveLength(3);
    expect(namesIn(world.served.at(-1))).toEqual(['look', 'find']);
    expect(await told(world)).toHaveLength(1);
  });

  test('several are left out one after the other', async () => {
    await using world = await servedWorld(without('a', 'c'), { tools: own('a', 'b', 'c') });
    await world.talk('Hi.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(namesIn(world.served.at(-1))).toEqual(['b']);
    expect((await told(world)).map(({ tools }) => tools[0]?.tool)).toEqual(['a', 'c']);
  });

  test('is counted after the server tools', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const model = { name: 'claude-test-1', serverTools: [search] };
    await using world = await servedWorld(without('odd'), { model, tools: own('look', 'odd') });
    await world.talk('Hi.');
    expect(namesIn(world.served.at(-1))).toEqual(['web_search', 'look']);
  });

  test('is left out in the middle of a session, when the server begins to refuse it', async () => {
    await using world = await servedWorld(
      (asked) => (asked.n === 1 ? says(text('Hi.')) : without('odd')(asked)),
      { tools: own('look', 'odd') },
    );
    await world.talk('Hi.');
    await world.talk('And?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(namesIn(world.served.at(-1))).toEqual(['look']);
  });

  test.each([
    ['a server tool', 'tools.0.web_search_20250305: no'],
    ['an unknown tool', 'tools.7.custom: no'],
  ])('nothing is left out if the refusal names %s', async (_, message) => {
    const model = { name: 'm', serverTools: [{ type: 'web_search_20250305', name: 'web_search' }] };
    await using world = await servedWorld(() => refuses(message), { model, tools: own('look') });
    await world.talk('Hi.');
    expect(world.served).toHaveLength(1);
    expect(ending(await world.events())).toMatchObject({ reason: 'provider_error' });
  });

  test('a server that refuses every tool ends the search when none is left', async () => {
    await using world = await servedWorld(() => refuses('tools.0.custom.name: no'), {
      tools: own('a', 'b', 'c'),
    });
    await world.talk('Hi.');
    expect(world.served).toHaveLength(4);
    expect(ending(await world.events())).toMatchObject({ reason: 'provider_error' });
  });
});

test.each([
  ['tools.42.custom.input_schema.properties: Property keys should match pattern', undefined, { index: 42 }],
  [
    "Invalid schema for function 'find_it': In context=(), object schema missing properties.",
    'tools[3]',
    { name: 'find_it' },
  ],
  [
    "Invalid 'tools[3].function.name': string does not match pattern.",
    'tools[3].function.name',
    { index: 3 },
  ],
  ['Something is wrong.', 'tools[12].function.parameters', { index: 12 }],
  [
    '* GenerateContentRequest.tools[0].function_declarations[5].parameters.properties[x].items: missing field.',
    undefined,
    { index: 5 },
  ],
  ['tools: Tool names must be unique.', undefined, undefined],
  [
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: tools.1',
    undefined,
    undefined,
  ],
  ['max_tokens: 100000 > 64000', undefined, undefined],
])('a refusal that says "%s" names its tool', (words, param, named) => {
  expect(refusedDeclaration(400, words, param)).toEqual(named);
  expect(refusedDeclaration(500, words, param)).toBeUndefined();
});
