import * as z from 'zod';
import type { Tool } from '../../shared/agent/define/index.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { readOnce } from '../../shared/agent/plain/read-once.ts';
import { argumentsOf } from '../plain/arguments.ts';
import { checkHosts } from '../plain/hosts.ts';
import { scriptLevel } from './level.ts';

const readShell = readOnce(() => import('./shell.ts'));

/** Permissions and limits of scripts. */
export interface BashOptions {
  /**
   * Hosts that scripts may reach with `curl`: `api.example.com`, `*.example.com`. Default: none, and then there is no
   * network.
   */
  readonly hosts?: readonly string[];
  /** Whether scripts may run JavaScript and TypeScript (`node`, `node --test`, `npm test`), in a sandbox. Default: true. */
  readonly javascript?: boolean;
  /** Most seconds of one script. Default: 60; at most 240. */
  readonly timeoutSeconds?: number;
  /** Most characters of a script's output that the model sees, of stdout and stderr each. Default: 20,000. */
  readonly outputChars?: number;
  /** Where a script runs (docs/tools.md). Default: in its step. */
  readonly where?: 'inline' | 'queue';
  /**
   * Whether a person approves each script before it starts. Default: by its effect, which is `once` with `hosts` and
   * `idempotent` without.
   */
  readonly approval?: 'always' | 'never';
}

/** Seconds of the tool's time for reading and writing the workspace. */
const AROUND = 30;
/** Most characters of a script. */
const MAX_SCRIPT = 100_000;

/**
 * `bash`: runs scripts over the workspace, in an interpreter with commands of its own (`just-bash`). No process is
 * started, no disk is touched, and each script has limits on its commands, output, memory and time. Throws if an option
 * is invalid.
 */
export function bash(options: BashOptions = {}): Tool {
  const { hosts, javascript = true, timeoutSeconds = 60, outputChars = 20_000, where, approval } = options;
  checkHosts({ allow: hosts });
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 240))
    throw new Error('bash: timeoutSeconds must be a number from 1 to 240');
  return defineTool({
    name: 'bash',
    description: describe(options),
    effect: hosts ? 'once' : 'idempotent',
    level: ({ command }) => scriptLevel(command),
    evidence: { shell: true, workspace: true },
    ...(!hosts && { drafts: true as const }),
    timeoutSeconds: timeoutSeconds + AROUND,
    ...defined({ where, approval }),
    input: argumentsOf(
      { command: z.string().min(1).max(MAX_SCRIPT) },
      { command: ['cmd', 'script', 'code', 'commands', 'bash_command'] },
    ),
    async run({ command }, { services, signal }) {
      const { runScript } = await readShell();
      const limits = { seconds: timeoutSeconds, hosts, javascript };
      const { exitCode, stdout, stderr } = await runScript(command, limits, services, signal);
      return {
        exitCode,
        stdout: shortened(stdout, outputChars),
        stderr: shortened(plain(stderr), outputChars),
      };
    },
  });
}

const describe = ({ hosts, javascript = true }: BashOptions): string =>
  [
    'Run a bash script over the files of the workspace, which are in /workspace, where it starts. Only those are kept; variables and all other files are gone afterwards.',
    'It is a simulated shell with the usual text and file commands (cat, ls, find, grep, rg, sed, awk, jq, diff, sort, tar, gzip, xargs …), without processes, git, package managers or compilers.',
    ...(javascript
      ? [
          '"node FILE", "node -e CODE", "node --test" and "npm test" run JavaScript and TypeScript in a sandbox without packages.',
        ]
      : []),
    hosts ? `curl reaches only: ${hosts.join(', ')}.` : 'There is no network.',
  ].join(' ');

/** Removes the interpreter's hints for developers who embed it: no model or user of a session can follow them. */
const plain = (stderr: string): string =>
  stderr
    .replace(/, increase executionLimits\.\w+/g, '')
    .replace(/: command not available in browser environments\..*/g, ': command not found');

/** The beginning and the end of a long output: errors mostly stand at the end. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
