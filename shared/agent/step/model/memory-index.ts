import { readOnce } from '../../plain/read-once.ts';
import { runOf } from '../../session/session.ts';
import type { Step } from '../open/step-context.ts';
import type { Turn } from './turn.ts';

const readIndexing = readOnce(() => import('./index-memories.ts'));

/** Code of the text, and the tool that finds the rest. */
export const MEMORY_INDEX = 'memory_index';
const SEARCH = 'search_memory';

/**
 * The turn, and at its end what is remembered about the person who asks, if the agent has it so: in the first step of a run, once.
 * The text is stored with the step, so a recovered step reads the same.
 */
export async function withMemoryIndex(step: Step, turn: Turn): Promise<Turn> {
  const { injections } = step.loaded.pinned.guardrails;
  return injections.memoryIndex > 0 && isDue(step, turn)
    ? (await readIndexing()).addIndex(step, turn, injections.memoryIndex)
    : turn;
}

function isDue({ session, recovered, loaded, history }: Step, { input, textOnly }: Turn): boolean {
  const { id, steps } = runOf(session);
  if (steps > 0 || recovered.model || textOnly || !input.some(({ internal }) => !internal)) return false;
  // A try that failed has stored its input, with the text.
  const isToldBefore = history.some(
    (slot) =>
      slot.kind === 'model' &&
      slot.runId === id &&
      slot.input.some(({ internal }) => internal?.reason === MEMORY_INDEX),
  );
  return !isToldBefore && loaded.pinned.tools.some(({ name }) => name === SEARCH);
}
