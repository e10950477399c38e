import { readOnce } from '../../plain/read-once.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import type { Turn } from './turn.ts';

/** Loads the code that writes the index. */
export const readIndexing = readOnce(() => import('./index-memories.ts'));

/** The turn, with the index of the memory of the person who asks if the agent has it so, which few have. */
export async function withMemoryIndex(
  step: SessionPart & Pick<Step, 'io' | 'lease' | 'recovered'>,
  turn: Turn,
): Promise<Turn> {
  const { memoryIndex } = step.loaded.pinned.guardrails.injections;
  return memoryIndex > 0 ? (await readIndexing()).addIndex(step, turn, memoryIndex) : turn;
}
