import { own } from '../../agent/plain/merge.ts';
import type { Message } from '../../agent/ports/provider.ts';
import type { ItemDraft } from './drafts.ts';
import { keptOf } from './kept.ts';

/** The beginning of an item's id, by its type; OpenAI refuses another (openai/codex#33176). */
const BEGINNINGS: Readonly<Record<string, string>> = { reasoning: 'rs', message: 'msg', function_call: 'fc' };

/** Characters of an id; longer ones are refused (NousResearch/hermes-agent#73538). */
const MOST = 64;

/**
 * Whether the ids of a reply's items can be sent back: all of them sound, and new in this conversation, since a server
 * refuses an id that comes twice (microsoft/agent-framework-go#783). Otherwise none of them is kept.
 */
export function hasSoundIds(drafts: readonly ItemDraft[], messages: readonly Message[]): boolean {
  const ids = drafts.map(({ item }) => item.id);
  if (new Set(ids).size < ids.length || !drafts.every(isSound)) return false;
  const known = new Set(ids);
  return !messages.some(
    ({ role, content }) =>
      role === 'assistant' &&
      content.some((block) => {
        const { id, item } = keptOf(block);
        return known.has(id ?? item?.id);
      }),
  );
}

const isSound = ({ type, item: { id } }: ItemDraft): boolean =>
  typeof id === 'string' &&
  id.length <= MOST &&
  /^[A-Za-z0-9_-]+$/.test(id) &&
  id.startsWith(own(BEGINNINGS, type) ?? '');
