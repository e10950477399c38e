import { isRecord } from '../../plain/merge.ts';
import { targetOf } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';
import { reminders } from '../../texts/reminders.ts';

/** Entries of the list, and characters of each: the list is in HEAD. */
const MOST = { entries: 24, chars: 80 };

/** The words of an orientation. */
export const orient = reminders.orientation;

/** The list with what a call has inspected, which comes first. */
export function inspected(seen: readonly string[], call: ToolCall): readonly string[] {
  const name = nameOf(call).replace(/\s+/g, ' ').slice(0, MOST.chars).toWellFormed();
  return [name, ...seen.filter((one) => one !== name)].slice(0, MOST.entries);
}

/** A path, or a search with its words. */
function nameOf(call: ToolCall): string {
  const path = targetOf(call);
  const input = isRecord(call.input) ? call.input : {};
  const words = [input.query, input.pattern, input.q, input.search, input.words].find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (words === undefined) return path ?? call.name;
  return `${call.name} ${JSON.stringify(words)}${path === undefined ? '' : ` in ${path}`}`;
}
