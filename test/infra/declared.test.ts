import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('the models of Bedrock', () => {
  /** The functions that may ask them, and the models. */
  const at = async (name: string, server: string, model = `name: 'eu.anthropic.claude-test-v1:0'`) => {
    const file = join(root, `${name}.ts`);
    await writeFile(
      file,
      `import { defineAgent, defineDeployment } from 'steploop';
      export default defineDeployment({
        agents: [defineAgent({
          name: 'a', version: '1', system: 's', tools: [],
          model: { provider: 'bedrock-converse', ${model} },
        })],
        models: { primary: ${server} },
        secrets: { KEY: { description: 'A key.' } },
      });`,
    );
    const { entry, statements } = synthesized({ definition: file });
    return functionsByName.flatMap((one) =>
      entry.functions[one] === undefined
        ? []
        : statements(one)
            .filter(({ actions }) => actions.some((action) => action.startsWith('bedrock:')))
            .map(({ resources }) => [one, resources.map((arn) => arnIn(arn)).sort()]),
    );
  };
  /** The part of an ARN after its service. */
  const arnIn = (arn: unknown): string =>
    (typeof arn === 'string' ? arn : (arn as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1].join(''))
      .replaceAll('[object Object]', 'account')
      .replace(/^.*?:bedrock:/, '');
  const url = 'https://bedrock-runtime.eu-central-1.amazonaws.com';

  test('may be asked by steps of a definition with a server without a secret: those that its agents name', async () => {
    expect(await at('role', `{ baseUrl: '${url}' }`)).toEqual([
      [
        'step',
        [
          '*::foundation-model/anthropic.claude-test-v1:0',
          '*::foundation-model/eu.anthropic.claude-test-v1:0',
          '*:account:inference-profile/eu.anthropic.claude-test-v1:0',
        ],
      ],
    ]);
    expect(await at('key', `{ baseUrl: '${url}', secret: 'KEY' }`)).toEqual([]);
    expect(await at('other', `{ baseUrl: '${url}.example.com' }`)).toEqual([]);
  });

  test('are also those of fallbacks, and those that the server allows', async () => {
    const fallbacks = `name: 'amazon.nova-test', fallbacks: [{ provider: 'bedrock-converse', name: 'openai.gpt-5.4' }]`;
    const [[, arns] = []] = await at('more', `{ baseUrl: '${url}', allow: ['eu.anthropic.*'] }`, fallbacks);
    expect(arns).toEqual([
      '*::foundation-model/amazon.nova-test',
      '*::foundation-model/anthropic.*',
      '*::foundation-model/eu.anthropic.*',
      '*::foundation-model/gpt-5.4',
      '*::foundation-model/openai.gpt-5.4',
      '*:account:inference-profile/amazon.nova-test',
      '*:account:inference-profile/eu.anthropic.*',
      '*:account:inference-profile/openai.gpt-5.4',
    ]);
  });

  test('by ARN are those of the ARN; all models, if a profile hides its own', async () => {
    const arn = (path: string) => `arn:aws:bedrock:eu-central-1:123456789012:${path}`;
    const grants = async (name: string, path: string) => {
      const [[, arns] = []] = await at(name, `{ baseUrl: '${url}' }`, `name: '${arn(path)}'`);
      return arns;
    };
    expect(await grants('profile', 'application-inference-profile/abc')).toEqual([
      '*::foundation-model/*',
      'eu-central-1:123456789012:application-inference-profile/abc',
    ]);
    expect(await grants('region', 'inference-profile/eu.amazon.nova-test')).toEqual([
      '*::foundation-model/amazon.nova-test',
      'eu-central-1:123456789012:inference-profile/eu.amazon.nova-test',
    ]);
    expect(await grants('custom', 'imported-model/abc')).toEqual([
      'eu-central-1:123456789012:imported-model/abc',
    ]);
  });
});
