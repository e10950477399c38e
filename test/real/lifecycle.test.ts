import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FunctionSettings } from '../../local/stack/lambda/function.ts';
import type { Endpoints } from '../../local/stack/lambda/variables.ts';
import { type RealEnvironment, startEnvironment } from '../support/real/emulator.ts';
import { here } from '../support/real/here.ts';

/** Small handlers in AWS’s own runtime show the behavior of Lambda that the embedded stack assumes. */

const [emulator, client] = [here('emulator'), here('client')];
const nowhere = 'http://127.0.0.1:9';
const endpoints: Endpoints = {
  dynamodb: nowhere,
  sqs: nowhere,
  s3: nowhere,
  secretsManager: nowhere,
  kms: nowhere,
};

describe.skipIf(!emulator || !client)('an environment of AWS’s runtime', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'steploop-lifecycle-'));
    await writeFile(
      join(directory, 'index.mjs'),
      `let calls = 0;
       export const handler = async (event, context) => {
         calls += 1;
         if (event.hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
         if (event.fails) throw new RangeError('out of it');
         return { calls, pid: process.pid, left: context.getRemainingTimeInMillis() };
       };`,
    );
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function open(
    timeoutMs: number,
  ): Promise<RealEnvironment & { asks(event: object): Promise<unknown> }> {
    const settings: FunctionSettings = {
      id: 'Small',
      name: 'small',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:small',
      directory,
      handler: 'index.handler',
      timeoutMs,
      memoryMb: 512,
      variables: {},
      accessKey: 'local',
      compute: { kind: 'lambda' },
      reserved: undefined,
    };
    const runtime = { emulator: emulator ?? '', client: client ?? '' };
    const environment = await startEnvironment(runtime, settings, endpoints);
    const asks = async (event: object): Promise<unknown> => {
      const text = String(await environment.invoke(JSON.stringify(event)));
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    };
    return { ...environment, asks };
  }

  test('keeps its module between invocations, and tells the time that is left', async () => {
    const { asks, program } = await open(9_000);
    expect(await asks({})).toMatchObject({ calls: 1, left: expect.closeTo(9_000, -4) });
    expect(await asks({})).toMatchObject({ calls: 2 });
    await program.stop();
  });

  test('reports an error by its type and its message, and lives on', async () => {
    const { asks, program } = await open(9_000);
    expect(await asks({ fails: true })).toMatchObject({ errorType: 'RangeError', errorMessage: 'out of it' });
    expect(await asks({})).toMatchObject({ calls: 2 });
    await program.stop();
  });

  test('is ended by a timeout; the next invocation has a new process', async () => {
    const { asks, program } = await open(2_000);
    const { pid } = (await asks({})) as { pid: number };
    expect(JSON.stringify(await asks({ hang: true }))).toMatch(/timed out after 2(\.00)? seconds/i);
    const next = (await asks({})) as { calls: number; pid: number };
    expect(next.calls).toBe(1);
    expect(next.pid).not.toBe(pid);
    await program.stop();
  });

  test('is ended by SIGTERM, with the process of its function', async () => {
    const { asks, program } = await open(9_000);
    const { pid } = (await asks({})) as { pid: number };
    process.kill(program.pid, 'SIGTERM');
    await program.ended;
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    await program.stop();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
