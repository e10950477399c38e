/** Runs the CDK app of a project as the CDK CLI does, without that CLI. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defined } from '../shared/agent/plain/defined.ts';
import { Failed } from './ends.ts';

export interface AppRun {
  /** The project: the folder with `cdk.json`. */
  readonly folder: string;
  /** Absolute path of the folder that the cloud assembly is written to. */
  readonly outdir: string;
  /** Overrides the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Receives the app's output in pieces; defaults to this process's standard error. */
  readonly say?: (text: string) => void;
  /** Ends the app. */
  readonly signal?: AbortSignal;
}

/** Runs the `app` command of `cdk.json`; resolves with its exit code. Rejects with {@link Failed} if the folder has no app. */
export async function runApp({ folder, outdir, env, say, signal }: AppRun): Promise<number> {
  const { app, context } = readCdkJson(folder);
  const child = spawn(app, {
    cwd: folder,
    shell: true,
    stdio: say ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    ...defined({ signal }),
    env: {
      ...process.env,
      ...env,
      // The same PATH as in npm scripts, so that the command finds what the project has installed.
      PATH: [join(folder, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify(context),
    },
  });
  for (const stream of [child.stdout, child.stderr]) if (say) stream?.setEncoding('utf8').on('data', say);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** The `app` command of a project. Throws {@link Failed} if it has none. */
export const appOf = (folder: string): string => readCdkJson(folder).app;

function readCdkJson(folder: string): { app: string; context: object } {
  const path = join(folder, 'cdk.json');
  if (!existsSync(path))
    throw new Failed(`There is no cdk.json in ${folder}: run this in the folder of your project.`);
  const { app, context } = parse(path);
  if (typeof app !== 'string' || app === '')
    throw new Failed(`${path} has no "app": set it to the command that runs your CDK app.`);
  const remembered = join(folder, 'cdk.context.json');
  return { app, context: { ...context, ...(existsSync(remembered) && parse(remembered)) } };
}

function parse(path: string): { app?: unknown; context?: object } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Failed(`${path} is not JSON: ${(error as Error).message}`);
  }
}
