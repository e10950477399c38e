import { callsOf } from '../session/reply.ts';
import type { InputTurn } from '../session/slots.ts';
import { toolsFound } from '../session/tools-sent.ts';
import { type ContextInputs, saidIn } from './asked.ts';
import { foldTexts } from './texts.ts';

/** Characters of definitions that a head repeats, and their share of a request's limit. */
const TOOLS = { chars: 16_000, share: 0.1 };

/**
 * The tools that the model has found and called, for the head of a context: requests do not declare them, and the search that
 * found them is left out. The newest come first, as far as there is room. Empty for a session that declares all of its tools.
 *
 * @param before the head that this one replaces
 * @param limit tokens that a request may have
 */
export function foundTools(asked: ContextInputs, before: readonly InputTurn[], limit: number): InputTurn[] {
  const { search } = asked.pinned;
  if (!search) return [];
  const known = before.flatMap(({ internal }) => (internal?.tools ?? []).toReversed());
  const called = saidIn(asked).flatMap((slot) =>
    slot.kind === 'model' && slot.reply ? callsOf(slot.reply).map(({ name }) => name) : [],
  );
  const newest = [...new Set([...known, ...called].toReversed())];
  const hidden = new Map(toolsFound(asked.pinned).map((tool) => [tool.name, tool]));
  let room = Math.min(TOOLS.chars, Math.floor(TOOLS.share * limit * 4));
  const kept = newest.flatMap((name) => {
    const tool = hidden.get(name);
    if (!tool) return [];
    const { description, input_schema } = tool;
    const line = JSON.stringify({ name, description, input_schema });
    room -= line.length + 1;
    return room < 0 ? [] : [{ name, line }];
  });
  if (kept.length === 0) return [];
  const text = foldTexts.foundTools(search.call, kept.map(({ line }) => line).join('\n'));
  return [{ text, internal: { reason: 'fold_tools', tools: kept.map(({ name }) => name) } }];
}
