import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachable, sizesOf } from '../../infra/bundle/size.ts';
import { bundleFunction } from '../../infra/bundle.ts';

/** The step function of an agent with these tools, with their imports. */
const definitionWith = (imports: string, tools: string) => `
  import { defineAgent, defineDeployment } from 'steploop';
  ${imports}
  const agent = defineAgent({ name: 'a', version: '1', model: { name: 'claude-sonnet-5-5' }, system: 's', tools: [${tools}] });
  export default defineDeployment({ agents: [agent] });
`;

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'steploop-tools-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function bundled(name: string, imports: string, tools: string) {
  const definition = join(scratch, `${name}.ts`);
  await writeFile(definition, definitionWith(imports, tools));
  const { directory, metafile } = await bundleFunction('step', { definition, outdir: join(scratch, name) });
  const inputs = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  return { directory, ...sizesOf(metafile), inputs };
}

const LIBRARIES = /node_modules\/(?:just-bash|re2js|diff|html-to-text|htmlparser2)\//;

describe('the bundle of an agent', () => {
  it('without tools of the package has none of them', async () => {
    const { metafile } = await bundleFunction('step', {
      definition: resolve('steploop.config.ts'),
      outdir: join(scratch, 'own'),
    });
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.filter((path) => /(?:^|\/)tools\/(?:files|bash|web|plain|index)/.test(path))).toEqual([]);
    // Policies have expressions, and plans are shown as changes. The libraries for both are there, and no cold start
    // reads them.
    const needed = (path: string) => /node_modules\/(?:re2js|diff)\//.test(path);
    expect(inputs.filter((path) => LIBRARIES.test(path) && !needed(path))).toEqual([]);
    const read = sizesOf(metafile).inputs.filter(({ name }) => name === 're2js' || name === 'diff');
    expect(read.map(({ lazy }) => lazy)).toEqual([true, true]);
  });

  it('with file tools reads their libraries when a call needs them, and has no shell', async () => {
    const none = await bundled('none', '', '');
    const files = await bundled(
      'files',
      "import { workspaceTools } from 'steploop/tools';",
      '...workspaceTools()',
    );
    expect(files.eager - none.eager).toBeLessThan(20_000);
    expect(files.inputs.some((path) => path.includes('/just-bash/') || path.includes('/html-to-text/'))).toBe(
      false,
    );
    expect((await readdir(files.directory)).filter((file) => file.startsWith('the-thread'))).toEqual([]);
  });

  it('with a shell has the shell’s threads next to it, with everything that they need', async () => {
    const none = await bundled('nothing', '', '');
    const shell = await bundled('shell', "import { bash } from 'steploop/bash';", 'bash()');
    // The eager part judges how dangerous a script is before it runs.
    expect(shell.eager - none.eager).toBeLessThan(10_500);
    const threads = (await readdir(shell.directory)).filter((file) => file.startsWith('the-thread'));
    expect(threads).toHaveLength(2);
    const code = Object.fromEntries(
      await Promise.all(
        threads.map(async (file) => [
          file.replace(/-[A-Z0-9]+\.mjs$/, ''),
          await readFile(join(shell.directory, file), 'utf8'),
        ]),
      ),
    );
    // Neither looks for a file of the library next to itself.
    const { 'the-thread-of-a-script': script = '', 'the-thread-of-javascript': javascript = '' } = code;
    expect([script.includes('jsExecWorker'), script.includes('js-exec-worker.js')]).toEqual([true, false]);
    expect(javascript.includes('emscripten-module.wasm') && !javascript.includes('AGFzb')).toBe(false);
    expect(script.length).toBeLessThan(1_900_000);
    expect(javascript.length).toBeLessThan(1_000_000);
  });

  it('with a compiler has it next to it, with the language’s declarations', async () => {
    const none = await bundled('no-compiler', '', '');
    const compiler = await bundled(
      'compiler',
      "import { typecheck } from 'steploop/typescript';",
      'typecheck()',
    );
    expect(compiler.eager - none.eager).toBeLessThan(8_000);
    const [file = '', ...others] = (await readdir(compiler.directory)).filter((one) =>
      one.startsWith('the-compiler'),
    );
    expect(others).toEqual([]);
    const path = join(compiler.directory, file);
    expect((await readFile(path)).length).toBeLessThan(8_000_000);
    const files = new Map([['a.ts', 'export const a: number = [""].at(0);']]);
    const thread = new Worker(path, { workerData: { files } });
    const [said] = await once(thread, 'message');
    expect(said).toMatchObject({ kind: 'done', compiled: { exitCode: 2, count: 1 } });
    await thread.terminate();
  });
});
