import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Environment, startEnvironment } from '../../../local/stack/lambda/environment.ts';

let folder: string;
let module: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steploop-still-'));
  const file = join(folder, 'handler.mjs');
  await writeFile(
    file,
    `export const handler = async ({ holds, waits }) => {
      const until = Date.now() + (holds ?? 0);
      while (Date.now() < until);
      await new Promise((resolve) => setTimeout(resolve, waits ?? 0));
      return 'done';
    };`,
  );
  module = pathToFileURL(file).href;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(threads: number, stillMs: number, said: string[] = []): Environment {
  return startEnvironment({
    start: {
      ...{ module, exportName: 'handler', commonJs: false },
      ...{ functionName: 'f', functionArn: 'arn', memoryMb: 128 },
    },
    variables: {},
    compute: { kind: 'managed', threads, concurrency: 16 },
    log: (line) => said.push(line),
    freed: () => undefined,
    stillMs,
  });
}
const call = (environment: Environment, event: object) =>
  environment.run({ requestId: JSON.stringify(event), event: JSON.stringify(event) }, 60_000);

test('a shared environment with a thread that stands still ends, with all its invocations', async () => {
  const said: string[] = [];
  const environment = start(2, 500, said);
  await environment.ready;
  const [held, other] = await Promise.all([
    call(environment, { holds: 60_000 }),
    call(environment, { waits: 60_000 }),
  ]);
  expect([held.outcome.kind, other.outcome.kind]).toEqual(['killed', 'killed']);
  expect(environment.alive).toBe(false);
  expect(said).toEqual([expect.stringContaining('has stood still')]);
});

test('one whose invocations wait, or hold the thread for less, goes on', async () => {
  const environment = start(1, 4_000);
  const ended = await Promise.all([call(environment, { holds: 800 }), call(environment, { waits: 6_000 })]);
  expect(ended.map(({ outcome }) => outcome.kind)).toEqual(['ok', 'ok']);
  await environment.kill();
});
