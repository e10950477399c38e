import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onceEach } from '../../infra/bundle/once-each.ts';
import { bundleFunctions, type FunctionName, functionNames } from '../../infra/bundle.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'steploop-bundles-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

describe('all functions of a deployment', () => {
  /** Bundles one line per function, except for one, whose line is wrong. */
  async function bundled(wrong?: FunctionName) {
    const folder = await mkdtemp(join(scratch, 'of-'));
    const outdir = join(folder, 'out');
    const definition = join(folder, 'definition.ts');
    await mkdir(outdir);
    await writeFile(definition, 'export default {};\n');
    // The console is left out, because its page is built with it.
    const functions = functionNames.filter((name) => name !== 'console');
    for (const name of functions)
      await writeFile(
        join(folder, `${name}.ts`),
        name === wrong ? "export * from './absent.ts';\n" : `export const handler = () => '${name}';\n`,
      );
    const made = bundleFunctions({
      ...{ outdir, definition, functions },
      entryOf: (name) => join(folder, `${name}.ts`),
    });
    return { functions, made, there: () => functions.filter((name) => existsSync(join(outdir, name))) };
  }

  it('are bundled, each into its own folder', async () => {
    const { functions, made, there } = await bundled();
    expect(Object.keys(await made)).toEqual(functions);
    expect(there()).toEqual(functions);
  });

  it('are all bundled even if one of them fails, and then the failure is reported', async () => {
    const { functions, made, there } = await bundled('step');
    await expect(made).rejects.toThrow('absent.ts');
    expect(there()).toEqual(functions.filter((name) => name !== 'step'));
  });
});

describe('all functions in one build', () => {
  it('are in a folder each, with all that they import', async () => {
    const folder = await mkdtemp(join(scratch, 'together-'));
    const definition = join(folder, 'definition.ts');
    await writeFile(definition, 'export default {};\n');
    await writeFile(join(folder, 'shared.ts'), "export const later = () => import('./late.ts');\n");
    await writeFile(join(folder, 'late.ts'), "export const text = 'late';\n");
    const functions = ['step', 'http', 'sweep'] as const;
    for (const name of functions)
      await writeFile(
        join(folder, `${name}.ts`),
        `import { later } from './shared.ts';\nexport const handler = async () => '${name}, ' + (await later()).text;\n`,
      );
    const outdir = join(folder, 'out');
    const entryOf = (name: FunctionName) => join(folder, `${name}.ts`);
    const bundles = await bundleFunctions({ outdir, definition, functions, entryOf, together: true });
    expect(Object.keys(bundles)).toEqual(functions);
    for (const name of functions) {
      const { handler } = await import(join(outdir, name, 'index.mjs'));
      expect(await handler()).toBe(`${name}, late`);
      // Other functions' own code is elsewhere.
      expect(readdirSync(join(outdir, name))).not.toContain(name === 'step' ? 'http.mjs' : 'step.mjs');
    }
  });
});

describe('content that several functions share', () => {
  it('is made once per name, even for concurrent requests', async () => {
    const asked: string[] = [];
    const thread = onceEach(async (name) => `${name} ${asked.push(name)}`);
    expect(await Promise.all([thread('a'), thread('a'), thread('b')])).toEqual(['a 1', 'a 1', 'b 2']);
    expect(await thread('a')).toBe('a 1');
  });

  it('is made again after a failure', async () => {
    let tries = 0;
    const thread = onceEach(async () => {
      if (++tries === 1) throw new Error('no package');
      return tries;
    });
    await expect(thread('a')).rejects.toThrow('no package');
    expect(await thread('a')).toBe(2);
  });
});
