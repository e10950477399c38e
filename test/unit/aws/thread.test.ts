import { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sharedThread } from '../../../functions/ports/thread.ts';
import { heldThread } from '../../../shared/aws/thread.ts';
import { writtenBy } from '../../support/written.ts';

const call = (tool: string) => ({ key: { tenant: 'acme', sessionId: 's1' }, tool, callId: `c-${tool}` });

describe('the thread of many invocations', () => {
  /** ms. Holding the thread is advancing this clock without letting timers run. */
  let now = 0;
  beforeEach(() => {
    now = 0;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const beats = (count: number) => {
    for (let n = 0; n < count; n++) {
      now += 250;
      vi.advanceTimersByTime(250);
    }
  };

  test('a call that holds it for more than a second is named in the log', async () => {
    const lines = await writtenBy(async () => {
      const { calling } = heldThread(() => now);
      const other = calling(call('wait'), () => new Promise(() => undefined));
      beats(4);
      const done = await calling(call('compute'), () => {
        now += 2_000;
        return 17;
      });
      expect(done).toBe(17);
      beats(4);
      void other;
    });
    expect(lines).toMatchObject([
      {
        level: 'WARN',
        message: 'the thread was held',
        tenant: 'acme',
        sessionId: 's1',
        tool: 'compute',
        ms: 2000,
      },
    ]);
  });

  test('after a wait it is not known whose code it was: all running calls are named', async () => {
    const lines = await writtenBy(async () => {
      const { calling } = heldThread(() => now);
      for (const tool of ['one', 'two', 'two']) void calling(call(tool), () => new Promise(() => undefined));
      beats(1);
      now += 1_500;
      beats(1);
    });
    expect(lines).toMatchObject([{ calls: 3, tools: 'one, two', ms: 1500 }]);
    expect(lines[0]).not.toHaveProperty('tool');
  });

  test('shorter holds are not worth a line, nor calls that wait', async () => {
    const lines = await writtenBy(async () => {
      const { calling } = heldThread(() => now);
      void calling(call('wait'), () => new Promise(() => undefined));
      await calling(call('short'), () => {
        now += 700;
      });
      beats(40);
    });
    expect(lines).toEqual([]);
  });

  test('an error of a call reaches its caller, and the call is not running any more', async () => {
    const lines = await writtenBy(async () => {
      const { calling } = heldThread(() => now);
      const fails = calling(call('broken'), () => {
        throw new Error('the pipe burst');
      });
      await expect(fails).rejects.toThrow('the pipe burst');
      now += 3_000;
      beats(1);
    });
    expect(lines).toMatchObject([{ message: 'the thread was held', calls: 0 }]);
  });
});

test('only an environment that many invocations share is watched', async () => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
  expect(sharedThread()).toEqual({});
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'lambda-managed-instances');
  expect(await sharedThread().calling?.(call('look'), () => 17)).toBe(17);
  vi.unstubAllEnvs();
});

/** Runs a script that watches itself, and returns how it ended and what it wrote. */
async function ended(stillMs: number, script: string) {
  const module = new URL('../../../shared/aws/thread.ts', import.meta.url).href;
  const source = `import { endWhenStill } from ${JSON.stringify(module)}; endWhenStill(${stillMs}); ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', source]);
  // One that should have ended itself and did not would compute for ever.
  const late = setTimeout(() => child.kill('SIGTERM'), 20_000);
  let out = '';
  child.stdout.on('data', (some) => {
    out += some;
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...how) => resolve(how)),
  );
  clearTimeout(late);
  return { signal, code, out };
}

test('a process whose thread stands still ends, and says why', async () => {
  const { signal, out } = await ended(
    1_000,
    'await 0; setTimeout(() => { for (;;); }, 100); setTimeout(() => {}, 60_000);',
  );
  expect(signal).toBe('SIGKILL');
  expect(JSON.parse(out)).toMatchObject({ level: 'ERROR', message: expect.stringContaining('stood still') });
});

test('a process that waits, or computes for less, goes on', async () => {
  const busy = 'const until = Date.now() + 1_000; while (Date.now() < until);';
  expect(await ended(5_000, `setTimeout(() => { ${busy} }, 500); setTimeout(() => {}, 7_000);`)).toEqual({
    ...{ signal: null, code: 0, out: '' },
  });
});
