import { dayOf } from '../../budgets/tenant-budgets.ts';
import { callersOf } from '../../session/caller.ts';
import { runOf } from '../../session/session.ts';
import { reminders } from '../../texts/reminders.ts';
import { newestFacts } from '../../tools/newest-facts.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { internal } from './told.ts';
import type { Turn } from './turn.ts';

const CODE = 'memory_index';
/** The tool that finds the rest. */
const SEARCH = 'search_memory';
const HEAD_CHARS = 120;

/**
 * Adds the newest facts in the memory of the one person who asks to the first step of a run, once. The text is stored with the
 * step, so a recovered step reads the same. Without such a person, without facts, or if the memory cannot be reached, nothing
 * is added: the model can still search.
 */
export async function addIndex(
  step: SessionPart & Pick<Step, 'io' | 'lease' | 'recovered'>,
  turn: Turn,
  most: number,
): Promise<Turn> {
  const { loaded, io, lease } = step;
  if (!isDue(step, turn)) return turn;
  const { key } = loaded;
  const found = await newestFacts(key, callersOf(key.tenant, turn.session.run), most, io, lease.signal);
  if (!found || found.facts.length === 0) return turn;
  const lines = found.facts.map(({ text, at }) => {
    const head = text.replace(/\s+/g, ' ').slice(0, HEAD_CHARS).toWellFormed();
    return `${dayOf(at)} ${JSON.stringify(head)}`;
  });
  return { ...turn, input: [...turn.input, internal(CODE, reminders.memoryIndex(lines, found.of))] };
}

function isDue(
  { session, recovered, loaded, history }: SessionPart & Pick<Step, 'recovered'>,
  { input, textOnly }: Turn,
): boolean {
  const { id, steps } = runOf(session);
  if (steps > 0 || recovered.model || textOnly || !input.some(({ internal }) => !internal)) return false;
  // A try that failed has stored its input, with the text.
  const isToldBefore = history.some(
    (slot) =>
      slot.kind === 'model' &&
      slot.runId === id &&
      slot.input.some(({ internal }) => internal?.reason === CODE),
  );
  return !isToldBefore && loaded.pinned.tools.some(({ name }) => name === SEARCH);
}
