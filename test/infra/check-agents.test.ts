import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAgents, WrongAgents } from '../../infra/check-agents.ts';

const own = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

describe('a folder of agents', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'steploop-agents-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  /** What is said of a folder with this `index.ts`. */
  async function saidOf(name: string, index: string | undefined): Promise<string> {
    const folder = join(root, name);
    await mkdir(folder);
    if (index !== undefined) await writeFile(join(folder, 'index.ts'), index);
    return said(folder);
  }
  async function said(folder: string): Promise<string> {
    const error = await checkAgents(folder, root).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WrongAgents);
    return (error as Error).message;
  }
  const rest = 'export const webhooks = {}; export const slack = { agentFor: () => undefined };';

  test.each(['agents', 'test/support/agents'])('is right: %s', async (name) => {
    await checkAgents(own(name), root);
  });

  test('must be one', async () => {
    await writeFile(join(root, 'file'), '');
    expect(await said(join(root, 'file'))).toContain('is no folder: name the one that has your index.ts');
    expect(await said(join(root, 'absent'))).toContain('There is no folder');
    expect(await saidOf('empty', undefined)).toContain(
      'has no index.ts: it must export agents, webhooks and slack',
    );
  });

  test.each([
    [
      'an import that is not there',
      "import x from './nothere.ts';\nexport const agents = [x];",
      /index\.ts:1:15: Could not resolve/,
    ],
    ['half a file', 'export const agents = [', /index\.ts:1:24: Unexpected end of file/],
    ['an error when it is loaded', `throw new Error('no key'); ${rest}`, /cannot be loaded: no key$/],
    ['no agents', rest, /must export agents, webhooks and slack \(docs\/extending\.md\)\. agents: /],
    ['no webhooks and no slack', 'export const agents = [];', /webhooks: .*; slack: use a SlackConfig/],
    [
      'a rule on who decides where it is not asked any more',
      'export const agents = []; export const webhooks = {}; export const slack = { agentFor: () => undefined, mayDecide: () => false };',
      /slack: mayDecide has moved: say it in defineAgent/,
    ],
    ['an agent that is none', `export const agents = [{ name: 'x' }]; ${rest}`, /agents\.0: use defineAgent/],
  ])('says where it is wrong: %s', async (name, index, message) => {
    expect(await saidOf(name.replaceAll(' ', '-'), index)).toMatch(message);
  });

  test('says what is wrong with an agent as its definition says it', async () => {
    const define = own('shared/agent/define/agent.ts');
    const index = `import { defineAgent } from ${JSON.stringify(define)};
      export const agents = [defineAgent({ name: 'x', version: '1', model: { name: 'm' }, system: 's', tols: [] })]; ${rest}`;
    expect(await saidOf('typo', index)).toMatch(/cannot be loaded: agent x:\n.*tols/s);
  });
});
