import { callingOf } from '../../shared/agent/session/made.ts';
import { callsOf } from '../../shared/agent/session/reply.ts';
import type { WholeCall } from '../../shared/contract/chat/calls.ts';
import type { ChatChunk } from '../../shared/contract/chat/chunks.ts';
import { type ChatLine, chatLine } from '../../shared/contract/chat/line.ts';
import type { ChatState } from '../../shared/contract/chat/state.ts';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { linksTo } from './links-to.ts';
import type { PageContext } from './page-arrivals.ts';
import { encodeSse } from './session-stream.ts';
import type { Teller } from './stream-session.ts';

/**
 * Turns a session's events into chunks of the AI SDK.
 *
 * @param first events that come before all others
 * @param refusal why the page does not get what it asked for: the chat's error, after everything else
 */
export function chatTeller(
  key: SessionKey,
  state: ChatState,
  first: readonly AgUiEvent[],
  { io, links }: Pick<PageContext, 'io' | 'links'>,
  refusal?: string,
): Teller {
  const line = chatLine(state);
  let before = [...first];
  const linked = async (chunk: ChatChunk): Promise<ChatChunk[]> => {
    if (chunk.type !== 'data-steploop-attached') return [chunk];
    const seen = chunk.data.attachments.filter(({ as }) => as !== 'file');
    const urls = await linksTo(seen, key, links);
    const attachments = chunk.data.attachments.map((one) => ({ ...one, ...urlOf(urls.get(one.hash)) }));
    const files = attachments.flatMap(({ url, mediaType }): ChatChunk[] =>
      url === undefined ? [] : [{ type: 'file', url, mediaType }],
    );
    return [{ ...chunk, data: { ...chunk.data, attachments } }, ...files];
  };
  return {
    // A reconnect continues in the middle of an open part.
    closes: false,
    async shown(event) {
      const [joined, chunks] = [before, []] as [AgUiEvent[], ChatChunk[]];
      before = [];
      const calls = isAsking(event) ? await askedCalls(key, io) : [];
      for (const one of [...joined, event]) chunks.push(...line.next(one, calls));
      return (await Promise.all(chunks.map(linked))).flat();
    },
    last: () => `${endOf(line, refusal).map(encodeSse).join('')}data: [DONE]\n\n`,
  };
}

const endOf = (line: ChatLine, refusal: string | undefined): ChatChunk[] =>
  refusal === undefined
    ? line.end()
    : [...line.end().filter(({ type }) => type !== 'finish'), { type: 'error', errorText: refusal }];

const urlOf = (url: string | undefined) => (url === undefined ? {} : { url });

const isAsking = (event: AgUiEvent): boolean =>
  event.type === 'RUN_FINISHED' && event.outcome.type === 'interrupt';

/** The committed calls of the waiting batch: people who decide see their arguments in full. */
async function askedCalls(
  key: SessionKey,
  { sessions }: Pick<PageContext['io'], 'sessions'>,
): Promise<WholeCall[]> {
  const slot = (await sessions.read(key))?.session.batch?.slot;
  if (slot === undefined) return [];
  const [stored] = (await sessions.slots(key, slot)).filter((one) => one.slot.n === slot);
  return callsOf(callingOf(stored?.slot));
}
