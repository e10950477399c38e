import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasons, states } from '../../../shared/contract/session.ts';
import { membersOf } from '../../support/reference/interfaces.ts';
import { table } from '../../support/reference/table.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const sessions = read('shared/contract/session.ts');
const events = read('shared/contract/events.ts');

/** The docstring of each text in a list. */
const docsOf = (texts: readonly string[]): string[][] =>
  texts.map((text) => [
    `\`${text}\``,
    new RegExp(`/\\*\\* ([^*]+) \\*/\\n  '${text}',`).exec(sessions)?.[1] ?? '',
  ]);

/** The events of a union, and the fields of each besides its type. */
const union = (name: string): { readonly type: string; readonly keys: string }[] => {
  const body = new RegExp(`export type ${name} =([\\s\\S]*?\\n(?=\\n|export))`).exec(events)?.[1] ?? '';
  return [...body.matchAll(/\| \{ type: '(\w+)'; ([\s\S]*?) \}(?=\n|;)/g)].map(
    ([, type = '', keys = '']) => ({
      type,
      keys,
    }),
  );
};

const plain = union('AgUiEvent').map(({ type, keys }) => [`\`${type}\``, `\`${keys}\``]);
const custom = union('CustomEvent').map(({ keys }) => {
  const [, name = '', value = ''] = /name: '([\w.]+)'; value: (.+)$/s.exec(keys) ?? [];
  return { name, value };
});
const named = [...events.matchAll(/^(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export interface (\w+)/gm)].map(
  ([, doc = '', name = '']) => ({ name, doc: doc.replaceAll(/\s*\n\s*\*? ?/g, ' ').trim() }),
);

const shownType = (type: string): string => `\`${type}\``;

const page = () => `# States, reasons and events

Written by \`test/unit/reference/events.test.ts\` from \`shared/contract/session.ts\` and \`shared/contract/events.ts\`; the test fails when
they differ (\`vitest run --project unit test/unit/reference -u\` writes it anew). What is told when, and what a client can rely on:
[events.md](../events.md).

## States

Of a session: \`state\` in \`GET /sessions/{id}\` and in results.

${table(['state', 'what it means'], docsOf(states))}

## Reasons

\`reason\` says why a run is in its state. The \`code\` beside it is more exact: a guard's ([guards.md](guards.md)), or of a
\`provider_error\` what the model's server said.

${table(['reason', 'how the run ended'], docsOf(reasons))}

## Events of AG-UI

${table(['type', 'beside `type`'], plain)}

## Events of our own

\`CUSTOM\` events, by \`name\`.

${table(
  ['name', '`value`'],
  custom.map(({ name, value }) => [
    `\`${name}\``,
    named.some((one) => one.name === value) ? `[${value}](#${value.toLowerCase()})` : shownType(value),
  ]),
)}

## Values

${named
  .map(
    ({ name, doc }) =>
      `### ${name}\n\n${doc}\n\n${table(
        ['key', 'value', 'meaning'],
        membersOf(events, name).map(({ name: key, optional, type, doc: said }) => [
          `\`${key}\`${optional ? ' (may be absent)' : ''}`,
          shownType(type),
          said,
        ]),
      )}`,
  )
  .join('\n\n')}
`;

test('docs/reference/events.md lists the states, reasons and events', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/events.md');
});

test('every state, reason and value has a description', () => {
  const silent = [...docsOf(states), ...docsOf(reasons)]
    .filter(([, doc]) => doc === '')
    .map(([name]) => name);
  expect([...silent, ...named.filter(({ doc }) => doc === '').map(({ name }) => name)]).toEqual([]);
});

test('every event of the unions is read', () => {
  const types = new Set([...events.matchAll(/\| \{ type: '([A-Z_]+)';/g)].map(([, type]) => type));
  const all = [...plain.map(([type]) => type?.replaceAll('`', '')), 'CUSTOM'];
  expect(new Set(all)).toEqual(types);
  expect(custom.map(({ name }) => name)).toEqual([
    ...new Set([...events.matchAll(/name: '(steploop\.\w+)'/g)].map(([, name]) => name)),
  ]);
});
