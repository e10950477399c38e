import { describe, expect, test } from 'vitest';
import { matching } from '../../../local/model/fitting.ts';
import { titleOf } from '../../../shared/agent/session/title.ts';
import { loadReaders } from '../../../shared/agent/tools/json-schema.ts';
import { filledIn } from '../../../shared/contract/form/filled-in.ts';
import { toMrkdwn } from '../../../shared/slack/markdown.ts';
import { mcpDouble, tool } from '../../support/mcp/double.ts';
import { contents, play } from '../../support/mcp/play.ts';

/** Forty letters and one that does not match: a backtracking engine tries 2^40 ways. */
const FORTY = `${'a'.repeat(40)}!`;
const TOO_MUCH = 'too large or too complex to check';

/** `a0` refers to `a1` twice, `a1` to `a2` twice, and so on: 2^40 visits without memoization. */
function doubling(of: (ref: object) => object): object {
  const $defs: Record<string, object> = { a40: { type: 'object' } };
  for (let i = 0; i < 40; i++) $defs[`a${i}`] = of({ $ref: `#/$defs/a${i + 1}` });
  return { $defs, $ref: '#/$defs/a0' };
}

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const named = <T>(count: number, make: (i: number) => T) =>
  Object.fromEntries(many(count, (i) => [`k${i}`, make(i)]));

/** Schemas and arguments that are made to keep a worker busy. Without a limit, all of these would exceed the test's timeout. */
const hostile: readonly (readonly [id: string, schema: object, input: object, told: string | undefined])[] = [
  ['hostile-pattern', { properties: { q: { pattern: '^(a+)+$' } } }, { q: FORTY }, 'must match'],
  ['hostile-pattern-key', { patternProperties: { '^(a+)+$': false } }, { [FORTY]: 1 }, undefined],
  ['hostile-pattern-names', { propertyNames: { pattern: '^(a+)+$' } }, { [FORTY]: 1 }, 'must match'],
  [
    'hostile-pattern-nested',
    { anyOf: [{ not: { required: ['q'], properties: { q: { pattern: '^(a|a)*$' } } } }] },
    { q: FORTY },
    undefined,
  ],
  [
    'hostile-pattern-states',
    { properties: { q: { pattern: '(a|b)*a(a|b){300}[cd]' } } },
    { q: 'ab'.repeat(500_000) },
    TOO_MUCH,
  ],
  [
    'hostile-pattern-many',
    { patternProperties: Object.fromEntries(many(2_000, (i) => [`(a|b)*a(a|b){200}[c${i}]$`, true])) },
    { ['ab'.repeat(300)]: 1 },
    TOO_MUCH,
  ],
  ['hostile-pattern-lookahead', { properties: { q: { pattern: '^(?=(a+)+$)' } } }, { q: FORTY }, undefined],
  ['hostile-format-url', { properties: { q: { format: 'url' } } }, { q: `http://${FORTY}` }, undefined],
  ['hostile-format-email', { properties: { q: { format: 'email' } } }, { q: 'a.'.repeat(900) }, 'format'],
  ['hostile-ref-doubling', doubling((ref) => ({ allOf: [ref, ref] })), {}, undefined],
  ['hostile-ref-any-of', doubling((ref) => ({ anyOf: [{ required: ['no'], ...ref }, ref] })), {}, undefined],
  [
    'hostile-ref-loop',
    {
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      properties: { q: { $ref: '#/$defs/a' } },
    },
    { q: 1 },
    'refers to itself without end',
  ],
  [
    'hostile-unique-items',
    { properties: { q: { uniqueItems: true } } },
    { q: many(4_000, (i) => ({ id: i, inner: { text: 'the same', n: -i } })) },
    undefined,
  ],
  [
    'hostile-enum',
    { properties: { q: { items: { enum: many(20_000, (i) => ({ i })) } } } },
    { q: many(20_000, (i) => ({ i })) },
    undefined,
  ],
  [
    'hostile-any-of',
    { properties: { q: { items: { anyOf: many(2_000, (i) => ({ const: i })) } } } },
    { q: many(20_000, (i) => i) },
    TOO_MUCH,
  ],
  [
    'hostile-properties',
    {
      properties: {
        q: { items: { properties: named(5_000, () => ({})), required: Object.keys(named(5_000, () => 1)) } },
      },
    },
    { q: many(20_000, () => ({})) },
    TOO_MUCH,
  ],
  [
    'hostile-unevaluated',
    { allOf: many(1_000, () => ({ additionalProperties: true })), unevaluatedProperties: false },
    named(5_000, (i) => i),
    TOO_MUCH,
  ],
  ['hostile-depth', {}, JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`), 'nested too deep'],
];

describe('an external schema cannot block a worker', () => {
  test.each(hostile)(
    '%s: the value is checked, or refused in one sentence',
    async (_id, schema, input, told) => {
      const readerOf = await loadReaders();
      const { success, error } = readerOf({ type: 'object', ...schema }).safeParse(input);
      expect(success).toBe(told === undefined);
      if (told !== undefined) expect(JSON.stringify(error?.issues)).toContain(told);
    },
  );

  test('hostile-pattern: in a session only the call fails, and the run continues to its answer', async () => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string', pattern: '^(a+)+$' } } };
    const server = mcpDouble({ tools: [tool('look'), tool('search', { inputSchema })] });
    const run = await play(server.internet, [
      [['search', { q: FORTY }], ['look']],
      [['search', { q: 'aaa' }]],
    ]);
    expect(contents(run)).toEqual([
      expect.stringContaining('must match "^(a+)+$"'),
      'look was called',
      'search was called',
    ]);
    expect(run.answer).toBe('Done.');
  });

  test('hostile-pattern: a pattern that RE2 cannot take is left to the server', async () => {
    const inputSchema = { type: 'object', properties: { q: { type: 'string', pattern: '^(?=(a+)+$)' } } };
    const server = mcpDouble({ tools: [tool('search', { inputSchema })] });
    expect(contents(await play(server.internet, [[['search', { q: FORTY }]]]))).toEqual([
      'search was called',
    ]);
  });

  test('hostile-work: arguments that take too much work fail with a sentence that says what to do', async () => {
    const inputSchema = {
      type: 'object',
      properties: { q: { type: 'string', pattern: '(a|b)*a(a|b){300}[cd]' } },
    };
    const server = mcpDouble({ tools: [tool('search', { inputSchema })] });
    const [content] = contents(await play(server.internet, [[['search', { q: 'ab'.repeat(40_000) }]]]));
    expect(content).toContain('too large or too complex to check against the schema: send less at a time');
  });

  test('hostile-output-schema: the declared schema of the result is never run', async () => {
    const outputSchema = { type: 'object', properties: { q: { type: 'string', pattern: '^(a+)+$' } } };
    const server = mcpDouble({
      tools: [tool('look', { outputSchema })],
      answers: ({ method }) =>
        method === 'tools/call'
          ? { content: [{ type: 'text', text: 'x' }], structuredContent: { q: FORTY } }
          : undefined,
    });
    expect(contents(await play(server.internet, [[['look']]]))).toEqual([expect.stringContaining(FORTY)]);
  });

  test('hostile-local-model: the model of `npm start` matches no text against a backtracking pattern', () => {
    expect(matching('^(a+)+$', `look for ${'a'.repeat(40)}b and aaa`)).toBe('aaa');
    expect(matching('^(?=a)', 'aaa')).toBeUndefined();
  });

  test('hostile-blanks: titles, answers to forms and messages of Slack are read in linear time', () => {
    const blanks = '\t'.repeat(50_000);
    expect(titleOf(`a${blanks}b\nmore`)).toBe('a…');
    const form = { properties: { name: { type: 'string' as const } }, required: ['name'] };
    expect(filledIn(form, `- name${blanks}: ann${blanks}`)).toEqual({ content: { name: 'ann' } });
    expect(filledIn(form, `${blanks}x`)).toEqual({ content: { name: 'x' } });
    expect(toMrkdwn(`**a${' '.repeat(5_000)}b**`)).toBeDefined();
  });
});
