import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { declarationOf } from '../../support/reference/interfaces.ts';
import { table } from '../../support/reference/table.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const entries = Object.entries({
  steploop: 'shared/agent/define/index.ts',
  'steploop/cdk': 'infra/index.ts',
  'steploop/client': 'web/client/index.ts',
  'steploop/react': 'web/react/index.ts',
  'steploop/partial': 'web/partial/index.ts',
  'steploop/ag-ui': 'web/ag-ui/index.ts',
  'steploop/testing': 'testing/index.ts',
  'steploop/evals': 'testing/evals/index.ts',
  'steploop/mcp': 'tools/mcp/index.ts',
  'steploop/tools': 'tools/index.ts',
  'steploop/bash': 'tools/bash/index.ts',
  'steploop/typescript': 'tools/typescript/index.ts',
}).map(([entry, path]) => ({ entry, exports: exportsOf(path) }));

/** The exports of an index, with the declaration of each. */
function exportsOf(path: string) {
  return [...read(path).matchAll(/^export (?:type )?\{([^}]+)\} from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) => {
      const source = read(posix.join(posix.dirname(path), from));
      return names
        .split(',')
        .map((name) => name.trim().replace(/^type /, ''))
        .filter((name) => name !== '')
        .map((written) => {
          const [theirs = '', name = theirs] = written.split(' as ');
          return { name, of: declarationOf(source, theirs) };
        });
    },
  );
}

const isValue = (kind: string | undefined) => kind === 'const' || kind === 'function' || kind === 'class';
const sortKey = ({ name, of }: (typeof entries)[number]['exports'][number]) =>
  `${isValue(of?.kind) ? 0 : 1}${name}`;

const page = () => `# What the package exports

Written by \`test/unit/reference/entries.test.ts\` from the docstrings of what each entry exports; the test fails when they differ
(\`vitest run --project unit test/unit/reference -u\` writes it anew). What is not here is not promised ([upgrade.md](../upgrade.md)).
The props of \`Steploop\` are in [construct.md](construct.md).

${entries
  .map(
    ({ entry, exports }) =>
      `## ${entry}\n\n${exports
        .toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)))
        .map(({ name, of }) => {
          const head = `### ${name}\n\n${isValue(of?.kind) ? '' : 'A type. '}${of?.doc ?? ''}`;
          const members = entry === 'steploop/cdk' ? [] : (of?.members ?? []);
          return members.length === 0
            ? head
            : `${head}\n\n${table(
                ['key', 'value', 'meaning'],
                members.map(({ name: key, optional, type, doc }) => [
                  `\`${key}\`${optional ? ' (may be absent)' : ''}`,
                  `\`${type}\``,
                  doc,
                ]),
              )}`;
        })
        .join('\n\n')}`,
  )
  .join('\n\n')}
`;

test('docs/reference/entries.md lists the exports of the entries', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/entries.md');
});

test('every export is found, and has a description', () => {
  const all = entries.flatMap(({ entry, exports }) =>
    exports.map(({ name, of }) => ({ name: `${entry}: ${name}`, of })),
  );
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(({ of }) => of === undefined || of.doc === '').map(({ name }) => name)).toEqual([]);
});
