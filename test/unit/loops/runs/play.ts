import type { AgentDefinition } from '../../../../shared/agent/define/agent.ts';
import type { ModelOutcome } from '../../../../shared/agent/session/reply.ts';
import type { Slot } from '../../../../shared/agent/session/slots.ts';
import type { ToolContext } from '../../../../shared/agent/tools/tool.ts';
import { says, saysAndCalls, scriptedModel } from '../../../../testing/scripted-model.ts';
import { sessionWorld } from '../../../support/session-world.ts';
import { custom, ending, tool } from '../../step/reading.fixture.ts';
import { Failed, type Step, type Tools } from './run.ts';

/**
 * Plays steps of a run on the memory ports: the real loop with its guards, and a model that follows them and then answers
 * `answers` times.
 */
export async function play(
  tools: Tools,
  steps: readonly Step[],
  definition: Partial<AgentDefinition> = {},
  answers = 1,
) {
  const results = new Map<string, unknown>();
  const replies = steps.map((step): ModelOutcome => {
    const reply = saysAndCalls('', ...step.map(([name, input]): [string, unknown] => [name, input]));
    for (const [i, { id }] of (reply.kind === 'reply' ? reply.reply.calls : []).entries())
      results.set(id, step[i]?.[2]);
    return reply;
  });
  const answer = (_input: unknown, { idempotencyKey }: ToolContext) => {
    const result = results.get(idempotencyKey.split(':')[3] ?? '');
    if (result instanceof Failed) throw new Error(result.message);
    return result;
  };
  const made = Object.entries(tools).map(([name, declared]) =>
    tool(name, answer, typeof declared === 'string' ? { effect: declared } : declared),
  );
  const model = scriptedModel(...replies, ...Array.from({ length: answers }, () => says('That is all: 42.')));
  const world = await sessionWorld({ ...definition, tools: made }, model);
  await world.say('Do it.');
  await world.settle(400);
  const slots = await world.slots();
  const { requests } = model;
  const { session } = await world.view();
  const pinned = await world.sessions.definition(session.key.tenant, session.definition);
  if (!pinned) throw new Error('the session has no definition');
  const events = await world.events();
  return {
    ...{ slots, requests, session, pinned, tools: made, end: ending(events) },
    guards: custom(events, 'steploop.guard'),
  };
}

/** All verdicts of guards: for the model, for people, or in the journal. */
export const saidIn = (slots: readonly Slot[]): string[] =>
  slots.flatMap((slot) => [
    ...slot.verdicts.map(({ guard, kind, code }) => `${kind} ${guard}/${code}`),
    ...(slot.kind === 'tools'
      ? slot.results.flatMap(({ note, outcome }) => [
          ...(note ? [`note: ${note.message}`] : []),
          ...(outcome === 'ok' || outcome === 'error' ? [] : [`result: ${outcome}`]),
        ])
      : slot.input.flatMap(({ internal, text }) => (internal ? [`told: ${text}`] : []))),
  ]);

/** The step, from 1, of the first slot for which `holds` does; null if there is none. */
export function firstStep(slots: readonly Slot[], holds: (slot: Slot) => boolean): number | null {
  const at = slots.findIndex(holds);
  if (at < 0) return null;
  const told = slots[at];
  // The text for the model is in the request of the next step, and is about this one.
  const steps = slots
    .slice(0, at + 1)
    .filter((slot) => slot.kind === 'model' && slot.reply !== undefined).length;
  return told?.kind === 'model' ? steps - 1 : steps;
}
