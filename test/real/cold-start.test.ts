import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEnvironment as startThreads } from '../../local/stack/lambda/environment.ts';
import type { FunctionSettings } from '../../local/stack/lambda/function.ts';
import { handlerModule } from '../../local/stack/lambda/handler-module.ts';
import { type Endpoints, functionVariables } from '../../local/stack/lambda/variables.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { startEnvironment } from '../support/real/emulator.ts';
import { inRealRuntime } from '../support/real/function.ts';
import { here } from '../support/real/here.ts';
import { type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/**
 * The start of each bundle in AWS's own runtime, relative to the start of an empty function there, and on the embedded stack,
 * relative to an empty function on it. Prints ratios; no time is asserted.
 */

const [emulator, client] = [here('emulator'), here('client')];
/** Starts of each function; the fastest counts, since a busy machine only adds to a start. */
const STARTS = 3;

describe.skipIf(!emulator || !client)('cold starts', () => {
  const runtime = { emulator: emulator ?? '', client: client ?? '' };
  let model: RuleModel;
  let world: Embedded;
  let folder: string;
  let at: Endpoints;
  const functions: FunctionSettings[] = [];
  beforeAll(async () => {
    if (!emulator || !client) return;
    folder = await mkdtemp(join(tmpdir(), 'steploop-empty-'));
    await writeFile(join(folder, 'index.mjs'), 'export const handler = async () => null;');
    model = await ruleModel(() => sayText('Hello.'));
    world = await embedded({
      model,
      runtime: (settings, endpoints, ...more) => {
        functions.push(settings);
        at = endpoints;
        return inRealRuntime(runtime)(settings, endpoints, ...more);
      },
    });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Ms of the first invocation less those of the second: what the start has added. */
  async function real(settings: FunctionSettings): Promise<number> {
    const environment = await startEnvironment(runtime, settings, at);
    const event = JSON.stringify({ Records: [] });
    const timed = async () => {
      const startedAt = performance.now();
      await environment.invoke(event);
      return performance.now() - startedAt;
    };
    const first = await timed();
    const second = await timed();
    await environment.program.stop();
    return first - second;
  }

  /** Ms until a thread of the embedded stack is ready. */
  async function embeddedStart(settings: FunctionSettings): Promise<number> {
    const { name, arn, memoryMb, directory, handler, compute } = settings;
    const startedAt = performance.now();
    const environment = startThreads({
      start: { ...handlerModule(directory, handler), functionName: name, functionArn: arn, memoryMb },
      variables: functionVariables(settings, at),
      compute,
      log: () => undefined,
      freed: () => undefined,
    });
    await environment.ready;
    const ms = performance.now() - startedAt;
    expect(environment.alive).toBe(true);
    await environment.kill();
    return ms;
  }

  const fastest = async (start: () => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < STARTS; n++) times.push(await start());
    return Math.min(...times);
  };

  test('every bundle starts in both', async () => {
    const [any] = functions;
    if (!any) throw new Error('no functions');
    const empty = { ...any, id: 'empty', directory: folder, handler: 'index.handler' };
    const floor = [await fastest(() => real(empty)), await fastest(() => embeddedStart(empty))] as const;
    const rows: string[] = [];
    for (const settings of functions) {
      const ms = [await fastest(() => real(settings)), await fastest(() => embeddedStart(settings))] as const;
      const ratios = ms.map((one, n) => `${(one / (floor[n] ?? 1)).toFixed(1)}x`.padStart(12));
      rows.push(`${settings.id.padEnd(44)}${ratios.join('')}`);
    }
    const [ofReal, ofThread] = floor.map((ms) => ms.toFixed(0));
    console.log(
      `relative to an empty function: ${ofReal} ms in AWS’s runtime, ${ofThread} ms on the embedded stack`,
    );
    console.log(rows.toSorted().join('\n'));
    expect(rows).toHaveLength(functions.length);
  });
});
