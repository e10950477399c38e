import type { AgUiEvent } from '../../contract/events.ts';

/** Characters of text in one event: four bytes each still fit a 128 KB WebSocket message. */
const MAX_DELTA = 16_000;
/** Characters of a tool result, an argument list or a summary that clients are shown; the whole is in the transcript. */
const MAX_SHOWN = 8_000;

/** Joins neighbouring pieces of the same text, and cuts events that no client could receive. */
export function coalesce(events: readonly AgUiEvent[]): AgUiEvent[] {
  const joined: AgUiEvent[] = [];
  for (const event of events) {
    const before = joined.at(-1);
    if (
      before &&
      isText(before) &&
      isText(event) &&
      before.type === event.type &&
      before.messageId === event.messageId
    ) {
      joined[joined.length - 1] = { ...before, delta: before.delta + event.delta };
    } else {
      joined.push(event);
    }
  }
  return joined.flatMap(fit);
}

type TextEvent = Extract<AgUiEvent, { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT' }>;

const isText = (event: AgUiEvent): event is TextEvent =>
  event.type === 'TEXT_MESSAGE_CONTENT' || event.type === 'REASONING_MESSAGE_CONTENT';

function fit(event: AgUiEvent): AgUiEvent[] {
  if (isText(event)) return pieces(event.delta).map((delta) => ({ ...event, delta }));
  if (event.type === 'TOOL_CALL_ARGS') return [{ ...event, delta: shown(event.delta) }];
  if (event.type === 'TOOL_CALL_RESULT') return [{ ...event, content: shown(event.content) }];
  if (event.type === 'CUSTOM' && event.name === 'steploop.folded') {
    const { summary } = event.value;
    return [summary ? { ...event, value: { ...event.value, summary: shown(summary) } } : event];
  }
  return [event];
}

const shown = (text: string): string =>
  text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more characters)`;

/** Never splits a surrogate pair. */
function pieces(text: string): string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + MAX_DELTA, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    cut.push(text.slice(at, end));
    at = end;
  }
  return cut;
}
