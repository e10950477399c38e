import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../shared/agent/context/estimate.ts';
import { defineGuard, type Stages } from '../../../shared/agent/guardrails/guard.ts';
import { killBefore, Unreachable } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { verifyOrder } from './client-view.fixture.ts';
import { custom, ending, endings, ofType, tool } from './reading.fixture.ts';

describe('a step that keeps dying', () => {
  test('crash_loop: the run ends after maxAttempts, with one error, without another model call', async () => {
    const world = await sessionWorld(
      { limits: { maxAttempts: 3 } },
      scriptedModel(says('1'), says('2'), says('3')),
    );
    await world.say('hi');
    for (const nth of [1, 2, 3]) world.faults.at('sessions.putSlot', killBefore, nth);
    await world.settle();
    const events = await world.events();
    expect(endings(events)).toMatchObject([
      { reason: 'crash_loop', message: 'The step was started 3 times and never finished.' },
    ]);
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
    expect(world.model.requests).toHaveLength(3);
    await verifyOrder(events);
  });

  test('crash_loop: requests of its attempts are charged, in tokens and dollars', async () => {
    const definition = { model: { name: 'm', price: { input: 1e6, output: 0 } }, limits: { maxAttempts: 2 } };
    const world = await sessionWorld(definition, scriptedModel(says('1'), says('2')));
    await world.say('hi');
    for (const nth of [1, 2]) world.faults.at('sessions.putSlot', killBefore, nth);
    await world.settle();
    const sent = world.model.requests.map(estimateTokens).reduce((a, b) => a + b);
    const { totals, run } = (await world.view()).session;
    expect(totals).toMatchObject({ input: sent, output: 0, costUsd: sent });
    expect(run).toMatchObject({ steps: 0, totals });
    expect(endings(await world.events())).toMatchObject([{ reason: 'crash_loop', totals }]);
  });

  test('crash_loop: a message that came during the run, and is left to the next one, is charged where it was sent', async () => {
    const definition = { tools: [tool('get')], limits: { maxAttempts: 1 } };
    const world = await sessionWorld(definition, scriptedModel(calls(['get', {}]), says('lost'), says('ok')));
    await world.say('hi');
    await world.step();
    const before = (await world.view()).session.totals.input;
    await world.say('one more thing '.repeat(1_000));
    world.faults.at('sessions.putSlot', killBefore);
    await world.step();
    await world.clock.advance(70_000);
    await world.step();
    const [, sent] = world.model.requests.map(estimateTokens);
    const { totals, reason } = (await world.view()).session;
    expect(reason).toBe('crash_loop');
    expect(totals.input - before).toBe(sent);
  });

  test('crash_loop: a commit resets the count', async () => {
    const model = scriptedModel(says('lost'), calls(['get', {}]), says('lost'), says('ok'));
    const world = await sessionWorld({ tools: [tool('get')], limits: { maxAttempts: 2 } }, model);
    await world.say('hi');
    world.faults.at('sessions.putSlot', killBefore);
    await world.step();
    await world.clock.advance(335_000);
    await world.step();
    world.faults.at('sessions.putSlot', killBefore);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('crash_loop: the next message starts afresh', async () => {
    const world = await sessionWorld({ limits: { maxAttempts: 1 } }, scriptedModel(says('lost'), says('ok')));
    await world.say('hi');
    world.faults.at('sessions.putSlot', killBefore);
    await world.settle();
    await world.say('again');
    await world.settle();
    expect(endings(await world.events()).map(({ reason }) => reason)).toEqual(['crash_loop', 'completed']);
  });

  const brokenAt = async (stage: keyof Stages) => {
    const broken = defineGuard({
      name: 'broken',
      scope: 'run',
      initial: {},
      hooks: {
        [stage]: () => {
          throw new Unreachable('a bug of its author');
        },
      },
    });
    const replies = [stage === 'complete' ? says('ok') : calls(['get', {}]), says('ok')];
    const definition = { guards: [broken], tools: [tool('get')], limits: { maxAttempts: 2 } };
    const world = await sessionWorld(definition, scriptedModel(...replies));
    await world.say('hi');
    await world.settle();
    return world.events();
  };

  test.each(['preflight', 'reply', 'call', 'complete'] as const)(
    'a guard that throws at %s ends the run at once, and is named',
    async (stage) => {
      const events = await brokenAt(stage);
      expect(ending(events)).toMatchObject({ reason: 'internal_error' });
      expect(ofType(events, 'RUN_ERROR')).toMatchObject([
        { message: 'The guard broken is broken: a bug of its author' },
      ]);
    },
  );

  test('a guard that throws at result cannot end the run, and is named in a warning', async () => {
    const events = await brokenAt('result');
    expect(ending(events)).toMatchObject({ reason: 'completed' });
    expect(custom(events, 'steploop.guard')).toMatchObject([
      { guard: 'broken', action: 'warn', code: 'guard_failed' },
    ]);
  });
});
