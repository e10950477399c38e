import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { blocksOf, type Page, pages, root } from '../../support/docs/pages.ts';

/**
 * A sample compiles as it stands. A hidden comment before it may say more: `<!-- sample: file support.ts -->` names it,
 * so that others can import it, and `<!-- sample: in defineAgent({ ...basics, @ }) -->` says what it is a part of.
 */
const samplesOf = (page: Page) => [...samplesIn(page, 'ts'), ...samplesIn(page, 'tsx')];

const samplesIn = (page: Page, language: 'ts' | 'tsx') =>
  blocksOf(page, language).map(({ n, note = '', code }) => {
    const file = /^file (\S+)$/.exec(note)?.[1];
    const around = /^in (.*)$/s.exec(note)?.[1];
    const name = page.path.replace(/\.md$/, '').replaceAll('/', '-');
    const body = around === undefined ? code : around.replace('@', () => code);
    return { path: file ?? `${name}-${n + 1}.${language}`, text: `${body}\nexport {};\n`, page: page.path };
  });

const config = {
  extends: '../tsconfig.json',
  compilerOptions: {
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    noEmit: true,
  },
  include: ['**/*.ts', '**/*.tsx'],
};

/** The compiler's errors in samples, a line each. */
async function compiled(
  samples: readonly { readonly path: string; readonly text: string }[],
): Promise<string[]> {
  const home = fileURLToPath(root);
  await using scratch = await scratchFolder(home);
  await writeFile(join(scratch.path, 'tsconfig.json'), JSON.stringify(config));
  const ambient = await readFile(new URL('test/support/docs/ambient.d.ts', root), 'utf8');
  await writeFile(join(scratch.path, 'ambient.d.ts'), ambient);
  for (const { path, text } of samples) {
    await mkdir(dirname(join(scratch.path, path)), { recursive: true });
    await writeFile(join(scratch.path, path), text);
  }
  // The native compiler, named by its package. In `.bin/tsc` another compiler may be linked, which takes five times the CPU.
  const tsc = join(home, 'node_modules/typescript/bin/tsc');
  const options = ['-p', scratch.path, '--pretty', 'false', '--checkers', '1'];
  const run = promisify(execFile)(process.execPath, [tsc, ...options], { cwd: scratch.path });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

/** A file that is written again, by the same page or another, keeps its folder and gets a name of its own. */
function eachInItsPlace<Sample extends { readonly path: string }>(samples: readonly Sample[]): Sample[] {
  const times = new Map<string, number>();
  return samples.map((sample) => {
    const n = times.get(sample.path) ?? 0;
    times.set(sample.path, n + 1);
    return n === 0 ? sample : { ...sample, path: sample.path.replace(/(\.\w+)$/, `-again-${n}$1`) };
  });
}

/** Inside the project, where its own name resolves to its entries. */
async function scratchFolder(home: string) {
  const path = await mkdtemp(join(home, '.doc-samples-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('the samples of all pages compile, and a wrong one does not', { timeout: 120_000 }, async () => {
  const samples = eachInItsPlace(pages.flatMap(samplesOf));
  expect(samples.length).toBeGreaterThan(12);
  const wrong = {
    path: 'wrong.ts',
    text: "import { defineAgent } from 'steploop';\ndefineAgent({ nam: 1 });\n",
  };
  const errors = await compiled([...samples, wrong]);
  expect(errors.filter((line) => !line.startsWith('wrong.ts'))).toEqual([]);
  expect(errors.some((line) => line.startsWith('wrong.ts'))).toBe(true);
});
