import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { Approvals } from '../../../shared/agent/config/approvals.ts';
import { Guardrails } from '../../../shared/agent/config/guardrails.ts';
import { Limits } from '../../../shared/agent/config/limits.ts';
import { Model } from '../../../shared/agent/config/model.ts';
import { PolicyKeys } from '../../../shared/agent/config/policy.ts';
import { SaidContext } from '../../../shared/agent/config/said.ts';
import { ToolSearch } from '../../../shared/agent/config/tool-search.ts';
import { DeploymentKeys } from '../../../shared/agent/define/deployment-keys.ts';
import { declarationsIn, docOf } from '../../support/reference/docstrings.ts';
import { table } from '../../support/reference/table.ts';

const folder = new URL('../../../shared/agent/config/', import.meta.url);
const definition = new URL('../define/deployment-keys.ts', folder);
const declarations = declarationsIn(
  [...readdirSync(folder).map((file) => new URL(file, folder)), definition].map((file) =>
    readFileSync(file, 'utf8'),
  ),
);

interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly prefixItems?: readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly additionalProperties?: Node | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
}

interface Leaf {
  readonly path: readonly string[];
  readonly node: Node;
}

/** Every key that has a value of its own, by its path. `[]` and `{}` stand for the entries of lists and records. */
function leavesOf(node: Node, path: readonly string[] = []): Leaf[] {
  if (node.properties)
    return Object.entries(node.properties).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  const entries = node.items?.properties ? { mark: '[]', of: node.items } : undefined;
  const values =
    typeof node.additionalProperties === 'object' && node.additionalProperties.properties
      ? { mark: '{}', of: node.additionalProperties }
      : undefined;
  const inner = entries ?? values;
  const own: Leaf = { path, node };
  return inner ? [own, ...leavesOf(inner.of, [...path, inner.mark])] : [own];
}

const shown = (node: Node): string => {
  const { type, enum: among, const: one, items, prefixItems, anyOf, additionalProperties } = node;
  if (among)
    return among
      .map((value) => `\`${value}\``)
      .join(' \\| ')
      .replaceAll('\\|', 'or');
  if (one !== undefined) return `\`${one}\``;
  if (anyOf) return anyOf.map(shown).join(' or ');
  if (prefixItems) return `[${prefixItems.map(shown).join(', ')}]`;
  if (type === 'array') return `list of ${items ? shown(items) : 'values'}`;
  if (type === 'object') return typeof additionalProperties === 'object' ? 'by name' : 'object';
  return type ?? 'any';
};

function bounds({ type, minimum, maximum, exclusiveMinimum, minLength, maxLength, maxItems }: Node): string {
  const most = (value: number | undefined) =>
    value === undefined || value >= Number.MAX_SAFE_INTEGER ? undefined : value;
  if (type === 'array') return maxItems === undefined ? '' : `at most ${maxItems}`;
  const low = minimum ?? minLength;
  const from = exclusiveMinimum !== undefined ? `> ${exclusiveMinimum}` : low !== undefined ? `≥ ${low}` : '';
  const upTo = most(maximum ?? maxLength);
  return [from, upTo === undefined ? '' : `≤ ${upTo}`].filter(Boolean).join(', ');
}

const written = (value: unknown): string => (value === undefined ? '–' : `\`${JSON.stringify(value)}\``);

const plain = (doc: string): string => doc.replaceAll(/\{@link (\w+)\}/g, '`$1`').trim();

const rows = (schema: z.ZodType, name: string): string[][] =>
  leavesOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node).map(({ path, node }) => {
    const doc = docOf(
      declarations,
      name,
      path.filter((key) => key !== '[]' && key !== '{}'),
    );
    return [`\`${path.join('.')}\``, shown(node), written(node.default), bounds(node), plain(doc ?? '')];
  });

const parts = [
  ['deployment', DeploymentKeys, 'DeploymentKeys'],
  ['model', Model, 'Model'],
  ['context', SaidContext, 'SaidContext'],
  ['limits', Limits, 'Limits'],
  ['approvals', Approvals, 'Approvals'],
  ['toolSearch', ToolSearch.options[0], 'ToolSearch'],
  ['definePolicy', PolicyKeys, 'PolicyKeys'],
  ['guardrails', Guardrails, 'Guardrails'],
] as const;

const page = () => `# Keys of a definition

Those of \`defineDeployment\` first, then those of \`defineAgent\`. Written by \`test/unit/reference/config.test.ts\` from the schemas in
\`shared/agent/config/\` and \`shared/agent/define/deployment-keys.ts\`, which fails when they differ
(\`vitest run --project unit test/unit/reference -u\` writes it anew). What the presets set: [presets.md](../presets.md).

${parts
  .map(
    ([title, schema, name]) =>
      `## ${title}\n\n${table(['key', 'value', 'default', 'bounds', 'meaning'], rows(schema, name))}`,
  )
  .join('\n\n')}
`;

test('docs/reference/config.md matches the schemas', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/config.md');
});

test('every key has a description', () => {
  const silent = parts.flatMap(([, schema, name]) => rows(schema, name).filter((row) => row.at(-1) === ''));
  expect(silent.map(([key]) => key)).toEqual([]);
});
