import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BuildFailure, build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { peers } from '../../../infra/bundle/peers.ts';
import { wrongBuild } from '../../../infra/definition/load.ts';
import { missingPackages } from '../../../infra/definition/packages.ts';
import { unavailable } from '../../../shared/models/unavailable.ts';
import { orMissing } from '../../../tools/plain/missing.ts';

/** Each entry, the package that it needs, and our file that has it. */
const needs = [
  ['steploop/bash', 'just-bash', 'tools/bash/worker-file'],
  ['steploop/typescript', '@typescript/typescript6', 'tools/typescript/worker-file'],
  ['steploop/a2a', '@a2a-js/sdk', 'tools/a2a/client'],
  ['steploop/mcp', '@modelcontextprotocol/client', 'tools/mcp/client'],
] as const;

/** A copy of these files in a place without packages, imported by a definition. */
async function definitionWithout(file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-missing-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, dirname(file)), { recursive: true });
  await writeFile(join(folder, `${file}.js`), 'export {};');
  const definition = join(folder, 'steploop.config.ts');
  await writeFile(definition, `import './${file}.js';`);
  return definition;
}

const built = (definition: string, nodePaths: string[] = []) =>
  build({
    ...{ entryPoints: [definition], bundle: true, write: false, platform: 'node', format: 'esm' },
    ...{ nodePaths, plugins: [peers], logLevel: 'silent' },
  });

describe.each(needs)('%s without %s', (entry, name, file) => {
  const sentence = `${entry} needs the package ${name}: npm install ${name}`;

  test('is reported when a definition is read, with a sentence that names no file of this package', async () => {
    const definition = await definitionWithout(file);
    const failed = await built(definition).catch((error: BuildFailure) => wrongBuild(error, definition));
    expect((failed as Error).message).toMatch(/^\S+steploop\.config\.ts: \S/);
    expect((failed as Error).message).toContain(sentence);
  });

  test('is no error if it is installed', async () => {
    const { errors } = await built(await definitionWithout(file), [join(process.cwd(), 'node_modules')]);
    expect(errors).toEqual([]);
  });

  test('is reported when it is used without a bundle', async () => {
    const code = { code: 'ERR_MODULE_NOT_FOUND' };
    const missing = Object.assign(new Error(`Cannot find package '${name}' imported from /x/y.js`), code);
    expect(orMissing(missing, name, entry)).toEqual(new Error(sentence));
    const another = Object.assign(new Error(`Cannot find package '${name}-core' imported from /x.js`), code);
    const odd = Object.assign(new Error(`'${name}'`), { code: 'ERR_OTHER' });
    for (const other of [another, odd, 'no error', undefined])
      expect(orMissing(other, name, entry)).toBe(other);
  });
});

test('the error of Node for a missing package is understood', async () => {
  const name = 'no-such-package-at-all';
  const error: unknown = await import(/* @vite-ignore */ name).catch((thrown: unknown) => thrown);
  expect(orMissing(error, name, 'steploop/x')).toMatchObject({
    message: expect.stringMatching(/^steploop\/x needs/),
  });
});

/** Packages that only some definitions use. Functions load them at the first use, so they are built without them. */
const usedBySome = [
  ['stripe', 'functions/webhooks/stripe-sdk'],
  ['openai', 'shared/models/openai/provider'],
  ['openai', 'shared/models/openai/answer'],
  ['openai', 'shared/models/responses/provider'],
  ['openai', 'shared/models/responses/answer'],
] as const;

describe.each(usedBySome)('without %s, %s', (name, file) => {
  test('is left out of functions, and fails as Node does when it is loaded', async () => {
    const { outputFiles } = await built(await definitionWithout(file));
    const code = outputFiles.map(({ text }) => text).join('');
    const failed = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      code: 'ERR_MODULE_NOT_FOUND',
      message: expect.stringContaining(`package '${name}'`),
    });
  });

  test('is there if it is installed', async () => {
    const { outputFiles } = await built(await definitionWithout(file), [join(process.cwd(), 'node_modules')]);
    expect(outputFiles.map(({ text }) => text).join('')).not.toContain('ERR_MODULE_NOT_FOUND');
  });
});

test('a definition that needs packages is told which to install', () => {
  const packages = ['openai', 'stripe'] as const;
  expect(missingPackages({ packages }, () => false)).toEqual([
    'A model of the provider openai, openai-xml or openai-responses needs the package openai: npm install openai',
    'A webhook of the kind stripe needs the package stripe: npm install stripe',
  ]);
  expect(missingPackages({ packages })).toEqual([]);
});

test('a model whose package is missing is not asked again: the run ends with what to install', () => {
  const code = { code: 'ERR_MODULE_NOT_FOUND' };
  const missing = Object.assign(new Error("Cannot find package 'openai' imported from /x.js"), code);
  expect(unavailable('openai-xml', missing)).toMatchObject({
    failure: {
      kind: 'account',
      message: 'The provider openai-xml needs the package openai: npm install openai',
    },
  });
  const chunk = Object.assign(new Error("Cannot find module '/var/task/chunk.mjs'"), code);
  for (const error of [chunk, new Error("package 'openai'"), undefined])
    expect(unavailable('openai', error)).toMatchObject({ failure: { kind: 'retry' } });
});
