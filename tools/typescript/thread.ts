import { Worker } from 'node:worker_threads';
import type { ToolServices } from '../../shared/agent/define/index.ts';
import { orMissing } from '../plain/missing.ts';
import type { Compiled, FromCompiler, Job } from './protocol.ts';
import { worker } from './worker-file.ts';

/** Megabytes of the compiler's objects. */
const MEMORY_MB = 600;
/** Bytes of all files that it reads. */
const MAX_BYTES = 20_000_000;
/** What a compiler reads. */
const READ = /\.(?:[cm]?[jt]sx?|json)$/i;

/** Compiles the workspace in a thread of its own, so that whoever waits for it can go on. */
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
  return inThread({ files: new Map(await Promise.all(texts)) }, seconds, signal);
}

function inThread(job: Job, seconds: number, signal: AbortSignal): Promise<Compiled> {
  signal.throwIfAborted();
  const thread = new Worker(worker, {
    workerData: job,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Compiled>();
  const stopped = (exitCode: number, why: string) => resolve({ exitCode, errors: [why], count: 1 });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => stopped(124, `It was not compiled within ${seconds} s.`), seconds * 1000);
  thread.on('message', (message: FromCompiler) =>
    message.kind === 'done'
      ? resolve(message.compiled)
      : reject(new Error(`It could not be compiled: ${message.why}`)),
  );
  thread.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? stopped(137, 'The compiler needed too much memory.')
      : reject(orMissing(error, '@typescript/typescript6', 'steploop/typescript')),
  );
  thread.on('exit', () => reject(new Error('The compiler has ended without a word.')));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    return thread.terminate();
  });
}
