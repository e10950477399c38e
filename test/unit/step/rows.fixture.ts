import { expect } from 'vitest';
import type { InputTurn } from '../../../shared/agent/session/slots.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { killAfter, killBefore, type Operation } from '../../../testing/faults.ts';
import { type Scripted, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { custom, ending } from './reading.fixture.ts';

export type Definition = NonNullable<Parameters<typeof sessionWorld>[0]>;

/** H1, T10, T11: they have tests of their own (`loops/reminders.test.ts`). */
const REMINDERS = new Set(['orientation', 'recitation', 'failures_left']);

/** The facts of a run that a test of a row needs. */
export async function read(world: SessionWorld) {
  const events = await world.events();
  await verifyOrder(events);
  const slots = await world.slots();
  const internals: InputTurn[] = slots.flatMap((slot) =>
    slot.kind === 'model' && !slot.fold
      ? slot.input.filter(({ internal }) => internal && !REMINDERS.has(internal.reason))
      : [],
  );
  return {
    world,
    events,
    slots,
    internals,
    end: ending(events),
    asked: world.model.requests.length,
    /** The reason for each text of ours to the model, in order; without reminders, which are independent of a row. */
    told: internals.map(({ internal }) => internal?.reason),
    /** The verdicts of guards, in order: `guard/code`. */
    said: custom(events, 'steploop.guard').map(({ guard, code }) => `${guard}/${code}`),
    recoveries: custom(events, 'steploop.recovery').map(({ scenario }) => scenario),
  };
}

/** Runs one message of an agent to its end. */
export async function drive(definition: Definition, script: readonly Scripted[], text = 'Go.') {
  const world = await sessionWorld(definition, scriptedModel(...script));
  await world.say(text);
  await world.settle();
  expect(world.model.left()).toBe(0);
  return read(world);
}

/** The state of a client at the end. */
const shownIn = (events: readonly AgUiEvent[]) =>
  clientView(events).map(({ role, content }) => [role, content]);

/** The places at which a step can die with something kept. */
const deaths: readonly { at: Operation; fault: typeof killAfter }[] = [
  { at: 'sessions.putSlot', fault: killAfter },
  { at: 'sessions.commit', fault: killBefore },
  { at: 'sessions.commit', fault: killAfter },
];

/**
 * Runs the script once undisturbed, then repeatedly with one death, at every place and every step: the guards' state,
 * the end and the texts for the model must be the same, and no reply is requested twice.
 */
export async function sameWhenKilled(
  make: () => { definition: Definition; script: readonly Scripted[]; text?: string },
) {
  const first = make();
  const calm = await drive(first.definition, first.script, first.text);
  for (const { at, fault } of deaths) {
    for (let nth = 1; nth <= calm.asked; nth += 1) {
      const { definition, script, text = 'Go.' } = make();
      const world = await sessionWorld(definition, scriptedModel(...script));
      await world.say(text);
      world.faults.at(at, fault, nth);
      await world.settle();
      const again = await read(world);
      const where = `${at} ${fault.name} ${nth}`;
      const { session } = await world.view();
      expect([where, session.metadata.guardrails]).toEqual([
        where,
        (await calm.world.view()).session.metadata.guardrails,
      ]);
      expect([where, again.end, again.told, again.asked]).toEqual([where, calm.end, calm.told, calm.asked]);
      expect([where, shownIn(again.events)]).toEqual([where, shownIn(calm.events)]);
    }
  }
  return calm;
}
