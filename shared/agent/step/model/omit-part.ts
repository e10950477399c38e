import { foldAt } from '../../context/folded.ts';
import { omissionsIn, openTurn } from '../../context/omissions.ts';
import type { Reading } from '../../context/reading.ts';
import { isRead } from '../../session/made.ts';
import type { Omitted } from '../../session/omitted.ts';
import type { InputTurn, Slot } from '../../session/slots.ts';
import { namedIn } from './named-part.ts';
import type { RefusedRequest } from './refused-request.ts';

/** Requests that one run makes to find the part that its server does not accept. Servers do not bill refused requests. */
export const MOST_TRIES = 8;

/** Pieces in which results, or calls, are tried: more would not fit into the tries. */
const CHUNKS = 4;

/**
 * The parts that the next request leaves out. Undefined if everything has been tried, or no part can be the cause. First comes
 * the part that the server names, then media that no reply has read. Next are parts that are new since the last request that
 * this model accepted: results and replies, newest first, a few at a time; then messages; and finally all of them except the
 * current input.
 *
 * A pure function of slots: earlier tries are slots without a reply, so a step that takes over tries the same.
 */
export function nextOmission(refused: RefusedRequest): readonly Omitted[] | undefined {
  const { history, runId, malformed } = refused;
  const tries = openTurn(history).flatMap((slot) =>
    slot.kind === 'model' && slot.omitted && slot.runId === runId ? [slot.omitted] : [],
  );
  if (tries.length >= MOST_TRIES) return undefined;
  const isNew = (one: readonly Omitted[]) =>
    one.length > 0 && !tries.some((before) => JSON.stringify(before) === JSON.stringify(one));
  const media = unreadMedia(refused);
  if (!malformed) return isNew(media) ? media : undefined;
  const parts = newParts(refused);
  const all = parts.filter(({ slot, part }) => part !== 'input' || slot !== refused.n);
  if (tries.length === MOST_TRIES - 1) return isNew(all) ? all : undefined;
  const named = namedIn({ ...refused, malformed }, tries.at(-1) ?? []);
  return [...named, media, ...searched(refused, parts), all].find(isNew);
}

/** Slots with images and documents that no reply has read yet. If a server refuses a request, it most likely cannot show one of them. */
function unreadMedia({ history, input, n }: RefusedRequest): readonly Omitted[] {
  const isShown = ({ attachments = [] }: Pick<InputTurn, 'attachments'>) =>
    attachments.some(({ as }) => as !== 'file');
  const slots = openTurn(history).filter((slot) =>
    (slot.kind === 'tools' ? slot.results : slot.input).some(isShown),
  );
  const now = input.some(isShown) ? [n] : [];
  return [...slots.map((slot) => slot.n), ...now].map((slot) => ({ slot, part: 'media' }));
}

/** Whole parts that are new since the last request that this model accepted, newest first, including the current input. */
function newParts({ history, input, n, runId, reading }: RefusedRequest): readonly Omitted[] {
  const read = contextOf(history, reading);
  const isTaken = (slot: Slot) =>
    slot.kind === 'model' &&
    slot.reply !== undefined &&
    !slot.reply.imported &&
    (slot.reply.fallback ?? 0) === reading.fallback;
  // No request was ever accepted, so the request as a whole is wrong, not a part of it.
  if (!read.some((slot) => slot.kind === 'model' && slot.reply)) return [];
  const last = read.findLastIndex(isTaken);
  const omitted = omissionsIn(read, input, runId);
  const parts = read.slice(Math.max(0, last)).flatMap((slot, i): Omitted[] => {
    if (omitted.get(slot.n)?.why === 'refused') return [];
    if (slot.kind === 'tools') return slot.results.length > 0 ? [{ slot: slot.n, part: 'results' }] : [];
    const isOld = last >= 0 && i === 0;
    const asked: Omitted[] = slot.input.length > 0 && !isOld ? [{ slot: slot.n, part: 'input' }] : [];
    return slot.reply?.content.length ? [...asked, { slot: slot.n, part: 'reply' }] : asked;
  });
  return [...parts, ...(input.length > 0 ? [{ slot: n, part: 'input' } as const] : [])].toReversed();
}

const contextOf = (history: readonly Slot[], { fold }: Reading): readonly Slot[] =>
  (foldAt(history, fold)?.slots ?? history).filter(
    (slot) => isRead(slot) && !(slot.kind === 'model' && slot.fold),
  );

/** One part after the other: the texts of models and tools are more often malformed than those of people. */
function searched(
  { history, n }: RefusedRequest,
  parts: readonly Omitted[],
): readonly (readonly Omitted[])[] {
  const written = parts.filter(({ part }) => part !== 'input');
  const said = parts.filter(({ slot, part }) => part === 'input' && slot !== n);
  const now = parts.filter(({ slot, part }) => part === 'input' && slot === n);
  const bySlot = new Map(history.map((slot) => [slot.n, slot]));
  return [
    ...written.flatMap((whole) => [...piecesOf(whole, bySlot.get(whole.slot)), [whole]]),
    ...[...said, ...now].map((one) => [one]),
  ];
}

/** Pieces of a part that are tried before the whole of it. */
function piecesOf({ slot: n, part }: Omitted, slot: Slot | undefined): readonly (readonly Omitted[])[] {
  const piece = (at: readonly number[]): readonly Omitted[] => [{ slot: n, part, at }];
  if (slot?.kind === 'tools') return chunksOf(slot.results.map((_, at) => at)).map(piece);
  const content = slot?.reply?.content ?? [];
  const where = (isOne: (type: string) => boolean) =>
    content.flatMap(({ type }, at) => (isOne(type) ? [at] : []));
  const strange = where((type) => !KNOWN.has(type));
  const thought = where((type) => type !== 'text' && type !== 'tool_use');
  const calls = where((type) => type === 'tool_use');
  return [strange, ...(thought.length > strange.length ? [thought] : []), ...chunksOf(calls)]
    .filter(({ length }) => length > 0 && length < content.length)
    .map(piece);
}

/** Blocks that every server knows. Server-specific and new ones are tried before them. */
const KNOWN: ReadonlySet<string> = new Set(['text', 'tool_use', 'thinking', 'redacted_thinking']);

function chunksOf(indexes: readonly number[]): readonly (readonly number[])[] {
  const size = Math.ceil(indexes.length / CHUNKS);
  const chunks: (readonly number[])[] = [];
  for (let from = 0; from < indexes.length; from += size) chunks.push(indexes.slice(from, from + size));
  return chunks.length > 1 ? chunks.toReversed() : [];
}
