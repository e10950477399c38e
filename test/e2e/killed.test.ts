import { describe, expect, test } from 'vitest';
import type { Wire } from '../../local/stack/wire.ts';
import { refused } from '../support/ag-ui.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { isTerminal, watch } from '../support/watcher.ts';

/** Long enough for a busy machine, short enough to wait for. */
const leaseSeconds = 3;

/** Kills the step's environment once, when `at` matches. */
const kill = (world: Embedded): number => world.stack.kill('AgentsStepsStep');

/** Waits for the end and checks the guarantees for the client of a recovered session. */
async function completes(
  world: Embedded,
  model: RuleModel,
  id: string,
  expected: { calls: number; texts: string[] },
) {
  using watcher = watch(world, id);
  const session = await world.atRest(id);
  expect(session).toMatchObject({ state: 'completed', reason: 'completed' });
  await watcher.seen(isTerminal);
  expect(model.asked).toHaveLength(expected.calls);
  expect(watcher.texts('assistant')).toEqual(expected.texts);
  const committed = (await world.messages(id)).flatMap((m) =>
    m.role === 'assistant' && m.content ? [m.content] : [],
  );
  expect(watcher.texts('assistant')).toEqual(committed);
  expect((await world.events(id)).filter(isTerminal)).toHaveLength(1);
  expect(await refused(watcher.events)).toBeUndefined();
}

describe.concurrent('a killed step environment', () => {
  test('in the middle of the model call: the model is called once more, and its text is not shown twice', async () => {
    await using model = await ruleModel(({ n }) =>
      n === 1
        ? stall([messageStart(), ...openBlock(text('Half of ', 'an ans'), 0)])
        : sayText('Half of an answer, and the other half.'),
    );
    await using world = await embedded({ model, leaseSeconds });
    const id = await world.start('Answer me.');
    using live = watch(world, id);
    await live.seen((event) => event.type === 'TEXT_MESSAGE_CONTENT' && event.delta.includes('Half'));
    expect(kill(world)).toBe(1);

    await completes(world, model, id, { calls: 2, texts: ['Half of an answer, and the other half.'] });
    await live.seen(isTerminal);
    expect(live.texts('assistant')).toEqual(['Half of an answer, and the other half.']);
    expect(await refused(live.events)).toBeUndefined();
    expect(
      live.events.filter((event) => event.type === 'CUSTOM' && event.name === 'steploop.aborted'),
    ).toHaveLength(1);
  });

  test('between the reply and the tools: the reply is not paid for again', async () => {
    let world: Embedded | undefined;
    let killed = 0;
    const wire: Wire = {
      after({ operation, body }) {
        if (operation !== 'PutItem' || !body.includes('M#0000000000') || killed > 0 || !world)
          return undefined;
        killed = kill(world);
        return 'drop';
      },
    };
    await using model = await ruleModel(({ turn }) =>
      turn === 0 ? callTools(['save', { n: 1 }]) : sayText('Saved.'),
    );
    await using running = await embedded({ model, wire, leaseSeconds });
    world = running;
    const id = await running.start('Save.');
    await completes(running, model, id, { calls: 2, texts: ['On it. ', 'Saved.'] });
    expect(killed).toBe(1);
    // It may have started in parallel with the write of the reply's slot. Every attempt has the same key.
    expect(new Set(running.toolStarts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test('inside a once tool: it is not started again, and the model is told that its outcome is unknown', async () => {
    let world: Embedded | undefined;
    await using model = await ruleModel(({ turn }) =>
      turn === 0 ? callTools(['pay', { n: 1 }]) : sayText('It may have gone through.'),
    );
    await using running = await embedded({
      model,
      leaseSeconds,
      tools: async () => {
        if (world) kill(world);
        return { ok: true };
      },
    });
    world = running;
    const id = await running.start('Pay.');
    await completes(running, model, id, { calls: 2, texts: ['On it. ', 'It may have gone through.'] });
    expect(running.toolStarts).toHaveLength(1);
    expect(JSON.stringify(model.asked[1]?.messages)).toContain('unknown_outcome');
  });

  test('between commit and send: the redelivered message continues, and nothing is repeated', async () => {
    let world: Embedded | undefined;
    let sends = 0;
    const wire: Wire = {
      before({ operation }) {
        // The HTTP function sends the first wake, and the step that has just committed the second.
        if (operation !== 'SendMessage' || ++sends !== 2 || !world) return undefined;
        expect(kill(world)).toBe(1);
        return 'drop';
      },
    };
    await using model = await ruleModel(({ turn }) =>
      turn === 0 ? callTools(['save', { n: 1 }]) : sayText('Saved.'),
    );
    await using running = await embedded({ model, wire, leaseSeconds });
    world = running;
    const id = await running.start('Save.');
    await completes(running, model, id, { calls: 2, texts: ['On it. ', 'Saved.'] });
    expect(running.toolStarts).toHaveLength(1);
  });
});
