import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** What a bundle of an entry is made of. One for browsers rejects where anything needs a module of Node. */
const bundled = async (entry: string, platform: 'browser' | 'node' = 'browser') => {
  const { metafile } = await build({
    stdin: { contents: `export * from '${entry}';`, resolveDir: process.cwd() },
    bundle: true,
    platform,
    format: 'esm',
    conditions: ['@steploop/source', 'module'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
};

test.each(['steploop', 'steploop/client', 'steploop/ag-ui', 'steploop/react'])(
  '%s is bundled for a browser, with nothing of Node or AWS',
  async (entry) => {
    const inputs = await bundled(entry);
    expect(
      inputs.filter((path) => /@aws-sdk|@smithy|^(functions|infra|local|shared\/aws)\//.test(path)),
    ).toEqual([]);
  },
);

test('the client alone brings no package along', async () => {
  const inputs = await bundled('steploop/client');
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});

test('steploop/react brings React along, and no other package', async () => {
  const inputs = await bundled('steploop/react');
  const packages = inputs.filter((path) => path.includes('node_modules'));
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.filter((path) => !path.startsWith('node_modules/react/'))).toEqual([]);
});

test('steploop/testing brings the stores in memory, and nothing of AWS or of a model’s server', async () => {
  const inputs = await bundled('steploop/testing', 'node');
  expect(inputs).toContain('shared/memory/ports.ts');
  expect(inputs.filter((path) => /@aws-sdk|@smithy|@anthropic-ai|openai/.test(path))).toEqual([]);
});
