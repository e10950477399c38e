import { Worker } from 'node:worker_threads';
import type { ToolServices } from '../../shared/agent/define/index.ts';
import { orMissing } from '../plain/missing.ts';
import { fetchFor } from './network.ts';
import type { Asked, Done, FromWorker, Job, NewContent, ShellLimits } from './protocol.ts';
import { workers } from './worker-file.ts';

/** What a script has come to. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Megabytes of a script's objects; its files are counted by themselves. A Lambda has others to keep. */
const MEMORY_MB = 192;
/** Milliseconds beyond its time that a script has to end by itself, starting included: then its thread is ended. */
const GRACE_MS = 3_000;

/**
 * Runs a script over the workspace, in a thread of its own, and writes into the workspace what it has changed. Everything else,
 * variables and files elsewhere, is gone afterwards. Rejects when what it has made cannot be kept: then nothing of it is.
 */
export async function runScript(
  script: string,
  limits: ShellLimits,
  { workspace, fetch }: ToolServices,
  signal: AbortSignal,
): Promise<Ran> {
  const ask = fetchFor(limits.hosts, fetch);
  const answer = (asked: Asked): Promise<unknown> =>
    asked.kind === 'read' ? workspace.read(asked.path) : ask(asked.url, asked.init, signal);
  const job: Job = { script, limits, files: await workspace.list(), jsExecWorker: workers.jsExec };
  const ran = await inThread(job, answer, signal);
  if ('written' in ran) await keep(ran, workspace);
  return { exitCode: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr };
}

/** The script is over when it says so, when its time is, or when its thread is no more. */
function inThread(
  job: Job,
  answer: (asked: Asked) => Promise<unknown>,
  signal: AbortSignal,
): Promise<Done | Ran> {
  signal.throwIfAborted();
  const worker = new Worker(workers.shell, {
    workerData: job,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Done | Ran>();
  const stopped = (exitCode: number, why: string) =>
    resolve({ exitCode, stdout: '', stderr: `bash: ${why}\n` });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const { seconds } = job.limits;
  const timer = setTimeout(
    () => stopped(124, `stopped after ${seconds} s; nothing that it has changed is kept`),
    seconds * 1000 + GRACE_MS,
  );
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'done') resolve(message);
    else if (message.kind === 'broke') reject(new Error(`The script could not be run: ${message.why}`));
    else
      answer(message).then(
        (value) => worker.postMessage({ id: message.id, value }),
        (error: unknown) =>
          worker.postMessage({
            id: message.id,
            error: error instanceof Error ? error.message : String(error),
          }),
      );
  });
  worker.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? stopped(137, 'it needed too much memory and was stopped; nothing that it has changed is kept')
      : reject(orMissing(error, 'just-bash', 'steploop/bash')),
  );
  worker.on('exit', () => stopped(137, 'its thread has ended; nothing that it has changed is kept'));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    return worker.terminate();
  });
}

/** Moved files are read before any is written: one may have been moved to where another was. */
async function keep({ written, removed }: Done, workspace: ToolServices['workspace']): Promise<void> {
  const contents = await Promise.all(
    written.map(async ([path, content]) => [path, await bytesOf(content, workspace)] as const),
  );
  for (const path of removed) await workspace.remove(path);
  for (const [path, bytes] of contents) await workspace.write(path, bytes);
}

const bytesOf = async (content: NewContent, workspace: ToolServices['workspace']): Promise<Uint8Array> =>
  'bytes' in content ? content.bytes : workspace.read(content.from);
