import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { replayGuards } from '../../../functions/routes/guards.ts';
import { cutToFit } from '../../../functions/routes/steps-cut.ts';
import { presets } from '../../../shared/agent/config/presets.ts';
import { ReplayBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import type { ReplayedVerdict } from '../../../shared/contract/replays.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { tool } from '../step/reading.fixture.ts';

const operator: Identity = { tenant: 'acme', subject: 'token', kind: 'token' };

async function ask(world: SessionWorld, query: Record<string, string> = {}, sessionId = world.key.sessionId) {
  const event = { pathParameters: { sessionId }, queryStringParameters: query };
  const agents = [world.agentOf('test')];
  const { body } = await replayGuards(event as unknown as APIGatewayProxyEventV2, operator, {
    io: world,
    agents,
  } as unknown as RouteContext);
  return ReplayBody.parse(JSON.parse(body ?? ''));
}

/** Two runs: the first makes six calls that are equal, the second none. */
async function talk() {
  const same = Array.from({ length: 6 }, () => calls(['look', { n: 1 }]));
  const model = scriptedModel(...same, says('It is 42.'), says('You are welcome.'));
  const world = await sessionWorld(
    { tools: [tool('look', () => 'nothing')], guardrails: { loop: { enabled: false } } },
    model,
  );
  await world.say('Look it up');
  await world.settle();
  await world.say('Thanks');
  await world.settle();
  return world;
}

describe('GET /sessions/{sessionId}/guards', () => {
  test('says for each preset what its guards would have said, at which step, and which runs they end', async () => {
    const { presets: replays, runs, ran, from } = await ask(await talk());
    expect(from).toBe(0);
    expect(runs.map(({ steps }) => steps)).toEqual([7, 1]);
    expect(ran.said).toMatchObject([{ slot: 0, guard: 'counts', code: 'disabled', effect: 'allowed' }]);
    expect(replays.map(({ preset }) => preset)).toEqual(Object.keys(presets));
    const of = (name: string) => replays.find(({ preset }) => preset === name);
    const [first] = runs;
    expect(of('aar')?.ends[0]).toEqual({
      runId: first?.runId,
      step: 4,
      state: 'error',
      reason: 'loop_halt',
    });
    expect(of('default')?.said[0]).toMatchObject({
      ...{ step: 3, slot: 4, guard: 'call_streak', effect: 'advised' },
      text: expect.stringContaining('look'),
      message: expect.any(String),
    });
    expect(of('praisonai-current')?.said[0]).toMatchObject({
      effect: 'warned',
      toolCallId: expect.any(String),
    });
  });

  test('answers for the presets that are named', async () => {
    const { presets: replays } = await ask(await talk(), { preset: 'chat, hamr' });
    expect(replays.map(({ preset }) => preset)).toEqual(['chat', 'hamr']);
  });

  test.each([
    ['an unknown preset', { preset: 'defualt' }, 400, 'Did you mean default?'],
    ['a name of a prototype', { preset: 'constructor' }, 400, 'There is no preset constructor.'],
    ['an unknown key', { presets: 'chat' }, 400, ''],
  ])('refuses %s', async (_, query, status, detail) => {
    const world = await talk();
    await expect(ask(world, query)).rejects.toMatchObject({
      problem: { status, ...(detail && { detail: expect.stringContaining(detail) }) },
    });
  });

  test('finds no session that is not there', async () => {
    await expect(ask(await talk(), {}, 'absent')).rejects.toMatchObject({ problem: { status: 404 } });
  });
});

test('a replay that no answer holds is cut, says so, and still has the shape of the contract', () => {
  const long = 'x'.repeat(2_000);
  const verdict: ReplayedVerdict = {
    ...{ runId: 'r', step: 1, guard: 'cycles', code: 'cycle', effect: 'advised' },
    ...{ text: long, message: long },
  };
  const said = Array.from({ length: 500 }, () => verdict);
  const replays = Object.keys(presets).map((preset) => ({ preset, said, ends: [] }));
  const answer = cutToFit({ from: 0, runs: [{ runId: 'r', steps: 1 }], ran: { said }, presets: replays });
  expect(answer.cut).toBe(true);
  expect(ReplayBody.parse(answer)).toEqual(answer);
});
