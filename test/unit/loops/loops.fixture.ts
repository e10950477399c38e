import type { AgentDefinition } from '../../../shared/agent/define/agent.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import type { Slice, Spoken } from '../../../shared/agent/session/verdict.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { answersIn, custom, ending, resultsOf, textsOf } from '../step/reading.fixture.ts';

export type Guardrails = AgentDefinition['guardrails'];

/** A session whose model follows a script and then answers. */
export async function loop(
  definition: Partial<AgentDefinition>,
  ...script: Scripted[]
): Promise<SessionWorld> {
  const world = await sessionWorld(definition, scriptedModel(...script, ...done(5)));
  await world.say('go');
  return world;
}

/** The same session, idle. */
export async function looped(definition: Partial<AgentDefinition>, ...script: Scripted[]) {
  const world = await loop(definition, ...script);
  await world.settle();
  return read(world);
}

const done = (n: number): ModelOutcome[] => Array.from({ length: n }, () => says('The parser is in a.ts.'));

/** `times(3, 'read_file', { path: 'a' })`, or with an input for each. */
export const times = (
  n: number,
  name: string,
  input: unknown | ((i: number) => unknown) = {},
): ModelOutcome[] =>
  Array.from({ length: n }, (_, i) => calls([name, typeof input === 'function' ? input(i) : input]));

/** The visible state of a session. */
export async function read(world: SessionWorld) {
  const events = await world.events();
  const slots = await world.slots();
  const { session } = await world.view();
  const { requests } = world.model;
  return {
    world,
    events,
    slots,
    session,
    requests,
    end: ending(events),
    guards: custom(events, 'steploop.guard'),
    verdicts: slots.flatMap((slot): readonly Spoken[] => slot.verdicts),
    results: resultsOf(slots),
    /** The results that the model reads, at the end. */
    answers: answersIn(requests.at(-1)).map(({ content }) => String(content)),
    /** Codes of the guard events that clients got, in order. */
    codes: custom(events, 'steploop.guard').map(({ action, code }) => `${action} ${code}`),
    slice: (guard: string): Slice => session.metadata.guardrails[guard] ?? {},
  };
}

/** Texts of loop guards that a request adds to the one before it, by number from 1. */
export const toldIn = (requests: SessionWorld['model']['requests'], n: number): string[] => {
  const texts = (i: number) => textsOf(requests[i], 'user').filter((text) => /^\[loop-guard\]/.test(text));
  return texts(n - 1).slice(n > 1 ? texts(n - 2).length : 0);
};
