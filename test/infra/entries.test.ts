import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The modules in a bundle of an entry. A bundle for browsers rejects if anything needs a Node module. */
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
  '%s can be bundled for a browser, without Node or AWS modules',
  async (entry) => {
    const inputs = await bundled(entry);
    expect(
      inputs.filter((path) => /@aws-sdk|@smithy|^(functions|infra|local|shared\/aws)\//.test(path)),
    ).toEqual([]);
  },
);

test('the client alone brings no packages along', async () => {
  const inputs = await bundled('steploop/client');
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});

test('steploop/react brings only React along', async () => {
  const inputs = await bundled('steploop/react');
  const packages = inputs.filter((path) => path.includes('node_modules'));
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.filter((path) => !path.startsWith('node_modules/react/'))).toEqual([]);
});

test('steploop/testing brings the in-memory stores, and nothing of AWS or of a model’s server', async () => {
  const inputs = await bundled('steploop/testing', 'node');
  expect(inputs).toContain('shared/memory/ports.ts');
  expect(inputs.filter((path) => /@aws-sdk|@smithy|@anthropic-ai|openai/.test(path))).toEqual([]);
});
