import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { isFold, type Slot } from '../../../shared/agent/session/slots.ts';
import { reply, type Scripted } from '../../../testing/scripted-model.ts';
import { type FoldingOptions, foldingModel } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { tool } from './reading.fixture.ts';
import { type Definition, read } from './rows.fixture.ts';

/** Text of so many characters. */
export const long = (chars: number): string => 'word '.repeat(chars / 5);

/**
 * An agent with a small context: of 9,000 tokens 1,000 are kept free, and a call of `get` adds 1,250: the sixth finds it full.
 */
export const small = (context: object = {}, more: Definition = {}): Definition => ({
  tools: [tool('get', ({ n }) => `result ${n}: ${long(5_000)}`)],
  guardrails: {
    context: { window: 9_000, reserve: 1_000, summary: { maxChars: 1_000, leastChars: 400 }, ...context },
  },
  ...more,
});

/** Gets one thing. Its id is always the same, so that contexts can be compared. */
export function get(n: number): ModelOutcome {
  const call = { id: `get-${n}`, name: 'get', input: { n } };
  return reply({ stop: 'tool_use', content: [{ type: 'tool_use', ...call }], calls: [call] });
}

/** Gets things one by one. */
export const getting = (times: number, from = 1): Scripted[] =>
  Array.from({ length: times }, (_, i) => get(from + i));

export const foldsOf = (slots: readonly Slot[]) => slots.filter(isFold).map(({ fold }) => fold);

/** Runs one message to its end. */
export async function run(definition: Definition, options: FoldingOptions, ...script: Scripted[]) {
  const model = foldingModel(options, ...script);
  const world = await sessionWorld(definition, model);
  await world.say('Count what there is.');
  await world.settle();
  return { ...(await read(world)), model, folds: foldsOf(await world.slots()) };
}
