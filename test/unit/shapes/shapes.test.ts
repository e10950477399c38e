import { describe, expect, test } from 'vitest';
import { type Agent, defineAgent } from '../../../shared/agent/define/agent.ts';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { map, parallel, pipeline, race, vote } from '../../../shared/agent/define/shapes.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { retryRun } from '../../../shared/agent/entrypoints/retry.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { answeringModel, calls, says } from '../../../testing/scripted-model.ts';
import { resultsOf } from '../step/reading.fixture.ts';

const model = { name: 'm', price: { input: 1, output: 5 } };
const worker = (name = 'worker', more: object = {}) =>
  defineAgent({ name, version: '1', model, system: `You are ${name}.`, ...more });

/** The text of the first message that a model reads. */
const taskIn = ({ messages }: ModelRequest): string =>
  (messages[0]?.content ?? []).map(({ text }) => String(text)).at(-1) ?? '';
const nameIn = ({ system }: ModelRequest): string => /You are (\w+)/.exec(system)?.[1] ?? '';

/** A world in which each agent answers its task with a function. */
const worldOf = (
  agent: Agent,
  answer: (name: string, task: string, request: ModelRequest) => string | undefined,
) =>
  agentWorld(
    agent,
    answeringModel(async ({ request, signal }) => {
      const said = answer(nameIn(request), taskIn(request), request);
      if (said === undefined)
        return { kind: 'failed', failure: { kind: 'fatal', code: 'broken', message: 'It is broken.' } };
      if (said === 'never')
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(says('', { stop: 'interrupted' }))),
        );
      return says(said);
    }),
  );

const childrenOf = (world: AgentWorld) =>
  [...world.table.heads.values()].flatMap(({ session }) => (session.parent ? [session] : []));

/** The report of a shape, as it was given. */
async function reportOf(world: AgentWorld): Promise<string> {
  const last = (await world.slots()).findLast((slot) => slot.kind === 'model');
  return String(last?.kind === 'model' ? last.reply?.content.at(-1)?.text : undefined);
}

async function played(world: AgentWorld, task: string): Promise<string> {
  await world.say(task);
  await world.settle(2_000);
  return reportOf(world);
}

describe('a map', () => {
  const of = (more: object = {}) => map({ name: 'all', agent: worker(), width: 3, ...more });

  test('gives each item to an agent, as many at once as it is wide, and reports the answers in order', async () => {
    const world = worldOf(of(), (_, task) => `Did ${task}.`);
    await world.say(JSON.stringify(['a', 'b', 'c', 'd']));
    await world.step();
    expect(childrenOf(world)).toHaveLength(3);
    await world.settle();
    expect(JSON.parse(await reportOf(world))).toEqual({
      ...{ items: 4, answered: 4, failed: 0 },
      results: ['a', 'b', 'c', 'd'].map((item) => ({ answer: `Did ${item}.` })),
    });
    const { session } = await world.view();
    expect(session).toMatchObject({
      state: 'completed',
      reason: 'completed',
      totals: { costUsd: expect.any(Number) },
    });
    expect(session.run?.steps).toBe(3);
  });

  test('takes a list of lines, and words that stand before each item', async () => {
    expect(
      await played(
        worldOf(of(), (_, task) => task),
        'a\n\n b ',
      ),
    ).toContain('[{"answer":"a"},{"answer":"b"}]');
    const world = worldOf(of(), (_, task) => task);
    const report = await played(world, JSON.stringify({ items: ['a'], task: 'Count it.' }));
    expect(JSON.parse(report).results).toEqual([{ answer: 'Count it.\n\na' }]);
  });

  test('goes on after items that fail alike, and reports why they failed', async () => {
    const world = worldOf(of({ width: 1 }), (_, task) => (task === 'd' ? 'Done.' : undefined));
    const report = JSON.parse(await played(world, 'a\nb\nc\nd'));
    expect(report).toMatchObject({ items: 4, answered: 1, failed: 3 });
    expect(report.results[0].error).toMatch(/^Error \[error\]: worker has not completed its task\. broken/);
    expect(report.results[3]).toEqual({ answer: 'Done.' });
  });

  test('fails with a sentence that says what to send if its task has no items', async () => {
    const world = worldOf(of(), () => 'Done.');
    await world.say('[]');
    await world.settle();
    const { session } = await world.view();
    expect(session).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(session.lastEnding?.message).toBe(
      'wrong_task: the task has no items: send a JSON array, or one item a line.',
    );
  });

  test('is asked by a model with a list, and its report is the result of the call', async () => {
    const root = defineAgent({
      ...{ name: 'root', version: '1', model, system: 'You are root.' },
      agents: { research_all: { agent: of({ width: 32 }), when: 'For many.' } },
    });
    const world = agentWorld(
      root,
      answeringModel(({ request }) =>
        nameIn(request) === 'worker'
          ? says(`Did ${taskIn(request)}.`)
          : JSON.stringify(request.messages).includes('tool_result')
            ? says('All done.')
            : calls(['research_all', { items: Array.from({ length: 40 }, (_, i) => `${i}`), task: 'Look.' }]),
      ),
    );
    await world.say('Go.');
    await world.step();
    await world.step();
    // The map is one of the 32 that may be alive.
    expect(childrenOf(world).filter(({ agent }) => agent === 'worker')).toHaveLength(31);
    await world.settle();
    const [result] = resultsOf(await world.slots());
    expect(result).toMatchObject({ outcome: 'ok', child: { sessionId: expect.any(String) } });
    expect(JSON.parse(result?.content ?? '').results[39]).toEqual({ answer: 'Did Look.\n\n39.' });
  });

  test('a list that is not one is refused with words about it', async () => {
    const root = defineAgent({
      ...{ name: 'root', version: '1', model, system: 'You are root.' },
      agents: { research_all: { agent: of(), when: 'For many.' } },
    });
    const world = agentWorld(
      root,
      answeringModel(({ request }) =>
        JSON.stringify(request.messages).includes('tool_result')
          ? says('Done.')
          : calls(['research_all', { items: ['x'.repeat(100_001)] }]),
      ),
    );
    await world.say('Go.');
    await world.settle();
    expect(resultsOf(await world.slots())[0]?.content).toContain('up to 100,000 characters together');
  });

  test('a report has at most the characters that it may have: the longest answers are cut', async () => {
    const world = worldOf(of({ reportChars: 1_000 }), (_, task) =>
      task === 'a' ? 'Short.' : '"'.repeat(5_000),
    );
    const text = await played(world, 'a\nb\nc');
    expect(text.length).toBeLessThanOrEqual(1_100);
    const { results, cut } = JSON.parse(text);
    expect(cut).toBe(2);
    expect(results[0]).toEqual({ answer: 'Short.' });
    expect(results[1].answer).toMatch(/^"+…$/);
  });

  test('a message that comes while it works adds items', async () => {
    const world = worldOf(of(), (_, task) => `Did ${task}.`);
    await world.say('a\nb');
    await world.step();
    await world.say('c');
    await world.settle();
    expect(JSON.parse(await reportOf(world)).results).toEqual(
      ['a', 'b', 'c'].map((item) => ({ answer: `Did ${item}.` })),
    );
  });

  test('a later run has a task of its own', async () => {
    const world = worldOf(of(), (_, task) => `Did ${task}.`);
    await played(world, 'a\nb');
    expect(JSON.parse(await played(world, 'c')).results).toEqual([{ answer: 'Did c.' }]);
    expect(childrenOf(world)).toHaveLength(3);
  });

  test('a run that was stopped and is retried asks only for what is missing', async () => {
    let hangs = true;
    const asked: string[] = [];
    const world = worldOf(of({ width: 1 }), (_, task) => {
      asked.push(task);
      return task === 'b' && hangs ? 'never' : `Did ${task}.`;
    });
    await world.say('a\nb');
    for (let n = 0; n < 3; n++) await world.step();
    const hung = world.begin();
    await world.clock.advance(1_000);
    await cancel(world.key, world);
    await hung?.finish();
    await world.settle();
    expect((await world.view()).session.state).toBe('cancelled');
    hangs = false;
    await retryRun(world.key, { eventId: 'again' }, world);
    await world.settle();
    expect(JSON.parse(await reportOf(world)).results).toEqual([{ answer: 'Did a.' }, { answer: 'Did b.' }]);
    expect(asked.filter((task) => task === 'a')).toHaveLength(1);
  });

  test('at its limit it reports what it has', async () => {
    const world = worldOf(of({ width: 1, limits: { costLimitUsd: 0.0005 } }), () => 'Done.');
    const report = JSON.parse(await played(world, 'a\nb\nc'));
    expect(report.answered).toBeGreaterThan(0);
    expect(report.failed).toBeGreaterThan(0);
    expect(report.results.at(-1).error).toContain('Not done');
  });
});

describe('what holds for every agent holds for a shape', () => {
  const of = (more: object = {}) => map({ name: 'all', agent: worker(), width: 2, ...more });

  test('in plan mode its agents are in plan mode, and it has their answers', async () => {
    const world = agentWorld(
      of(),
      answeringModel(({ request }) => says(`Did ${taskIn(request)}.`)),
      { mode: 'plan' },
    );
    const report = JSON.parse(await played(world, 'a\nb'));
    expect(report.answered).toBe(2);
    expect(childrenOf(world).map(({ mode }) => mode)).toEqual(['plan', 'plan']);
  });

  test('a policy that forbids its calls ends it with a report, and no further agent is asked', async () => {
    const policy = definePolicy({ name: 'none', rules: [{ name: 'no', decision: 'forbid', tools: ['*'] }] });
    const world = worldOf(of({ policy }), () => 'Done.');
    const report = JSON.parse(await played(world, 'a\nb\nc'));
    expect(report).toMatchObject({ answered: 0, failed: 3 });
    expect(report.results[2].error).toMatch(/^Error \[/);
    expect(childrenOf(world)).toHaveLength(0);
  });

  test('below the last level it fails with words about it', async () => {
    const shapes = [1, 2, 3].reduce<Agent>((agent, n) => map({ name: `level${n}`, agent }), of());
    const world = worldOf(shapes, () => 'Done.');
    const report = await played(world, 'a');
    expect(report).toContain('no_room: no more agents may be at work below this one');
  });
});

describe('agents side by side', () => {
  const agents = { facts: { agent: worker('one') }, style: { agent: worker('two') } };

  test('parallel gives all the same task, and reports by name', async () => {
    const world = worldOf(parallel({ name: 'both', agents }), (name, task) =>
      name === 'two' ? undefined : `${name} did ${task}`,
    );
    const report = JSON.parse(await played(world, 'Review it.'));
    expect(report.facts).toEqual({ answer: 'one did Review it.' });
    expect(report.style.error).toContain('broken');
  });

  test('a race reports the first good answer, and stops the others', async () => {
    const runners = race({ name: 'first', agents: [worker('bad'), worker('slow'), worker('fast')] });
    const world = worldOf(runners, (name) =>
      name === 'bad' ? undefined : name === 'slow' ? 'never' : 'Won.',
    );
    await world.say('Go.');
    await world.step();
    const others: Promise<unknown>[] = [];
    // Each on a host of its own: the slow one hangs until it is stopped.
    for (let n = 0; n < 4; n++) {
      const running = world.begin();
      if (running) others.push(running.finish());
      await world.clock.advance(1_000);
    }
    await Promise.all(others);
    await world.settle();
    expect(await reportOf(world)).toBe('Won.');
    const results = resultsOf(await world.slots());
    expect(results.map(({ outcome }) => outcome)).toEqual(['error', 'unknown', 'ok']);
    expect(results[1]?.content).toContain('another agent has answered first');
    expect(
      childrenOf(world)
        .map(({ agent, state }) => [agent, state])
        .sort(),
    ).toEqual([
      ['bad', 'error'],
      ['fast', 'completed'],
      ['slow', 'cancelled'],
    ]);
  });

  test('a race that nothing wins fails, and says how', async () => {
    const world = worldOf(race({ name: 'first', agent: worker(), n: 2 }), () => undefined);
    await world.say('Go.');
    await world.settle();
    const { session } = await world.view();
    expect(session.state).toBe('error');
    expect(session.lastEnding?.message).toMatch(/^no_answer: no agent has given an answer\. worker: Error/);
  });
});

describe('agents in a row', () => {
  test('each agent of a pipeline reads the task and the answer of the one before', async () => {
    const tasks: string[] = [];
    const world = worldOf(
      pipeline({ name: 'line', agents: [worker('one'), worker('two'), worker('one')] }),
      (name, task) => {
        tasks.push(task);
        return `${name} ${tasks.length}`;
      },
    );
    expect(await played(world, 'Write.')).toBe('one 3');
    expect(tasks[1]).toBe('Write.\n\n[The answer of one, which has worked on this before you]\none 1');
    expect(tasks[2]).toContain('[The answer of two, which has worked on this before you]\ntwo 2');
  });

  test('a pipeline ends with a stage that fails', async () => {
    const world = worldOf(
      pipeline({ name: 'line', agents: [worker('one'), worker('two')] }),
      () => undefined,
    );
    await world.say('Write.');
    await world.settle();
    const { session } = await world.view();
    expect(session.lastEnding?.message).toMatch(/^stage_failed: one has not done its part\. Error \[error\]/);
    expect(childrenOf(world)).toHaveLength(1);
  });

  test('the judge of a vote reads the task and the answers', async () => {
    let asked = '';
    let n = 0;
    const world = worldOf(
      vote({ name: 'best', agent: worker(), n: 3, judge: worker('judge') }),
      (name, task) => {
        if (name === 'judge') asked = task;
        n += 1;
        return name === 'judge' ? 'The second.' : n === 2 ? undefined : `Answer ${n}.`;
      },
    );
    expect(await played(world, 'Name it.')).toBe('The second.');
    expect(asked).toContain('[The task]\nName it.\n\n[Answer 1]\nAnswer 1.\n\n[Answer 2]\nAnswer 3.');
    expect(asked).toContain('These are 2 answers');
  });
});
