import { expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { isRecord } from '../../../shared/agent/plain/merge.ts';

const names = Object.keys(presets) as PresetName[];

/** Every key with its value, by its path. */
const leaves = (value: unknown, path: readonly string[] = []): [string, unknown][] =>
  isRecord(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
    : [[path.join('.'), value]];

function table(part: 'guardrails' | 'limits'): string {
  const columns = names.map((guardrails) => {
    const agent = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's', guardrails });
    return new Map(leaves(agent[part]));
  });
  const keys = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const cell = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? '–'));
  const rows = [
    [`\`${part}\``, ...names],
    ...keys.map((key) => [`\`${key}\``, ...columns.map((column) => cell(column.get(key)))]),
  ];
  // Aligned as the formatter does it.
  const widths = ['', ...names].map((_, i) => Math.max(3, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((text, i) => text.padEnd(widths[i] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('\n');
}

const page = () => `# What each preset sets

Written by \`test/unit/core/preset-table.test.ts\`, which fails when this page and \`shared/agent/config/presets.ts\` differ
(\`vitest run --project unit test/unit/core/preset-table.test.ts -u\` writes it anew). 0 and [] are "off" for most keys; what
a key means, and where its number comes from: [reference/config.md](reference/config.md#guardrails).

## Guards

${table('guardrails')}

## Limits

${table('limits')}

## Numbers that are not the row's

Under \`hamr\` recovery lets the first loop pass (\`recovery.per.infinite_loop\`, as the system of that name does it), and the count
begins again: a run that reads the same thing over and over ends at the tenth read, not at the fifth (H8), and one that repeats a command at
the eighth, not at the fourth (H9); the model is told in between. \`recovery: { total: 0 }\` ends it at the first.

Who is asked before a call starts is not a preset's matter: [tools.md](tools.md#approvals).
`;

test('docs/presets.md says what the presets set', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/presets.md');
});
