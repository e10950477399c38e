import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WrongUsage } from '../../../cli/ends.ts';
import { keepBaseline, readBaseline } from '../../../cli/eval/baseline-file.ts';
import { evalFiles, load } from '../../../cli/eval/load.ts';
import { patient } from '../../../cli/eval/models.ts';
import { parseOptions } from '../../../cli/eval/options.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { fails, type ScriptedRequest, says } from '../../../testing/scripted-model.ts';

describe('the command line', () => {
  it('has its documented defaults', () => {
    expect(parseOptions(['a.eval.ts'])).toMatchObject({
      kind: 'run',
      options: {
        ...{
          files: ['a.eval.ts'],
          scripted: false,
          repeat: 1,
          concurrency: 4,
          accept: false,
          tolerance: 0.1,
        },
        ...{ maxUsd: Number.POSITIVE_INFINITY, definition: 'steploop.config.ts' },
      },
    });
    expect(parseOptions(['record', 's1', '--name', 'x'])).toMatchObject({
      ...{ kind: 'record', options: { sessionId: 's1', name: 'x' } },
    });
  });

  it.each([
    { args: ['--repeat', '0'], says: '--repeat is a whole number from 1 to 1000, not 0.' },
    { args: ['--concurrency', '1.5'], says: '--concurrency is a whole number from 1 to 100, not 1.5.' },
    { args: ['--tolerance', '2'], says: '--tolerance is a number from 0 to 1' },
    { args: ['--max-usd', 'much'], says: '--max-usd is a number of dollars' },
    { args: ['--name', 'x'], says: 'belong to steploop eval record' },
    { args: ['record'], says: 'Name exactly one session' },
    { args: ['record', 'a', 'b'], says: 'Name exactly one session' },
    { args: ['--json=1'], says: 'does not take an argument' },
  ])('is wrong with $args', ({ args, says: sentence }) => {
    expect(() => parseOptions(args)).toThrow(WrongUsage);
    expect(() => parseOptions(args)).toThrow(sentence);
  });
});

describe('files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'steploop-evals-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('that are missing are reported with a sentence', async () => {
    await expect(evalFiles(folder, [])).rejects.toThrow('There are no evals in');
    await expect(evalFiles(folder, ['x.eval.ts'])).rejects.toThrow('There is no file x.eval.ts.');
    await expect(load(folder, 'none.ts', [])).rejects.toThrow('There is no none.ts in');
  });

  it('that do not build are reported with their place', async () => {
    writeFileSync(join(folder, 'steploop.config.ts'), "import { x } from './x.ts';\nexport default x;\n");
    await expect(load(folder, 'steploop.config.ts', [])).rejects.toThrow(
      /^steploop\.config\.ts:1:19: Could not resolve/,
    );
    writeFileSync(
      join(folder, 'steploop.config.ts'),
      "import { x } from 'steploop/none';\nexport default x;\n",
    );
    await expect(load(folder, 'steploop.config.ts', [])).rejects.toThrow('steploop/none is not an entry');
  });

  it('with baselines are kept and read, and refused if they contain something else', async () => {
    const path = join(folder, 'evals', 'baseline.json');
    expect(await readBaseline(path)).toBeUndefined();
    const baseline = { version: 1 as const, cases: { 'a / b': { passed: true, score: 1 } } };
    await keepBaseline(path, baseline);
    expect(await readBaseline(path)).toEqual(baseline);
    for (const wrong of ['', '{"cases":[]}', '{"version":2,"cases":{}}']) {
      writeFileSync(path, wrong);
      await expect(readBaseline(path)).rejects.toThrow('is not a baseline of steploop eval');
    }
  });
});

describe('a busy model', () => {
  const waits: number[] = [];
  const wait = (async (ms: number) => void waits.push(ms)) as never;
  const asked = {
    request: {},
    signal: new AbortController().signal,
    stream: () => {},
  } as unknown as ScriptedRequest;
  const of = (...outcomes: ModelOutcome[]) =>
    patient({ complete: async () => outcomes.shift() ?? says('Done.') }, new AbortController().signal, wait);

  it('is retried after the time that it asks for, or with growing backoff', async () => {
    waits.length = 0;
    const answer = of(fails({ retryAfterMs: 7 }), fails(), fails(), says('Hi'), fails({ retryAfterMs: 1e9 }));
    for (let i = 0; i < 6; i++) await answer(asked);
    expect(waits).toEqual([7, 2_000, 4_000, 60_000]);
  });

  it('is not called any more when the run was stopped', async () => {
    const stop = new AbortController();
    let n = 0;
    const answer = patient(
      {
        async complete() {
          n += 1;
          return says('Hi');
        },
      },
      stop.signal,
      wait,
    );
    stop.abort();
    expect(await answer(asked)).toMatchObject({ kind: 'failed', failure: { code: 'interrupted' } });
    expect(n).toBe(0);
  });
});
