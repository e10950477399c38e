import { describe, expect, test } from 'vitest';
import { defineGuard, type Stages } from '../../../shared/agent/guardrails/guard.ts';
import { killBefore, Unreachable } from '../../support/faults.ts';
import { calls, says, scriptedModel } from '../../support/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { verifyOrder } from './client-view.fixture.ts';
import { ending, endings, ofType, tool } from './reading.fixture.ts';

describe('a step that keeps dying', () => {
  test('crash_loop: the run ends after maxAttempts, with one error, and the model is not called for it', async () => {
    const world = await sessionWorld(
      { limits: { maxAttempts: 3 } },
      scriptedModel(says('1'), says('2'), says('3')),
    );
    await world.say('hi');
    for (const nth of [1, 2, 3]) world.faults.at('sessions.putSlot', killBefore, nth);
    await world.settle();
    const events = await world.events();
    expect(endings(events)).toMatchObject([{ state: 'error', reason: 'crash_loop' }]);
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
    expect(world.model.requests).toHaveLength(3);
    await verifyOrder(events);
  });

  test('crash_loop: a commit sets the count back', async () => {
    const model = scriptedModel(says('lost'), calls(['get', {}]), says('lost'), says('ok'));
    const world = await sessionWorld({ tools: [tool('get')], limits: { maxAttempts: 2 } }, model);
    await world.say('hi');
    world.faults.at('sessions.putSlot', killBefore);
    await world.step();
    await world.clock.advance(70_000);
    await world.step();
    world.faults.at('sessions.putSlot', killBefore);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('crash_loop: the next message begins afresh', async () => {
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
    const replies = [1, 2].map(() => (stage === 'complete' ? says('ok') : calls(['get', {}])));
    const definition = { guards: [broken], tools: [tool('get')], limits: { maxAttempts: 2 } };
    const world = await sessionWorld(definition, scriptedModel(...replies));
    await world.say('hi');
    await world.settle();
    return ending(await world.events());
  };

  test.each(['reply', 'call', 'complete'] as const)(
    'crash_loop: a guard that throws at %s ends the run',
    async (stage) => {
      expect(await brokenAt(stage)).toMatchObject({ reason: 'crash_loop' });
    },
  );

  // DEFECT: these throw again on the attempt that is to end the run as crash_loop, and on the dead-letter consumer's:
  // the session stays due for ever, and its client never hears of it. Fix: once preflight has halted, and for the
  // halt itself when attempts are spent, ask the built-in guards alone; or let `judge` turn a throw into a verdict.
  test.fails.each(['preflight', 'result'] as const)(
    'crash_loop: a guard that throws at %s ends the run',
    async (stage) => {
      expect(await brokenAt(stage)).toMatchObject({ reason: 'crash_loop' });
    },
  );
});
