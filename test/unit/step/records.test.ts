import { describe, expect, test } from 'vitest';
import { workLogOf } from '../../../shared/agent/context/work-log.ts';
import { calls, changed, fails, type Scripted, says, usage } from '../../../testing/scripted-model.ts';
import type { SessionWorld } from '../../support/session-world.ts';
import { endings, tool } from './reading.fixture.ts';
import { type Definition, drive, sameWhenKilled } from './rows.fixture.ts';

const get = tool('get');
const asks = (n: number, input = 100, output = 0) => changed(calls(['get', { n }]), usage(input, output));

describe('T27: records of failures', () => {
  const bad = tool('read_file', ({ path }) => {
    if (path !== 'there.ts') throw new Error(`no such file: ${path}`);
    return 'text';
  });
  const reads = (path: string) => calls(['read_file', { path, secret: 'hunter2' }]);
  const readOf = (path: string): [string, object] => ['read_file', { path }];
  const unresolved = async (world: SessionWorld) =>
    (await world.view()).session.metadata.guardrails.failures?.unresolved;

  test('T27: a failing tool is recorded, with its subject and without its arguments', async () => {
    const { world } = await drive({ tools: [bad], guardrails: 'attocode' }, [
      reads('a.ts'),
      says('There is no a.ts.'),
    ]);
    expect(await unresolved(world)).toEqual([
      { tool: 'read_file', target: 'a.ts', error: 'Error [failed]: no such file: a.ts', step: 1 },
    ]);
    expect(JSON.stringify((await world.view()).session)).not.toContain('hunter2');
  });

  test('T27: a failure that is fixed later is dropped, and a repeated one is one record', async () => {
    const flaky = tool('read_file', ({ path }) => {
      busy -= 1;
      if (path === 'b.ts' && busy >= 0) throw new Error('busy');
      return 'text';
    });
    let busy = 2;
    const script = [reads('b.ts'), reads('b.ts'), reads('b.ts'), says('It says text.')];
    const { world } = await drive({ tools: [flaky], guardrails: 'attocode' }, script);
    expect(await unresolved(world)).toEqual([]);
  });

  test('T27: the last 30 are kept', async () => {
    const script = Array.from({ length: 8 }, (_, batch) =>
      calls(
        ...Array.from({ length: 4 }, (_, i): [string, object] => [
          'read_file',
          { path: `${batch * 4 + i}.ts` },
        ]),
      ),
    );
    const { world } = await drive({ tools: [bad], guardrails: 'attocode' }, [
      ...script,
      says('None is there.'),
    ]);
    const kept = (await unresolved(world)) as { target: string }[];
    expect([kept.length, kept[0]?.target, kept.at(-1)?.target]).toEqual([30, '2.ts', '31.ts']);
  });

  test('T27: results of calls are recorded for economics and for the work log; calls that did not run are in neither as a failure', async () => {
    const script = [
      ...[reads('there.ts'), calls(...['1', '2', '3', '4', '5', '6'].map(readOf))],
      says('There is one.'),
    ];
    const alone = tool('read_file', ({ path }) => bad.run({ path }, {} as never), { effect: 'idempotent' });
    const { world } = await drive({ tools: [alone] }, script);
    const { run } = (await world.view()).session;
    expect(run).toMatchObject({ toolCalls: 7, steps: 3 });
    const log = workLogOf(await world.slots());
    expect(log.tools).toEqual([{ name: 'read_file', calls: 6, failed: 5 }]);
    expect(log.files).toEqual([{ path: 'there.ts', tools: ['read_file'] }]);
    expect(log.errors.map(({ about }) => about)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('T27: deaths in the middle record nothing twice', async () => {
    await sameWhenKilled(() => ({
      definition: { tools: [bad], guardrails: 'attocode' },
      script: [reads('a.ts'), reads('b.ts'), reads('there.ts'), says('There is no a.ts.')],
    }));
  });
});

describe('T33: the result of a run', () => {
  test.each<{ what: string; definition: Definition; script: Scripted[]; result: object }>([
    {
      what: 'completed',
      definition: {},
      script: [says('It is 7.')],
      result: { success: true, reason: 'completed' },
    },
    {
      what: 'over the budget',
      definition: { tools: [get], limits: { tokenBudget: 100 } },
      script: [asks(1)],
      result: { success: false, reason: 'token_budget', guard: 'budget', code: 'token_budget' },
    },
    {
      what: 'refused',
      definition: {},
      script: [says('', { stop: 'refusal' })],
      result: { success: false, reason: 'blocked', code: 'refusal' },
    },
    {
      what: 'out of steps',
      definition: { tools: [get], limits: { maxSteps: 1 } },
      script: [asks(1)],
      result: { success: false, reason: 'max_steps', guard: 'max_steps' },
    },
    {
      what: 'failed by its provider',
      definition: { limits: { maxRetries: 1, outageSeconds: 0 } },
      script: [fails()],
      result: { success: false, reason: 'provider_error', code: 'overloaded_error' },
    },
  ])('T33: $what: exactly one end, with its reason', async ({ definition, script, result }) => {
    const { events } = await drive(definition, script);
    expect(endings(events)).toMatchObject([result]);
    if (endings(events)[0]?.success === false) expect(endings(events)[0]?.message).not.toBe('');
  });
});
