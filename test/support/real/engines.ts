import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { here } from './here.ts';
import type { PieceName } from './pieces.ts';
import { listening, startProgram } from './program.ts';

/** The engines that run the contract suites, by their pieces. */
export type EngineName = Extract<PieceName, 'dynoxide' | 'moto' | 's3'>;

/** A running engine, and the variables that make suites use it. */
export interface Engine {
  readonly name: EngineName;
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface Kind {
  /** The arguments of the program; `folder` is empty. */
  args(port: number, folder: string): readonly string[];
  readonly serves: readonly string[];
}

const kinds: Record<EngineName, Kind> = {
  dynoxide: { args: (port) => ['serve', '--port', String(port)], serves: ['DYNAMODB_ENDPOINT'] },
  moto: {
    args: (port) => ['-H', '127.0.0.1', '-p', String(port)],
    serves: ['SQS_ENDPOINT', 'SECRETS_ENDPOINT'],
  },
  s3: {
    // The identity of the suites (test/support/embedded-aws.ts). Requests that another key signed get 403.
    args: (port, folder) => [
      ...['--port', `127.0.0.1:${port}`, '--access', 'test', '--secret', 'test'],
      ...['--region', 'us-east-1', '--quiet', 'posix', folder],
    ],
    serves: ['S3_ENDPOINT'],
  },
};

/** Starts the engines that this machine has. */
export async function startEngines(): Promise<Engine[]> {
  const started = await Promise.all((Object.keys(kinds) as EngineName[]).map(start));
  return started.flatMap((engine) => engine ?? []);
}

async function start(name: EngineName): Promise<Engine | undefined> {
  const path = here(name);
  if (path === undefined) return undefined;
  const { args, serves } = kinds[name];
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), `steploop-${name}-`));
  const program = startProgram([path, ...args(port, folder)], { env: process.env });
  await listening(program, port);
  return {
    name,
    variables: Object.fromEntries(serves.map((variable) => [variable, `http://127.0.0.1:${port}`])),
    async stop() {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
