import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unaskedCalls } from '../../infra/unasked.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steploop-unasked-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const shared = fileURLToPath(new URL('../../shared/agent', import.meta.url));

/** An agent folder: an agent of each of these definitions, with the same tools. */
async function told(...definitions: string[]): Promise<string[]> {
  await writeFile(
    join(folder, 'index.ts'),
    `import * as z from 'zod';
import { defineAgent } from '${shared}/define/agent.ts';
import { defineTool } from '${shared}/define/tool.ts';
const tool = (name: string, effect: 'read' | 'once', more = {}) =>
  defineTool({ name, description: 'd', effect, input: z.object({}), run: () => 1, ...more });
const tools = [
  tool('look', 'read', { approval: 'never' }),
  tool('refund', 'once'),
  tool('note', 'once', { approval: 'never' }),
  tool('pay', 'once', { approval: () => false }),
];
const base = { version: '1', model: { name: 'm' }, system: 's', tools };
export const agents = [${definitions.map((own, i) => `defineAgent({ ...base, name: 'a${i}', ${own} })`).join(', ')}];
`,
  );
  return unaskedCalls(folder, folder);
}

it('names the once tools of each agent that start without anybody being asked', async () => {
  expect(await told('', "guardrails: 'attocode'", "approvals: 'by_tool'", 'tools: [tools[1]]')).toEqual([
    'The agent a0 asks nobody before it calls what must not be done twice: note.',
    'The agent a1 asks nobody before it calls what must not be done twice: note.',
    'The agent a2 asks nobody before it calls what must not be done twice: refund, note.',
  ]);
});

it('says so when the folder cannot be loaded, and leaves the rest to the bundles', async () => {
  await writeFile(join(folder, 'index.ts'), "throw new Error('not here');\n");
  expect(await unaskedCalls(folder, folder)).toEqual([
    expect.stringMatching(
      /^Whom the agents ask before a call is not known here.*cannot be loaded: not here$/,
    ),
  ]);
});
