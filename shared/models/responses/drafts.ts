import { own } from '../../agent/plain/merge.ts';
import type { Delta } from '../../agent/ports/provider.ts';
import { isObject, type Json, stringAt } from '../common/json.ts';
import { partsIn, refusalIn, textIn, thoughtIn } from './parts.ts';

/** An item of a reply while it streams. */
export interface ItemDraft {
  readonly type: string;
  /** The item as the server has described it last. */
  item: Json;
  /** Text, thinking and arguments so far. */
  text: string;
  thinking: string;
  json: string;
  refusal: string;
  /** The field in which thinking came. */
  as: 'summary' | 'content';
  /** Whether the server has said that the item is complete. */
  done: boolean;
  /** The index that the server gave to it, and the part of the summary that is being written. */
  readonly index: unknown;
  part: unknown;
}

/** Collects the items of one reply from its events. */
export interface ItemDrafts {
  /** Takes an event, and returns what people may see. */
  take(event: Json): Delta[];
  /** Takes the items of the finished response. Servers may leave them out (open-webui/open-webui#27800), or send nothing before. */
  end(output: unknown): Delta[];
  all(): readonly ItemDraft[];
}

/** The kind of item that a delta belongs to. */
const KIND_OF: Readonly<Record<string, string>> = {
  'response.output_text.delta': 'message',
  'response.refusal.delta': 'message',
  'response.function_call_arguments.delta': 'function_call',
  'response.function_call_arguments.done': 'function_call',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.reasoning_text.delta': 'reasoning',
};

export function itemDrafts(): ItemDrafts {
  const drafts: ItemDraft[] = [];

  const open = (item: Json, index: unknown): ItemDraft => {
    const type = stringAt(item, 'type') ?? 'unknown';
    const draft: ItemDraft = {
      ...{ type, item, index, part: undefined, done: false },
      ...{ text: '', thinking: '', json: '', refusal: '', as: 'summary' },
    };
    drafts.push(draft);
    return draft;
  };

  /**
   * The draft of an event. Ids come first, since some servers count every item as 0; but others give each event of an item
   * another id, and llama.cpp sends items side by side (can1357/oh-my-pi#1882).
   */
  const find = (type: string, id: string | undefined, index: unknown): ItemDraft | undefined => {
    const ofType = drafts.filter((draft) => draft.type === type);
    const byId = id === undefined ? undefined : ofType.find(({ item }) => item.id === id);
    return byId ?? ofType.findLast((draft) => draft.index === index && index !== undefined && !draft.done);
  };

  return {
    take(event) {
      const { output_index: index, item } = event;
      if (event.type === 'response.output_item.added' && isObject(item)) {
        const known = drafts.find((draft) => item.id !== undefined && draft.item.id === item.id);
        return known ? [] : begun(open(item, index));
      }
      if (event.type === 'response.output_item.done' && isObject(item)) {
        const known = find(String(item.type), stringAt(item, 'id'), index);
        return known?.done ? [] : finish(known ?? open(item, index), item);
      }
      const kind = typeof event.type === 'string' ? own(KIND_OF, event.type) : undefined;
      if (kind === undefined) return [];
      const id = stringAt(event, 'item_id');
      return grow(find(kind, id, index) ?? open({ type: kind, ...(id && { id }) }, index), event);
    },
    end(output) {
      const items = Array.isArray(output) ? output.filter(isObject) : [];
      if (drafts.length === 0) return items.flatMap((item, at) => finish(open(item, at), item));
      const sameOrder = items.length === drafts.length;
      return items.flatMap((item, at) => {
        const draft = drafts.find((one) => isOf(one, item)) ?? (sameOrder ? drafts[at] : undefined);
        return draft && !draft.done && draft.type === item.type ? finish(draft, item) : [];
      });
    },
    all: () => drafts,
  };
}

const isOf = ({ item: known }: ItemDraft, item: Json): boolean =>
  (item.id !== undefined && item.id === known.id) ||
  (item.call_id !== undefined && item.call_id === known.call_id);

/** Some servers give an item in one piece when it begins. */
const begun = (draft: ItemDraft): Delta[] => {
  draft.json = stringAt(draft.item, 'arguments') ?? '';
  return withWhole(draft, draft.item);
};

function grow(draft: ItemDraft, event: Json): Delta[] {
  if (draft.done) return [];
  const piece = stringAt(event, 'delta') ?? '';
  switch (event.type) {
    case 'response.output_text.delta':
      draft.text += piece;
      return seen('text', piece);
    case 'response.refusal.delta':
      draft.refusal += piece;
      return [];
    case 'response.function_call_arguments.delta':
      draft.json += piece;
      return [];
    case 'response.function_call_arguments.done':
      draft.json = stringAt(event, 'arguments') ?? draft.json;
      return [];
    default: {
      const as = event.type === 'response.reasoning_text.delta' ? 'content' : 'summary';
      const part = as === 'content' ? event.content_index : event.summary_index;
      const apart = draft.thinking !== '' && part !== draft.part ? `\n\n${piece}` : piece;
      draft.as = as;
      draft.part = part;
      draft.thinking += apart;
      return seen('thinking', apart);
    }
  }
}

/** The complete item is what counts: its reasoning may differ from the one that began (openai/openai-python#3615). */
function finish(draft: ItemDraft, item: Json): Delta[] {
  draft.done = true;
  draft.item = { ...draft.item, ...item };
  draft.json = stringAt(item, 'arguments') ?? draft.json;
  return withWhole(draft, item);
}

/** Takes the texts of an item that has come whole, and returns what has not been streamed. */
function withWhole(draft: ItemDraft, item: Json): Delta[] {
  const text = textIn(item);
  const { thinking, as } = thoughtIn(item);
  const unseen = [
    ...seen('thinking', missing(draft.thinking, thinking)),
    ...seen('text', missing(draft.text, text)),
  ];
  draft.text = text || draft.text;
  draft.thinking = thinking || draft.thinking;
  if (thinking !== '') draft.as = as;
  draft.refusal = refusalIn(partsIn(item)) || draft.refusal;
  return unseen;
}

const missing = (streamed: string, whole: string): string =>
  whole.startsWith(streamed) ? whole.slice(streamed.length) : '';

const seen = (kind: Delta['kind'], text: string): Delta[] => (text === '' ? [] : [{ kind, text }]);
