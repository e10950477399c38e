import { defined } from '../../agent/plain/defined.ts';
import { isTooDeep } from '../../agent/plain/depth.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import { type Given, type GivenCitation, withGiven } from '../../agent/session/given.ts';
import type { Block, ToolCall } from '../../agent/session/slots.ts';
import { callIds, callName } from '../common/ids.ts';
import { type Json, stringAt } from '../common/json.ts';
import { readArguments } from '../openai/calls.ts';
import { withCitations } from '../openai/citations.ts';
import { MAX_KEPT_CHARS, unknownIn } from '../openai/kept.ts';
import type { ItemDraft } from './drafts.ts';
import { hasSoundIds } from './ids.ts';
import { ITEM_BLOCK } from './kept.ts';
import { partsIn } from './parts.ts';

/** The content of a reply, and its calls. */
export interface Finished {
  readonly content: readonly Block[];
  readonly calls: readonly ToolCall[];
}

/** The items of a reply as blocks, in their order. A call that was cut is left out. */
export function finishItems({ messages }: ModelRequest, drafts: readonly ItemDraft[]): Finished {
  const newId = callIds(messages);
  const withIds = hasSoundIds(drafts, messages);
  const calls: ToolCall[] = [];
  const content = drafts.flatMap((draft, at): Block[] => {
    const id = withIds ? { id: String(draft.item.id) } : {};
    switch (draft.type) {
      case 'message': {
        const phase = stringAt(draft.item, 'phase');
        return draft.text === ''
          ? []
          : [{ type: 'text', text: draft.text, ...given({ ...id, ...defined({ phase }) }) }];
      }
      case 'reasoning':
        return [toThinking(draft, { ...id, ...(withIds && before(drafts[at + 1])) })];
      case 'function_call': {
        const input = readArguments(draft.json);
        if (input.kind === 'cut') return [];
        const theirs = stringAt(draft.item, 'call_id');
        const ours = newId(theirs);
        const name = callName(stringAt(draft.item, 'name'));
        calls.push({ id: ours, name, input: input.called });
        const block = { type: 'tool_use', id: ours, name, input: input.sent };
        return [withGiven(block, givenWith(draft, theirs === ours ? undefined : theirs, id))];
      }
      default:
        return draft.done && withIds && fits(draft.item)
          ? [{ type: ITEM_BLOCK, ...given({ item: unknownIn(draft.item, NONE) }) }]
          : [];
    }
  });
  return { content: withSources(content, drafts), calls };
}

const NONE: ReadonlySet<string> = new Set();

const before = (next: ItemDraft | undefined): { readonly before?: string } =>
  next ? { before: String(next.item.id) } : {};

/** Fields to be kept with a block, if there are any. */
const given = (message: object): { readonly _given?: Given } =>
  Object.keys(message).length > 0 ? { _given: { message: { ...message } } } : {};

/**
 * Reasoning that was not completed has no encrypted form that its server could read. Plain text names its field, so that
 * it stays when the context changes; what is encrypted is left out then, as signed thinking is.
 */
function toThinking({ thinking, as, done, item }: ItemDraft, kept: object): Block {
  const encrypted = done ? stringAt(item, 'encrypted_content') : undefined;
  const block = { type: 'thinking', thinking, ...(encrypted !== undefined && { signature: encrypted }) };
  return withGiven(block, {
    ...(as === 'content' && encrypted === undefined && { as }),
    ...(Object.keys(kept).length > 0 && { message: { ...kept } }),
  });
}

/** Fields of a call that are read here. */
const OF_CALL: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status']);

/** A server refuses ids of calls that are longer than this, even its own (V1ki/dsh-plugin-subscriptions#29). */
const MOST_CALL_ID = 64;

function givenWith({ item }: ItemDraft, theirs: string | undefined, id: object): Given {
  const call = { ...unknownIn(item, OF_CALL), ...id };
  return {
    ...(theirs !== undefined && theirs.length <= MOST_CALL_ID && { id: theirs }),
    ...(Object.keys(call).length > 0 && fits(call) && { call }),
  };
}

const fits = (fields: Json): boolean => !isTooDeep(fields) && JSON.stringify(fields).length <= MAX_KEPT_CHARS;

/** The content, with the sources that it cites on its first block. */
function withSources(content: readonly Block[], drafts: readonly ItemDraft[]): readonly Block[] {
  const citations = drafts
    .flatMap(({ item }) => partsIn(item))
    .reduce<readonly GivenCitation[]>(withCitations, []);
  const [first, ...rest] = content;
  return first && citations.length > 0 ? [withGiven(first, { citations }), ...rest] : content;
}
