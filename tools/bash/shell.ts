import type { ToolServices } from '../../shared/agent/define/index.ts';
import { inThread } from '../plain/thread.ts';
import { fetchFor } from './network.ts';
import type { Done, FromWorker, Job, NewContent, ScriptRequest, ShellLimits, SkillPath } from './protocol.ts';
import { workers } from './worker-file.ts';

/** The result of a script. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Megabytes of a script's objects; its files are counted separately. A Lambda needs memory for other things too. */
const MEMORY_MB = 192;
/** Milliseconds beyond its time that a script has to end by itself, startup included: then its thread is ended. */
const GRACE_MS = 3_000;

/**
 * Runs a script over the workspace, in a thread of its own, and writes its changes into the workspace. Everything else,
 * such as variables and files elsewhere, is lost. Rejects if the changes cannot be saved: then none of them is.
 */
export async function runScript(
  script: string,
  limits: ShellLimits,
  { workspace, fetch, skills: read }: ToolServices,
  signal: AbortSignal,
): Promise<Ran> {
  const ask = fetchFor(limits.hosts, fetch);
  const answer = (asked: ScriptRequest): Promise<unknown> => {
    if (asked.kind === 'read') return workspace.read(asked.path);
    if (asked.kind === 'skill') return read.read(asked.skill, asked.path);
    return ask(asked.url, asked.init, signal);
  };
  const [files, skills] = await Promise.all([workspace.list(), skillsNamed(script, read)]);
  const job: Job = { script, limits, files, skills, jsExecWorker: workers.jsExec };
  const ran = await inShell(job, answer, signal);
  if ('written' in ran) await keep(ran, workspace);
  return { exitCode: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr };
}

/** The files of the skills that a script names; of all, if it names their folder alone. Other scripts read none. */
async function skillsNamed(script: string, skills: ToolServices['skills']): Promise<SkillPath[]> {
  const named = [...script.matchAll(/\/skills\b(?:\/([a-z0-9-]+))?/g)].map(([, name]) => name);
  if (named.length === 0) return [];
  const known = skills.list().map(({ name }) => name);
  const wanted = named.every((name) => name !== undefined && known.includes(name))
    ? known.filter((name) => named.includes(name))
    : known;
  const found = wanted.map(async (skill) => (await skills.files(skill)).map(({ path }) => ({ skill, path })));
  return (await Promise.all(found)).flat();
}

/** Ends when the script reports its result, when its time is over, or when its thread has died. */
function inShell(
  job: Job,
  answer: (asked: ScriptRequest) => Promise<unknown>,
  signal: AbortSignal,
): Promise<Done | Ran> {
  const { seconds } = job.limits;
  const why = {
    time: `stopped after ${seconds} s`,
    memory: 'it needed too much memory and was stopped',
    unknown: 'its thread has ended',
  };
  return inThread<FromWorker, Done | Ran>({
    ...{ code: workers.shell, job, memoryMb: MEMORY_MB, ms: seconds * 1000 + GRACE_MS, signal },
    needs: ['just-bash', 'steploop/bash'],
    hear(message, say) {
      if (message.kind === 'done') return message;
      if (message.kind === 'broke') throw new Error(`The script could not be run: ${message.why}`);
      const { id } = message;
      answer(message).then(
        (value) => say({ id, value }),
        (error: unknown) => say({ id, error: error instanceof Error ? error.message : String(error) }),
      );
      return undefined;
    },
    stopped: (how) => ({
      exitCode: how === 'time' ? 124 : 137,
      stdout: '',
      stderr: `bash: ${why[how]}; nothing that it has changed is kept\n`,
    }),
  });
}

/** Moved files are read before any is written: one may have been moved to the place of another. */
async function keep({ written, removed }: Done, workspace: ToolServices['workspace']): Promise<void> {
  const contents = await Promise.all(
    written.map(async ([path, content]) => [path, await bytesOf(content, workspace)] as const),
  );
  for (const path of removed) await workspace.remove(path);
  for (const [path, bytes] of contents) await workspace.write(path, bytes);
}

const bytesOf = async (content: NewContent, workspace: ToolServices['workspace']): Promise<Uint8Array> =>
  'bytes' in content ? content.bytes : workspace.read(content.from);
