import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { actionProblems, type Problems, socketProblems } from '../../../shared/contract/api.ts';
import { SocketRequest } from '../../../shared/contract/http.ts';
import { table } from '../../support/reference/table.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const contract = read('shared/contract/http.ts');
const notices = /export type SocketNotice =([\s\S]*?);\n\n/.exec(contract)?.[1] ?? '';

const rows = (problems: Problems) =>
  Object.entries(problems).map(([status, titles = []]) => [
    status,
    titles.map((title) => `\`${title}\``).join(', '),
  ]);

const actions = SocketRequest.options.map((option) => ({
  action: option.shape.action.value,
  keys: Object.entries(
    (
      z.toJSONSchema(option, { io: 'input' }) as {
        properties: Record<string, { type?: string; default?: unknown }>;
        required: string[];
      }
    ).properties,
  )
    .filter(([key]) => key !== 'action')
    .map(([key, { type, default: preset }]) => ({
      key,
      type,
      preset,
      must: !isOptional(option, key),
    })),
}));

function isOptional(option: (typeof SocketRequest.options)[number], key: string): boolean {
  const { required = [] } = z.toJSONSchema(option, { io: 'input' }) as { required?: string[] };
  return !required.includes(key);
}

const page = () => `# The WebSocket

Written by \`test/unit/reference/socket.test.ts\` from \`SocketRequest\`, \`SocketNotice\` and \`shared/contract/api.ts\`; the test fails when
they differ (\`vitest run --project unit test/unit/reference -u\` writes it anew). How to connect: [clients.md](../clients.md#by-hand).

A client sends JSON objects with an \`action\`. It is pushed \`{ "sessionId", "frames": [{ "seq", "prev", "event" }] }\`
([events.md](events.md)), and notices:

\`\`\`
${notices
  .split('\n')
  .filter((line) => !line.includes('/**'))
  .join('\n')
  .replaceAll('readonly ', '')
  .replaceAll(/^ {2}/gm, '')
  .trim()}
\`\`\`

${actions
  .map(({ action, keys }) => {
    const takes =
      keys.length === 0
        ? 'It takes nothing more.'
        : table(
            ['key', 'value', 'must be sent'],
            keys.map(({ key, type, preset, must }) => [
              `\`${key}\``,
              `${type ?? 'any'}${preset === undefined ? '' : `, ${JSON.stringify(preset)} when absent`}`,
              must ? 'yes' : 'no',
            ]),
          );
    const problems = rows(actionProblems[action]);
    return `## ${action}\n\n${takes}${problems.length === 0 ? '' : `\n\n${table(['status', 'problem'], problems)}`}`;
  })
  .join('\n\n')}

## Problems of every action

An \`error\` notice has the problem document of the HTTP API ([http.md](http.md)) as \`problem\`.

${table(['status', 'problem'], rows(socketProblems))}
`;

test('docs/reference/socket.md lists the actions and their answers', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/socket.md');
});

test('every problem that answers an action is listed', () => {
  const source = read('functions/routes/socket-actions.ts');
  const told = [...source.matchAll(/(?:Refusal\(\d+, |notConnected\()'([^']+)'/g)].map(
    ([, title = '']) => title,
  );
  const listed = [socketProblems, ...Object.values(actionProblems)].flatMap((one) =>
    Object.values(one).flat(),
  );
  expect(told.length).toBeGreaterThan(4);
  expect(told.filter((title) => !listed.includes(title))).toEqual([]);
});
