import { changeIn, isFields, type PageState, STATE_TOOL } from '../../contract/page-state.ts';
import type { InputTurn, Slot } from '../session/slots.ts';

/**
 * The state that the pages of a session and its model share: what a page has sent with a message, and the changes of the model
 * since. It is part of the conversation, so forks, retries, deletion and sealing apply to it.
 *
 * @returns undefined if there is none, or if the latest page sent more than is kept, so that only pages know it
 */
export function pageStateOf(slots: readonly Slot[]): PageState | undefined {
  let state: PageState | undefined = {};
  for (const slot of slots) {
    if (slot.kind === 'model') {
      for (const turn of slot.input) {
        const shown = shownBy(turn);
        if (shown !== 'nothing') state = shown;
      }
      continue;
    }
    const changes = slot.results.flatMap(({ name, outcome, content }) =>
      name === STATE_TOOL && outcome === 'ok' ? [changeIn(content)] : [],
    );
    for (const changed of changes) if (state && changed) state = { ...state, ...changed };
  }
  return state && Object.keys(state).length > 0 ? state : undefined;
}

/** The state that a page has sent, if the turn says what a page shows (`texts.pageShows`): JSON after its first line. */
function shownBy({ text, internal }: InputTurn): PageState | undefined | 'nothing' {
  if (internal?.reason !== 'page') return 'nothing';
  try {
    const shown: unknown = JSON.parse(text.slice(text.indexOf('\n') + 1));
    if (!isFields(shown) || !('state' in shown)) return 'nothing';
    return isFields(shown.state) ? shown.state : undefined;
  } catch {
    return undefined;
  }
}
