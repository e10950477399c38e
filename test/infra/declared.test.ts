import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionsByName, synthesized } from './synthesized.fixture.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-declared-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A definition with a setting, and a tool that reads this many secrets. */
async function definition(secrets: number): Promise<string> {
  const file = join(root, `${secrets}.ts`);
  await writeFile(
    file,
    `import { defineAgent, defineDeployment, defineTool } from 'steploop';
    import * as z from 'zod';
    const secrets = Array.from({ length: ${secrets} }, (_, i) => 'KEY_' + i);
    const tool = defineTool({ name: 't', description: 'd', effect: 'read', input: z.object({}), run: () => 1, secrets });
    export default defineDeployment({
      agents: [defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's', tools: [tool] })],
      models: { primary: { baseUrl: 'https://models.example.com' } },
      settings: { SHOP_URL: { description: 'The shop.' } },
      secrets: Object.fromEntries(secrets.map((name) => [name, { description: 'A key.' }])),
    });`,
  );
  return file;
}

test('a setting without a default must be given, and is then in the environment of functions that run tools', async () => {
  const file = await definition(1);
  expect(() => synthesized({ definition: file })).toThrow(
    'settings.SHOP_URL: has no default, so give a value',
  );
  const { fn } = synthesized({ definition: file, settings: { SHOP_URL: 'https://shop.example.com' } });
  const { Variables } = fn('step').properties.Environment;
  expect(JSON.parse(Variables.SETTINGS)).toEqual({ SHOP_URL: 'https://shop.example.com' });
  expect(JSON.parse(Variables.MODEL_URLS)).toEqual({});
});

test('more secrets than fit into the environment of a function are refused before a deployment', async () => {
  const settings = { SHOP_URL: 'https://shop.example.com' };
  const fits = await definition(15);
  expect(() => synthesized({ definition: fits, settings })).not.toThrow();
  const file = await definition(30);
  expect(() => synthesized({ definition: file, settings })).toThrow(
    /The environment variables of the function Step have about \d{4} bytes, and Lambda takes 4 KB/,
  );
});

test('only a definition with a Bedrock server without a secret may ask its models, and only in steps', async () => {
  const at = async (name: string, server: string) => {
    const file = join(root, `${name}.ts`);
    await writeFile(
      file,
      `import { defineAgent, defineDeployment } from 'steploop';
      export default defineDeployment({
        agents: [defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's', tools: [] })],
        models: { primary: ${server} },
        secrets: { KEY: { description: 'A key.' } },
      });`,
    );
    const { entry, statements } = synthesized({ definition: file });
    return functionsByName.filter(
      (one) =>
        entry.functions[one] !== undefined &&
        statements(one).some(({ actions }) => actions.some((action) => action.startsWith('bedrock:'))),
    );
  };
  const url = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
  expect(await at('role', `{ baseUrl: '${url}' }`)).toEqual(['step']);
  expect(await at('key', `{ baseUrl: '${url}', secret: 'KEY' }`)).toEqual([]);
  expect(await at('other', `{ baseUrl: '${url}.example.com' }`)).toEqual([]);
});
