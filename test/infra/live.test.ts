import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Built, type LiveBundles, openBundles } from '../../cli/dev/live/bundles.ts';
import { type Checker, openChecker } from '../../cli/dev/live/check.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'steploop-live-')));
const definition = join(folder, 'steploop.config.ts');
const source = `
import { defineAgent, defineDeployment, defineTool } from 'steploop';
import { z } from 'zod';
// A remark.
const greet = defineTool({
  name: 'greet', description: 'Greets.', effect: 'read', input: z.object({ name: z.string() }),
  run: () => 'version one',
});
const model = { name: 'claude-sonnet-5-5', maxTokens: 100 };
export default defineDeployment({
  agents: [defineAgent({ name: 'greeter', version: '1', model, system: 'Greet.', tools: [greet] })],
});
`;
/** Writes the definition with a replacement, and returns the changed files, as the watcher does. */
const edit = (find: string, by: string): ReadonlySet<string> => {
  expect(source).toContain(find);
  writeFileSync(definition, source.replace(find, by));
  return new Set([definition]);
};

let bundles: LiveBundles;
let first: Built;
beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'steploop'));
  symlinkSync(resolve('node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  writeFileSync(definition, source);
  bundles = await openBundles({
    folder,
    definition,
    functions: ['http', 'dead-letter'],
    outdir: join(folder, '.built'),
  });
  first = await bundles.build();
});
afterEach(() => writeFileSync(definition, source));
afterAll(async () => {
  await bundles.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the build of an edit', () => {
  it('contains the definition, in a new folder for each function that has it; the functions themselves stay', async () => {
    const next = await bundles.build(edit('version one', 'version two'));
    expect(next.definition).not.toBe(first.definition);
    expect(readFileSync(fileURLToPath(next.definition), 'utf8')).toContain('version two');
    expect(next.facts).toBe(first.facts);
    for (const name of ['http', 'dead-letter']) {
      expect(next.folders[name]).not.toBe(first.folders[name]);
      const [before, after] = [first, next].map(({ folders }) =>
        readFileSync(join(String(folders[name]), 'index.mjs'), 'utf8'),
      );
      expect(after?.replace(basename(join(next.definition, '..')), '')).toBe(
        before?.replace(basename(join(first.definition, '..')), ''),
      );
    }
    // Running functions have not lost their code.
    expect(readFileSync(fileURLToPath(first.definition), 'utf8')).toContain('version one');
  });

  it('is nothing new if the code is the same', async () => {
    const next = await bundles.build(edit('// A remark.', '// Another remark.'));
    expect(next).toEqual(first);
  });

  it('shares one zod and one steploop with the functions, under whatever name they are imported', async () => {
    const check = `
      const it = await import(${JSON.stringify(first.definition)});
      const { describeExport } = await import(${JSON.stringify(first.facts)});
      describeExport(it.default);`;
    // Another copy of steploop would not recognize what this one made, and the same holds for zod.
    await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(check)}`);
    const by =
      "import { z } from 'zod/v4';\nimport * as classic from 'zod';\nexport const same = z.string === classic.string;";
    const next = await bundles.build(edit("import { z } from 'zod';", by));
    expect((await import(/* @vite-ignore */ next.definition)).same).toBe(true);
  });

  it('returns to the last one after an edit that does not build', async () => {
    await expect(bundles.build(edit("'version one'", "'version one' +"))).rejects.toThrow(
      /steploop\.config\.ts:7/,
    );
    await expect(bundles.build(edit("from 'zod'", "from 'zod/none'"))).rejects.toThrow(/zod\/none/);
    writeFileSync(definition, source);
    const { definition: mended } = await bundles.build(new Set([definition]));
    expect(readFileSync(fileURLToPath(mended), 'utf8')).toContain('version one');
  });
});

describe('the check of a definition', () => {
  let checker: Checker;
  beforeEach(() => {
    checker = openChecker();
  });
  afterEach(() => checker.close());
  const checked = async (find: string, by: string) => {
    const { definition: url, facts } = await bundles.build(edit(find, by));
    return checker.check({ url, facts, definition });
  };

  it('reports the facts, also when a thread was ready', async () => {
    checker.prepare(first.facts);
    const facts = { agents: [{ name: 'greeter', unasked: [] }], webhooks: [] };
    expect(await checked('version one', 'version one')).toMatchObject({ facts });
    expect(await checked('version one', 'version three')).toMatchObject({ facts });
  });

  it.each([
    {
      what: 'a throw at import',
      by: "throw new Error('not today');\n",
      says: /^\S*steploop\.config\.ts:4:\d+: not today$/,
    },
    {
      what: 'an end of the process',
      by: 'process.exit(3);\n',
      says: /cannot be loaded: it ended the process with 3/,
    },
    { what: 'an import that never ends', by: 'await new Promise(() => {});\n', says: /cannot be loaded: .+/ },
    {
      what: 'an error without an await',
      by: "Promise.reject(new Error('later'));\nawait new Promise((on) => setTimeout(on, 500));\n",
      says: /cannot be loaded: later/,
    },
  ])('reports $what, and on the next edit that edit’s result', async ({ by, says }) => {
    expect(await checked('// A remark.\n', by)).toEqual({ wrong: expect.stringMatching(says) });
    expect(await checked('// A remark.', '')).toHaveProperty('facts');
  });

  it('reports what the definition’s own checks refuse, with its place', async () => {
    expect(await checked('tools: [greet]', 'tools: [greet, greet]')).toEqual({
      wrong: expect.stringMatching(/steploop\.config\.ts:\d+:\d+: .*greet/),
    });
  });
});
