import { memoryOf } from '../../memories/open.ts';
import { callersOf } from '../../session/caller.ts';
import { reminders } from '../../texts/reminders.ts';
import type { Step } from '../open/step-context.ts';
import { MEMORY_INDEX } from './memory-index.ts';
import { internal } from './told.ts';
import type { Turn } from './turn.ts';

const HEAD_CHARS = 120;

/**
 * Adds the newest facts in the memory of the one person who asks. Without one, without facts, or if the memory cannot be
 * reached, nothing is added: the model can still search.
 */
export async function addIndex({ loaded, io, lease }: Step, turn: Turn, most: number): Promise<Turn> {
  const { key } = loaded;
  const who = { ...key, ...callersOf(key.tenant, turn.session.run), idempotencyKey: '' };
  if (!who.user) return turn;
  const found = await memoryOf(who, io, lease.signal)
    .search('', { scopes: ['user'], most })
    .catch(() => undefined);
  if (!found || found.facts.length === 0) return turn;
  const lines = found.facts.map(({ text, at }) => {
    const head = text.replace(/\s+/g, ' ').slice(0, HEAD_CHARS).toWellFormed();
    return `${new Date(at).toISOString().slice(0, 10)} ${JSON.stringify(head)}`;
  });
  return { ...turn, input: [...turn.input, internal(MEMORY_INDEX, reminders.memoryIndex(lines, found.of))] };
}
