import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outputs } from '../../../shared/contract/outputs.ts';
import { membersOf } from '../../support/reference/interfaces.ts';
import { table } from '../../support/reference/table.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const props = read('infra/props.ts');
const construct = read('infra/steploop.ts');

const groups = [...props.matchAll(/^export interface (\w+)/gm)].map(([, name = '']) => name);

/** Public properties of the construct, with their docstrings. */
const parts = [...construct.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}readonly (\w+)/gm)].map(
  ([, doc = '', name = '']) => ({ name, doc }),
);

const typeOf = (type: string) =>
  groups.includes(type) ? `[${type}](#${type.toLowerCase()})` : `\`${type}\``;

const page = () => `# The construct

Written by \`test/unit/reference/construct.test.ts\` from \`infra/props.ts\`, \`infra/steploop.ts\` and \`shared/contract/outputs.ts\`; the test
fails when they differ (\`vitest run --project unit test/unit/reference -u\` writes it anew). How to deploy, and day two:
[deploy.md](../deploy.md).

${groups
  .map(
    (name) =>
      `## ${name}\n\n${table(
        ['prop', 'value', 'default', 'meaning'],
        membersOf(props, name).map(({ name: prop, type, preset, doc }) => [
          `\`${prop}\``,
          typeOf(type),
          preset ?? '',
          doc,
        ]),
      )}`,
  )
  .join('\n\n')}

## Parts

What an app of yours may use of a \`Steploop\`: \`bucket.grantRead(agents.tools)\`.

${table(
  ['part', 'what it is'],
  [
    ...parts.map(({ name, doc }) => [`\`${name}\``, doc]),
    ['`secret(name)`', 'A secret that the definition declares.'],
  ],
)}

## Outputs

Of the stack, with the construct's path before the name. What a definition does not use has none.

${table(
  ['output', 'what it is'],
  Object.entries(outputs).map(([name, what]) => [`\`${name}\``, what]),
)}
`;

test('docs/reference/construct.md lists the props and properties of the construct', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/construct.md');
});

test('every prop has a description and a default', () => {
  const all = groups.flatMap((name) =>
    membersOf(props, name).map((member) => ({ ...member, name: `${name}.${member.name}` })),
  );
  expect(all.length).toBeGreaterThan(25);
  expect(
    all.filter(({ optional, preset }) => optional && preset === undefined).map(({ name }) => name),
  ).toEqual([]);
  expect(all.filter(({ doc, preset }) => doc === '' && preset === undefined).map(({ name }) => name)).toEqual(
    [],
  );
  expect(parts.length).toBeGreaterThan(8);
});
