import type { ToolServices } from '../../shared/agent/define/index.ts';
import { inThread } from '../plain/thread.ts';
import type { Compiled, FromCompiler, Job } from './protocol.ts';
import { worker } from './worker-file.ts';

/** Megabytes of the compiler's objects. */
const MEMORY_MB = 600;
/** Most bytes of all files that it reads. */
const MAX_BYTES = 20_000_000;
/** Files that a compiler reads. */
const READ = /\.(?:[cm]?[jt]sx?|json)$/i;

/** Compiles the workspace in a thread of its own, so that its caller is not blocked. */
export async function compileInThread(
  workspace: ToolServices['workspace'],
  seconds: number,
  signal: AbortSignal,
): Promise<Compiled> {
  const entries = (await workspace.list()).filter(({ path }) => READ.test(path));
  const bytes = entries.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MAX_BYTES)
    throw new Error(`The workspace has ${bytes} bytes of code, and up to ${MAX_BYTES} are compiled.`);
  const texts = entries.map(
    async ({ path }) => [path, new TextDecoder().decode(await workspace.read(path))] as const,
  );
  return compiling({ files: new Map(await Promise.all(texts)) }, seconds, signal);
}

function compiling(job: Job, seconds: number, signal: AbortSignal): Promise<Compiled> {
  return inThread<FromCompiler, Compiled>({
    ...{ code: worker, job, memoryMb: MEMORY_MB, ms: seconds * 1000, signal },
    needs: ['@typescript/typescript6', 'steploop/typescript'],
    hear(message) {
      if (message.kind === 'done') return message.compiled;
      throw new Error(`It could not be compiled: ${message.why}`);
    },
    stopped(how) {
      switch (how) {
        case 'time':
          return failed(124, `It was not compiled within ${seconds} s.`);
        case 'memory':
          return failed(137, 'The compiler needed too much memory.');
        case 'unknown':
          throw new Error('The compiler ended without a result.');
        default:
          return how satisfies never;
      }
    },
  });
}

const failed = (exitCode: number, why: string): Compiled => ({ exitCode, errors: [why], count: 1 });
