import { expect, test } from 'vitest';
import { DaysBody } from '../../shared/contract/answers.ts';
import { MAX_DAYS } from '../../shared/contract/days.ts';
import { env } from '../../shared/contract/env.ts';
import { httpClient, ProblemError } from '../../web/client/index.ts';
import { embedded } from '../support/embedded.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { runCli } from '../support/run-cli.ts';

test('GET /history counts today at once, and the sweeper counts the days before it', async () => {
  await using idp = await startOidcIssuer();
  await using model = await ruleModel(({ turn, lastText }) =>
    turn === 0 && lastText === 'look' ? callTools(['look', { n: 1 }]) : sayText('Done.'),
  );
  await using world = await embedded({
    model,
    tools: () => 'seen',
    variables: { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: idp.audience },
  });
  const as = async (tenant: string, ...roles: string[]) =>
    httpClient({
      httpUrl: world.stack.outputs.HttpUrl ?? '',
      token: await idp.token({ tenant, sub: 'ada', roles }),
    });
  const operator = await as('acme', 'steploop-operator');
  for (const message of ['look', 'hello']) {
    const { sessionId } = await operator.createSession({ agent: 'worker', message });
    await expect.poll(async () => (await operator.session(sessionId)).state).toBe('completed');
  }
  const first = DaysBody.parse(await operator.history(7));
  expect(first).toMatchObject({
    days: [{ day: new Date().toISOString().slice(0, 10), sessions: 2, runs: 2, failed: 0, steps: 3 }],
    pending: 6,
    total: { reasons: [{ reason: 'completed', runs: 2 }], durations: { count: 2 } },
    agents: [{ name: 'worker', runs: 2, steps: 3 }],
    models: [{ calls: 3 }],
    tools: [{ name: 'look', calls: 1, failed: 0 }],
  });
  expect(first.total.costUsd).toBeGreaterThan(0);
  expect(first.agents[0]?.costUsd).toBeCloseTo(first.total.costUsd, 9);

  await world.stack.invoke('AgentsSweeper', {});
  const all = DaysBody.parse(await operator.history(MAX_DAYS));
  expect(all.days).toHaveLength(MAX_DAYS);
  expect(all).toMatchObject({ pending: 0, total: { runs: 2, steps: 3 } });

  // The deployment's own token is of the tenant `default`.
  const { sessionId } = await httpClient({
    httpUrl: world.stack.outputs.HttpUrl ?? '',
    token: world.token,
  }).createSession({ agent: 'worker', message: 'hello' });
  await world.atRest(sessionId);
  const shown = await runCli(world, ['history', '--days', '2']);
  expect([shown.code, shown.err]).toEqual([0, '']);
  expect(shown.out).toMatch(/^1 run, 0 failed, 1 step, .*\n.*\n1 earlier day is not counted yet/);
  expect(await runCli(world, ['history', '--days', '91'])).toMatchObject({ code: 2 });

  await expect((await as('acme')).history()).rejects.toBeInstanceOf(ProblemError);
  const other = await (await as('globex', 'steploop-operator')).history();
  expect(other).toMatchObject({ total: { runs: 0, costUsd: 0 }, agents: [], models: [], tools: [] });
});
