import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import type { ToolCall } from '../../../shared/agent/session/slots.ts';
import { groupCalls } from '../../../shared/agent/step/batch/groups.ts';
import { type PlannedCall, toRun } from '../../../shared/agent/step/batch/planned-call.ts';
import { notRun } from '../../../shared/agent/tools/execute.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';

const onFile = (name: string, effect: Tool['effect'], touches?: Tool['touches']): Tool =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    effect,
    approval: 'never',
    input: z.object({ path: z.string().default('') }),
    ...(touches && { touches: (input: unknown) => touches(input) }),
    run: () => 'done',
  });

const itsPath = (input: unknown) => [String(Reflect.get(Object(input), 'path'))];

/** `view` and `edit` declare what they touch; tools without a declaration run as before. */
const tools = [
  onFile('read', 'read'),
  onFile('view', 'read', itsPath),
  onFile('add', 'idempotent'),
  onFile('edit', 'idempotent', itsPath),
  onFile('refund', 'once'),
  onFile('pay', 'once', itsPath),
  onFile('lost', 'idempotent', () => {
    throw new Error('it does not know');
  }),
  onFile('odd', 'idempotent', () => 'a' as unknown as string[]),
  onFile('many', 'idempotent', () => Array.from({ length: 21 }, (_, i) => `f${i}`)),
  onFile('nothing', 'idempotent', () => []),
];

/** `edit a` is a call of `edit` on the path `a`; `= x` is a settled call. */
const planned = (line: string, i: number): PlannedCall => {
  const [name = '', path] = line.split(' ');
  const call: ToolCall = { id: `c${i}`, name, input: path === undefined ? {} : { path } };
  if (name === '=') return { kind: 'settled', call, result: notRun(call, 'refused', 'no') };
  return toRun(
    call,
    tools.find((tool) => tool.name === name),
  );
};

const grouped = (lines: readonly string[]): string[][] => {
  const calls = lines.map(planned);
  return groupCalls(calls).map((group) => group.map((one) => lines[calls.indexOf(one)] ?? ''));
};

describe('T20: groups of calls', () => {
  test.each<{ what: string; groups: string[][] }>([
    { what: 'reads go together', groups: [['read', 'read', 'read']] },
    { what: 'a call without a declared path is alone', groups: [['add'], ['add']] },
    { what: 'unsafe calls are alone', groups: [['read'], ['refund'], ['read', 'read']] },
    { what: 'also with a declared path', groups: [['pay a'], ['pay b'], ['view c']] },
    { what: 'unknown tools fail in order', groups: [['read'], ['nope'], ['read']] },
    { what: 'edits of different files go together', groups: [['edit a', 'edit b', 'edit c/d']] },
    { what: 'edits of one file run in order', groups: [['edit a'], ['edit ./a'], ['edit a']] },
    { what: 'a file and its folder overlap', groups: [['edit src'], ['edit src/a.ts']] },
    { what: 'an empty name is everything', groups: [['edit a'], ['edit']] },
    { what: 'a read of a changed path waits', groups: [['edit a'], ['view a']] },
    { what: 'a change of a read path waits', groups: [['view a'], ['edit a']] },
    { what: 'a read of another path does not', groups: [['edit a', 'view b']] },
    { what: 'a read of an unknown path waits for each change', groups: [['edit a'], ['read'], ['edit b']] },
    { what: 'a name that may be the same is treated as the same', groups: [['edit /a'], ['edit a']] },
    { what: 'a call that touches nothing blocks no other', groups: [['edit a', 'nothing', 'edit b']] },
    { what: 'a declaration that throws counts as unknown', groups: [['lost'], ['edit a']] },
    { what: 'so is one that returns no list', groups: [['odd'], ['edit a']] },
    { what: 'too many to compare are everything', groups: [['many'], ['edit a']] },
    { what: 'an overlong name is everything', groups: [[`edit ${'x'.repeat(1_001)}`], ['edit a']] },
    { what: 'a name that begins like another is another', groups: [['edit a', 'edit ab', 'edit a.ts']] },
    { what: 'no calls, no groups', groups: [] },
  ])('$what', ({ groups }) => {
    expect(grouped(groups.flat())).toEqual(groups);
  });

  test('a call waits only for the calls that it conflicts with', () => {
    expect(grouped(['edit a', 'edit a', 'edit b', 'view b', 'view c', 'edit a'])).toEqual([
      ['edit a', 'edit b', 'view c'],
      ['edit a', 'view b'],
      ['edit a'],
    ]);
  });

  test('arguments that the tool refuses do not declare what it touches', () => {
    const wrong = { id: 'c0', name: 'edit', input: { path: 7 } };
    const edit = tools.find(({ name }) => name === 'edit');
    const calls = [toRun(wrong, edit), planned('edit a', 1)];
    expect(groupCalls(calls).map((group) => group.length)).toEqual([1, 1]);
  });

  test('a settled call may be in a group with any other', () => {
    expect(grouped(['read', '= 1', 'refund', '= 2', 'refund'])).toEqual([
      ['read', '= 1', '= 2'],
      ['refund'],
      ['refund'],
    ]);
  });
});

const someCall = fc
  .tuple(
    fc.constantFrom('read', 'view', 'add', 'edit', 'refund', 'pay', 'nope', 'lost', '='),
    fc.constantFrom('a', 'b', 'src', 'src/a', 'src/b', './a', '/a', '../a', ''),
  )
  .map((words) => words.join(' '));

/** The rule, stated independently: a call that may change what another touches runs before or after it. */
function mustKeepOrder(one: string, other: string): boolean {
  const [[a, at], [b, on]] = [one.split(' '), other.split(' ')];
  if (a === '=' || b === '=') return false;
  const reads = (name: string | undefined) => name === 'read' || name === 'view';
  if (reads(a) && reads(b)) return false;
  const says = (name: string | undefined) => name === 'view' || name === 'edit';
  if (!says(a) || !says(b)) return true;
  const odd = [at, on].some((path) => path === '' || path?.startsWith('/') || path?.startsWith('..'));
  const [p, q] = [at, on].map((path) => `${path?.replace('./', '')}/`);
  return odd || `${p}`.startsWith(`${q}`) || `${q}`.startsWith(`${p}`);
}

describe('T20: any batch', () => {
  test('two conflicting calls are never in one group and keep their order, and each call is in one group, as early as possible', () => {
    fc.assert(
      fc.property(fc.array(someCall, { maxLength: 25 }), (lines) => {
        const calls = lines.map(planned);
        const groups = groupCalls(calls);
        const at = calls.map((call) => groups.findIndex((group) => group.includes(call)));
        expect(groups.flat()).toHaveLength(calls.length);
        expect(groups.every((group) => group.length > 0)).toBe(true);
        for (const [i, line] of lines.entries()) {
          const before = lines.slice(0, i).flatMap((other, j) => (mustKeepOrder(other, line) ? at[j] : []));
          expect(at[i]).toBe(Math.max(-1, ...before.map(Number)) + 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('without declarations only adjacent reads run together, as before', () => {
    const asEver = fc.constantFrom('read', 'add', 'refund', 'nope');
    fc.assert(
      fc.property(fc.array(asEver, { maxLength: 25 }), (lines) => {
        const groups: string[][] = [];
        for (const line of lines) {
          const before = groups.at(-1);
          if (line === 'read' && before?.every((one) => one === 'read')) before.push(line);
          else groups.push([line]);
        }
        expect(grouped(lines)).toEqual(groups);
      }),
      { numRuns: 200 },
    );
  });
});
