/** State that a page and the model share (docs/page-tools.md). */

import type { AgUiEvent } from './events.ts';
import type { SeenCalls } from './seen-calls.ts';

/** Name of the tool with which the model changes it. */
export const STATE_TOOL = 'set_page_state';
/** Most characters of JSON of one change. */
export const MAX_CHANGE = 8_000;

/** A state by its fields. AG-UI allows any JSON, but only fields can be changed without knowing what the page has by now. */
export type PageState = Readonly<Record<string, unknown>>;

/** The result of a change: its fields, each with its whole new value. */
export interface StateChange {
  readonly changed: PageState;
}

/** One operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  op: 'add';
  path: string;
  value: unknown;
}

/** AG-UI's events about state, which come after other events. */
export type StateEvent =
  | { type: 'STATE_SNAPSHOT'; snapshot: PageState }
  | { type: 'STATE_DELTA'; delta: PatchOperation[] };

export const isFields = (value: unknown): value is PageState =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The change that a call's result reports; undefined if it failed. */
export function changeIn(content: string): PageState | undefined {
  try {
    const result: unknown = JSON.parse(content);
    return isFields(result) && isFields(result.changed) ? result.changed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A change as a patch that applies to whatever fields the page has: `add` also replaces an existing member (RFC 6902, section
 * 4.1), while `replace` fails if there is none, which stops pages that begin with an empty state.
 */
const deltaOf = (changed: PageState): StateEvent[] => {
  const delta = Object.entries(changed).map(([name, value]): PatchOperation => {
    const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return { op: 'add', path, value };
  });
  return delta.length > 0 ? [{ type: 'STATE_DELTA', delta }] : [];
};

/**
 * The changes of state that an event means for a page: that of a call's result, and for a snapshot all of its last turn, because
 * the page may have missed some. To make a change again has no effect.
 */
export function changesBy(event: AgUiEvent, calls: SeenCalls): StateEvent[] {
  const changeOf = (toolCallId: string, content: string) =>
    calls.nameOf(toolCallId) === STATE_TOOL ? (changeIn(content) ?? {}) : {};
  switch (event.type) {
    case 'TOOL_CALL_RESULT':
      return deltaOf(changeOf(event.toolCallId, event.content));
    case 'MESSAGES_SNAPSHOT': {
      const turn = event.messages.slice(event.messages.findLastIndex(({ role }) => role === 'user') + 1);
      const changes = turn.flatMap((one) =>
        one.role === 'tool' ? Object.entries(changeOf(one.toolCallId, one.content)) : [],
      );
      return deltaOf(Object.fromEntries(changes));
    }
    default:
      return [];
  }
}
