import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { askOf, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { type Fault, failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { answeringModel, calls, type Scripted, says } from '../../../testing/scripted-model.ts';
import { endings, resultsOf } from './reading.fixture.ts';

const base = { version: '1', model: { name: 'm', price: { input: 1, output: 5 } } } as const;

let looks = 0;
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.int() }),
  effect: 'read',
  run: ({ at }) => `Seen ${at}.`,
});

const summaryOf = (finding: string) =>
  JSON.stringify({
    findings: [finding],
    actionsTaken: ['looked'],
    failures: [],
    remainingWork: ['the rest'],
    suggestedNextSteps: [],
  });

const isFor = (request: ModelRequest, words: string) => JSON.stringify(request).includes(words);
const lastOf = ({ messages }: ModelRequest) => JSON.stringify(messages.at(-1));
const wrapsUp = (request: ModelRequest) => lastOf(request).includes('[steploop] Wrap up');

/** A child that works on until it is asked to wrap up. */
const worksOn: Scripted = ({ request }) =>
  wrapsUp(request) ? says(summaryOf('it is 7')) : calls(['look', { at: looks++ }]);
const asksPeople: Scripted = ({ request }) =>
  wrapsUp(request) ? says(summaryOf('it is 7')) : calls(['ask_user', { question: 'Which?' }]);
const hangs: Scripted = {
  kind: 'failed',
  failure: { kind: 'retry', code: 'busy', message: 'No.', rateLimited: false, retryAfterMs: 400_000 },
};

interface Family {
  readonly answers?: Scripted;
  /** Sessions between the root and the researchers. */
  readonly between?: boolean;
  readonly expiresAfterSeconds?: number;
  readonly background?: boolean;
  readonly tasks?: number;
}

const ask = (name: string, times = 1) =>
  calls(...Array.from({ length: times }, (_, i): [string, unknown] => [name, { task: `Part ${i}.` }]));

function family({
  answers = worksOn,
  between = false,
  expiresAfterSeconds = 3_600,
  background = false,
  tasks = 1,
}: Family = {}) {
  const researcher = defineAgent({
    ...base,
    name: 'research',
    system: 'You research.',
    tools: [askUser, look],
    limits: { maxSteps: 500 },
    guardrails: { loop: { enabled: false } },
  });
  const entry = { agent: researcher, when: 'For research.', expiresAfterSeconds };
  const lead = defineAgent({
    ...base,
    name: 'lead',
    system: 'You lead.',
    agents: { researcher: entry },
  });
  const root = defineAgent({
    ...base,
    name: 'root',
    system: 'You begin.',
    agents: between
      ? { lead: { agent: lead, when: 'To lead.', expiresAfterSeconds } }
      : { researcher: { ...entry, background } },
  });
  const model = answeringModel((about) => {
    const { request } = about;
    const isChild = isFor(request, 'You research.');
    const isLead = isFor(request, 'You lead.');
    const scripted = isChild
      ? answers
      : wrapsUp(request)
        ? says(summaryOf(isLead ? 'the lead has it' : 'the root has it'))
        : isFor(request, 'tool_result') || isFor(request, 'has ended.')
          ? says('Done.')
          : isLead || !between
            ? ask('researcher', tasks)
            : ask('lead');
    return typeof scripted === 'function' ? scripted(about) : scripted;
  });
  // A message comes back soon, so that a dead worker does not take all the time that there is for a summary.
  return agentWorld(root, model, { queue: { visibilityMs: 30_000, maxReceiveCount: 20 } });
}

const sessionsOf = (world: AgentWorld, agent: string) =>
  [...world.table.heads.values()].flatMap(({ session }) => (session.agent === agent ? [session] : []));
const resultsIn = async (world: AgentWorld) => resultsOf(await world.slots());
const wrapUp = (world: AgentWorld) => askOf(world.key, 'wrap_up', 'ask1', world);

/** A session whose children have begun. */
async function going(world: AgentWorld, steps = 2) {
  await world.say('Find out.');
  for (let i = 0; i < steps; i++) await world.step();
}

const summedUp = {
  outcome: 'ok',
  content:
    'researcher was asked to wrap up before it had completed its task, so work may be left. Its summary:\n\nFindings:\n- it is 7\n\nActions taken:\n- looked\n\nRemaining work:\n- the rest',
};

describe('T6: a run that is asked to wrap up while others work for it', () => {
  test('asks each of them, reads their summaries, and then writes its own', async () => {
    const world = family({ tasks: 2 });
    await going(world);
    expect(await wrapUp(world)).toBe('accepted');
    await world.settle(40);
    expect(sessionsOf(world, 'research').map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect(await resultsIn(world)).toMatchObject([summedUp, summedUp]);
    expect(endings(await world.events())).toMatchObject([
      { success: true, summary: { findings: ['the root has it'] } },
    ]);
  });

  test('their requests go down the whole tree', async () => {
    const world = family({ between: true, tasks: 2 });
    await going(world, 4);
    await wrapUp(world);
    await world.settle(60);
    expect(sessionsOf(world, 'research').map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect(sessionsOf(world, 'lead')).toMatchObject([{ state: 'completed' }]);
    expect((await resultsIn(world))[0]?.content).toContain('- the lead has it');
  });

  test('what a child waits for from people ends in time for its summary', async () => {
    const world = family({ answers: asksPeople, between: true });
    await going(world, 4);
    await world.settle(20);
    expect(sessionsOf(world, 'research')).toMatchObject([{ state: 'waiting_for_input' }]);
    const askedAt = world.clock.now();
    await wrapUp(world);
    await world.settle(60);
    const [lead] = sessionsOf(world, 'lead');
    expect((lead?.lastEnding?.at ?? 0) - askedAt).toBeLessThan(120_000);
    expect(sessionsOf(world, 'research')).toMatchObject([{ state: 'completed' }]);
    expect((await resultsIn(world))[0]?.content).toContain('- the lead has it');
  });

  test('one that gives no summary within two minutes is stopped, and the run goes on', async () => {
    const world = family({ answers: hangs });
    await going(world);
    const askedAt = world.clock.now();
    await wrapUp(world);
    await world.settle(60);
    expect(sessionsOf(world, 'research')).toMatchObject([{ state: 'cancelled' }]);
    expect(await resultsIn(world)).toMatchObject([{ outcome: 'unknown' }]);
    const { session } = await world.view();
    expect(session.state).toBe('completed');
    expect((session.lastEnding?.at ?? 0) - askedAt).toBe(120_000);
  });

  test('without children the wait for people is not shortened', async () => {
    const world = family({ answers: asksPeople });
    await going(world);
    await world.settle(20);
    const [child] = sessionsOf(world, 'research');
    await askOf(child?.key ?? world.key, 'wrap_up', 'ask1', world);
    await world.settle(20);
    const [after] = sessionsOf(world, 'research');
    expect(after?.batch?.waits).toEqual(child?.batch?.waits);
  });

  test('an answer that came just before the request is kept', async () => {
    const world = family({
      answers: async ({ request }) => {
        if (wrapsUp(request)) return says('{}');
        const [child] = sessionsOf(world, 'research');
        await askOf(child?.key ?? world.key, 'wrap_up', 'ask1', world);
        return says('It is 7.');
      },
    });
    await world.say('Find out.');
    await world.settle(20);
    expect((await resultsIn(world))[0]?.content).toBe(
      'researcher was asked to wrap up before it had completed its task, so work may be left. It gave no summary.\n\nWhat it had written before that:\n\nIt is 7.',
    );
  });

  test('a request that comes while the children are begun reaches them', async () => {
    const world = family();
    await world.say('Find out.');
    world.faults.at('queue.send', async (proceed) => {
      await wrapUp(world);
      return proceed();
    });
    await world.settle(40);
    expect(await resultsIn(world)).toMatchObject([{ outcome: 'ok' }]);
    expect(endings(await world.events())).toMatchObject([{ summary: { findings: ['the root has it'] } }]);
  });
});

describe('a call whose time is almost over', () => {
  test('its agent sums up before the end, and the call has the summary', async () => {
    const world = family({ answers: asksPeople, expiresAfterSeconds: 600 });
    await going(world);
    const begunAt = world.clock.now();
    await world.settle(40);
    const [child] = sessionsOf(world, 'research');
    expect(child).toMatchObject({ state: 'completed' });
    expect((child?.lastEnding?.at ?? 0) - begunAt).toBeGreaterThanOrEqual(540_000);
    expect((child?.lastEnding?.at ?? 0) - begunAt).toBeLessThan(600_000);
    expect(await resultsIn(world)).toMatchObject([summedUp]);
  });

  test('agents below it sum up before that', async () => {
    const world = family({ answers: asksPeople, between: true, expiresAfterSeconds: 600 });
    await going(world, 4);
    await world.settle(60);
    const [child] = sessionsOf(world, 'research');
    const [lead] = sessionsOf(world, 'lead');
    expect(child?.parent?.wrapUpAt).toBeLessThan(lead?.parent?.wrapUpAt ?? 0);
    expect(sessionsOf(world, 'research')).toMatchObject([{ state: 'completed' }]);
    expect(lead).toMatchObject({ state: 'completed' });
  });

  test('one that works on is told at its next step', async () => {
    const world = family({
      expiresAfterSeconds: 600,
      answers: async (about) => {
        if (!wrapsUp(about.request)) await world.clock.sleep(100_000);
        return typeof worksOn === 'function' ? worksOn(about) : worksOn;
      },
    });
    await world.say('Find out.');
    await world.settle(40);
    expect(await resultsIn(world)).toMatchObject([summedUp]);
  });

  test('an agent in the background reports its summary', async () => {
    const world = family({ answers: asksPeople, expiresAfterSeconds: 600, background: true });
    await world.say('Find out.');
    await world.settle(60);
    expect(sessionsOf(world, 'research')).toMatchObject([{ state: 'completed' }]);
    const reports = (await world.slots()).flatMap((slot) =>
      slot.kind === 'model' ? slot.input.filter(({ internal }) => internal?.reason === 'report') : [],
    );
    expect(reports).toHaveLength(1);
    expect(reports[0]?.text).toContain('> - it is 7');
  });
});

test('a call whose agent gives no summary either says what the agent had done', async () => {
  let requests = 0;
  const world = family({
    answers: () =>
      requests++ === 0
        ? calls(['look', { at: 1 }])
        : {
            kind: 'failed',
            failure: {
              kind: 'retry',
              code: 'busy',
              message: 'No.',
              rateLimited: false,
              retryAfterMs: 700_000,
            },
          },
    expiresAfterSeconds: 600,
  });
  await world.say('Find out.');
  await world.settle(40);
  const [result] = await resultsIn(world);
  expect(result?.outcome).toBe('unknown');
  expect(result?.content).toMatch(/^Error \[no_answer\]: .* Its calls, which are not undone: look ok\.$/);
});

describe('T7: a run that is cancelled while others work for it', () => {
  test('after it was asked to wrap up, they write their summaries first', async () => {
    const text = summaryOf('it is 7');
    const parts = [says(text.slice(0, 20), { stop: 'max_tokens' }), says(text.slice(20))];
    const world = family({
      answers: async (about) => {
        if (!isFor(about.request, '[steploop] Wrap up')) return calls(['look', { at: looks++ }]);
        // The root is cancelled while its child writes, and the child needs another step.
        await cancel(world.key, world);
        for (let i = 0; i < 3 && !(await world.view()).session.run?.ended; i++) await world.step();
        return parts.shift() ?? says('There is no more.');
      },
    });
    await going(world);
    await wrapUp(world);
    await world.settle(40);
    expect((await world.view()).session.state).toBe('cancelled');
    const [child] = sessionsOf(world, 'research');
    expect(child).toMatchObject({ state: 'cancelled', lastEnding: { code: 'parent_cancelled' } });
    const head = [...world.table.heads.values()].find(({ session }) => session === child);
    expect(JSON.stringify(head?.tail)).toContain('"summary":{"findings":["it is 7"]');
  });

  test('a child that waits for more than its summary is stopped at once', async () => {
    const world = family({ answers: asksPeople });
    await going(world);
    await world.settle(20);
    const [child] = sessionsOf(world, 'research');
    await askOf(child?.key ?? world.key, 'wrap_up', 'ask1', world);
    await world.settle(20);
    await cancel(world.key, world);
    await world.settle(40);
    expect(sessionsOf(world, 'research')).toMatchObject([
      { state: 'cancelled', lastEnding: { code: 'cancelled' } },
    ]);
  });

  test('a child whose next try is far away is stopped at once', async () => {
    const world = family({ answers: hangs });
    await going(world);
    await wrapUp(world);
    for (let i = 0; i < 3; i++) await world.step();
    await cancel(world.key, world);
    for (let i = 0; i < 3; i++) await world.step();
    expect(sessionsOf(world, 'research')).toMatchObject([
      { state: 'cancelled', lastEnding: { code: 'cancelled' } },
    ]);
  });

  test('otherwise they are stopped at once', async () => {
    const world = family();
    await going(world);
    await cancel(world.key, world);
    await world.settle(40);
    expect(sessionsOf(world, 'research')).toMatchObject([
      { state: 'cancelled', lastEnding: { code: 'cancelled' } },
    ]);
  });
});

describe('a worker that dies, or reaches no service, anywhere', () => {
  const faults: Record<string, Fault> = { killBefore, killAfter, failBefore, failAfter };
  test.each(Object.keys(faults))(
    'loses no request to wrap up, and no summary: %s',
    { timeout: 60_000 },
    async (name) => {
      const fault = faults[name] as Fault;
      const begin = async () => {
        const world = family({
          tasks: 2,
          answers: async (about) => {
            await world.clock.sleep(5_000);
            return typeof worksOn === 'function' ? worksOn(about) : worksOn;
          },
        });
        await going(world, 3);
        await wrapUp(world);
        return world;
      };
      const first = await begin();
      const before = first.faults.total();
      await first.settle(60);
      const all = first.faults.total() - before;
      for (let nth = 1; nth <= all; nth++) {
        const world = await begin();
        world.faults.atAny(fault, nth);
        await world.settle(80);
        const { session } = await world.view();
        expect([nth, session.state]).toEqual([nth, 'completed']);
        for (const { state } of sessionsOf(world, 'research'))
          expect([nth, state]).toEqual([nth, 'completed']);
        expect([nth, await resultsIn(world)]).toMatchObject([nth, [summedUp, summedUp]]);
        expect([nth, endings(await world.events())]).toMatchObject([nth, [{ success: true }]]);
      }
    },
  );
});
