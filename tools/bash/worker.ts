/** The thread of one script. It carries the script's use of processor and memory, and is ended if that is too much. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { Bash, type BashOptions, type CommandName, getCommandNames } from 'just-bash';
import { nodeCommand } from './node.ts';
import { npmCommand } from './npm.ts';
import type { Done, Fetched, FromWorker, Job, ScriptRequest, ToWorker } from './protocol.ts';
import { ROOT, SKILLS, workspaceFs } from './workspace-fs.ts';

/** Most bytes of all files that one script has read or created. */
const MAX_FILES = 100_000_000;
/** Most bytes that it prints, including into files. */
const MAX_OUTPUT = 10_000_000;
/** Most milliseconds of one JavaScript program. */
const JS_MS = 10_000;
/** Commands that need workers, native code or WebAssembly of their own. */
const LEFT_OUT: ReadonlySet<string> = new Set(['sqlite3', 'html-to-markdown']);

const port = parentPort;
if (port) {
  const say = (message: FromWorker) => port.postMessage(message);
  run(workerData as Job, askerOf(port)).then(say, (error: unknown) =>
    say({ kind: 'broke', why: error instanceof Error ? error.message : String(error) }),
  );
}

async function run(
  { script, limits, files: before, skills }: Job,
  ask: (asked: ScriptRequest) => Promise<unknown>,
): Promise<Done> {
  // The shell forbids globals like timers to everything that runs on a script's behalf. The script's requests are our
  // own code, so they run outside of that.
  const outside: <T>(run: () => T) => T = AsyncLocalStorage.snapshot();
  const read = (path: string) => outside(() => ask({ kind: 'read', path })) as Promise<Uint8Array>;
  const files = workspaceFs(before, read, outside, MAX_FILES);
  for (const file of skills)
    files.mount(
      `${SKILLS}/${file.skill}/${file.path}`,
      () => outside(() => ask({ kind: 'skill', ...file })) as Promise<Uint8Array>,
    );
  const shell = new Bash({
    fs: files.fs,
    cwd: ROOT,
    env: { HOME: ROOT, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
    commands: getCommandNames().filter((name): name is CommandName => !LEFT_OUT.has(name)),
    executionLimitProfile: 'hardened',
    executionLimits: {
      maxExecutionTimeMs: limits.seconds * 1000,
      maxJsTimeoutMs: Math.min(JS_MS, limits.seconds * 500),
      maxOutputSize: MAX_OUTPUT,
    },
    javascript: limits.javascript,
    ...(limits.javascript && { customCommands: [nodeCommand(files), npmCommand] }),
    ...(limits.hosts && networkOf((asked) => outside(() => ask(asked)))),
  });
  const { exitCode, stdout, stderr } = await shell.exec(script, { rawScript: true });
  return { kind: 'done', exitCode, stdout, stderr, ...(await files.changes()) };
}

/** `curl` sends its requests outside of this thread, where the hosts are checked. */
function networkOf(ask: (asked: ScriptRequest) => Promise<unknown>): Pick<BashOptions, 'fetch'> {
  return {
    fetch: async (url, { method, headers, body } = {}) => {
      const init = { method, headers: headers && Object.fromEntries(new Headers(headers)), body };
      return (await ask({ kind: 'fetch', url, init })) as Fetched;
    },
  };
}

/** Sends requests to the thread that has started this one. */
function askerOf(port: NonNullable<typeof parentPort>): (asked: ScriptRequest) => Promise<unknown> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;
  port.on('message', (answer: ToWorker) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asked?.reject(new Error(answer.error));
    else asked?.resolve(answer.value);
  });
  return (asked) => {
    count += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(count, answer);
    port.postMessage({ ...asked, id: count });
    return answer.promise;
  };
}
