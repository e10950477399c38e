import { foldAt } from '../../context/folded.ts';
import { omissionsIn } from '../../context/omissions.ts';
import { requestMessages } from '../../context/request.ts';
import { resultsIn } from '../../context/results.ts';
import { textsOf } from '../../context/said.ts';
import { tellerOf } from '../../context/told.ts';
import { wellFormed } from '../../plain/well-formed.ts';
import type { Omitted } from '../../session/omitted.ts';
import type { Malformed } from '../../session/reply.ts';
import type { Block, Slot } from '../../session/slots.ts';
import type { RefusedRequest } from './refused-request.ts';

/**
 * Leaves out the part that a server names in a refusal: first that part alone, then together with those that the refused
 * request already left out, because a server names one bad part at a time. A part that it names again is left out whole. Empty
 * if it names none, or one that is already left out.
 *
 * @param before parts that the refused request was without
 */
export function namedIn(
  refused: RefusedRequest & { readonly malformed: Malformed },
  before: readonly Omitted[],
): readonly (readonly Omitted[])[] {
  const { history, input, reading, hasTools, malformed } = refused;
  const messages = requestMessages(history, input, reading, hasTools);
  const { message, block = 0, id } = malformed;
  const called = messages.flatMap(({ content }) => content).find((one) => one.id === id);
  const named = id !== undefined && called ? called : messages[message ?? -1]?.content[block];
  const found = named && ownerOf(named, refused);
  if (!found) return [];
  const whole = { slot: found.slot, part: found.part };
  const isKnown = (one: Omitted) => before.some((known) => JSON.stringify(known) === JSON.stringify(one));
  if (isKnown(whole)) return [];
  const isWhole = malformed.block === undefined && called === undefined;
  const part = isWhole || isKnown(found) ? whole : found;
  return [[part], [...before, part]];
}

/** Our own lines before a message are not a part that could be left out. */
const untold = tellerOf(undefined);

/** The place of a block among stored slots. Blocks that were made only for this request are not found. */
function ownerOf(block: Block, { history, input, n, runId, reading }: RefusedRequest): Omitted | undefined {
  const text = JSON.stringify(block);
  const indexIn = (blocks: readonly Block[]) => blocks.findIndex((one) => JSON.stringify(one) === text);
  if (indexIn(textsOf(input, untold)) >= 0) return { slot: n, part: 'input' };
  const fold = foldAt(history, reading.fold);
  const read = fold?.slots ?? history;
  const omitted = omissionsIn(read, input, runId);
  const place = (slot: Slot): Omitted[] => {
    if (slot.kind === 'tools') {
      const at = indexIn(resultsIn(fold, slot, omitted.get(slot.n), new Set()));
      return at < 0 ? [] : [{ slot: slot.n, part: 'results', at: [at] }];
    }
    if (indexIn(textsOf(slot.input, untold)) >= 0) return [{ slot: slot.n, part: 'input' }];
    const at = indexIn(wellFormed(slot.reply?.content ?? []));
    return at < 0 ? [] : [{ slot: slot.n, part: 'reply', at: [at] }];
  };
  return read.toReversed().flatMap(place)[0];
}
