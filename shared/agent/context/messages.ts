import { memoize } from '../plain/memoize.ts';
import type { Message } from '../ports/provider.ts';
import type { InputTurn, ModelSlot, Slot, ToolsSlot } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { foldAt } from './folded.ts';
import { joined, type Part } from './joined.ts';
import { attachedBlocks } from './media.ts';
import { type Omission, omissionsIn } from './omissions.ts';
import { pausedIn } from './paused.ts';
import type { Reading } from './reading.ts';
import { repliedIn } from './replied.ts';
import { resultsIn } from './results.ts';
import { leftOf, noticeOf, pastTextsOf, textsOf } from './said.ts';
import { pairedIn } from './server-tools.ts';
import { tellerOf } from './told.ts';

/**
 * The conversation as the model reads it. A pure function of what is stored, so that each request repeats the one before it byte
 * for byte and adds to its end, until a fold begins a new prefix. Then the fold's head goes before everything, and what the fold
 * has left out or cleared stays so until the next one.
 *
 * The system's own calls are left out: servers that require thinking refuse a call that their model has not made. The model reads
 * the outcome of a plan as text.
 *
 * Before a message stands a line that says when and by whom it was said, in a block of its own, if the session is pinned to that.
 *
 * Tool results come first in the user message that follows the calls, then text. Thinking belongs to its model, and to the
 * context that this model has read. The thinking of other models, or over another context, is left out, so that each prefix stays
 * the same bytes.
 *
 * Servers refuse a history because of one part of it, and then refuse the session for good. So everything that no server accepts
 * is left out here, even if it is stored: lone surrogates, empty blocks, unanswered server tools, and parts that a slot records
 * as refused by a server (`omissions.ts`). A history without any of these is sent as it is stored.
 *
 * Results are computed once per slot: the same slot objects give the same message objects.
 */
export function toMessages(
  slots: readonly Slot[],
  input: readonly InputTurn[],
  reading: Reading = { fallback: 0 },
): Message[] {
  const fold = foldAt(slots, reading.fold);
  const all = fold?.slots ?? slots;
  const omitted = omissionsIn(all, input, reading.runId);
  const { below } = reading;
  const read = below === undefined ? all : all.filter(({ n }) => n < below);
  const replies = repliesIn(read, omitted, input, reading);
  const messages: Message[] = [];
  const tell = tellerOf(reading.told);
  const gone = new Set<string>();
  let before: ModelSlot | undefined;
  let user: Part[] = [];
  const flush = () => {
    if (isSome(user)) messages.push(joined('user', user));
    user = [];
  };
  const add = (part: Part) => {
    if (part.length > 0) user.push(part);
  };

  if (fold) add(textsOf(fold.head, tell));
  for (const slot of read) {
    const omission = omitted.get(slot.n);
    if (slot.kind === 'tools') {
      if (slot.made === 'plan') add(omission?.results ? [noticeOf(omission)] : planOf(slot));
      else if (!slot.made) putFirst(user, resultsIn(fold, slot, omission, gone));
      continue;
    }
    const isPast = slot.n < (fold?.fold.clearedBelow ?? 0);
    if (omission) add(leftOf(slot.input, omission, tell));
    else add(isPast ? pastTextsOf(slot.input, user, tell) : textsOf(slot.input, tell));
    const content = replies.get(slot.n) ?? nothing;
    if (content.length > 0) {
      flush();
      // Two replies in a row are one turn that its server paused and continued, or omissions made them so.
      const broken = messages.at(-1)?.role === 'assistant' && !(before && resumes(before, slot));
      if (broken) messages.push(goOn);
      messages.push(joined('assistant', [content]));
      before = slot;
    }
    if (omission?.reply) {
      add(replyOmitted);
      if (omission.reply === 'all') for (const { id } of slot.reply?.content ?? []) gone.add(String(id));
    }
  }
  add(textsOf(input, tell));
  flush();
  return messages;
}

const nothing: Part = [];

const isSome = (parts: readonly Part[]): parts is readonly [Part, ...Part[]] => parts.length > 0;

function putFirst(user: Part[], results: Part): void {
  if (results.length > 0) user.unshift(results);
}

/** The blocks that are read of each reply, by slot number. */
function repliesIn(
  slots: readonly Slot[],
  omitted: ReadonlyMap<number, Omission>,
  input: readonly InputTurn[],
  reading: Reading,
): ReadonlyMap<number, Part> {
  const read = slots.flatMap((slot) =>
    slot.kind === 'model' && slot.reply
      ? [[slot.n, repliedIn(reading, slot, omitted.get(slot.n))] as const]
      : [],
  );
  const contents = new Map(read);
  const resumed = input.length === 0 ? pausedIn(slots, reading) : undefined;
  const paired = pairedIn([...contents.values()], resumed && contents.get(resumed.n));
  return new Map(read.map(([n, content]) => [n, paired(content)]));
}

/**
 * Whether a reply continues where the one before it was paused: by the same model, over the same context. Any other reply was
 * asked to go on.
 */
const resumes = ({ reply: paused }: ModelSlot, { reply }: ModelSlot): boolean =>
  paused?.stop === 'pause_turn' &&
  (paused.fallback ?? 0) === (reply?.fallback ?? 0) &&
  paused.fold === reply?.fold;

/** Stands between two replies, and after the last one, if the model is to go on without anything new. */
export const goOn: Message = { role: 'user', content: [{ type: 'text', text: texts.goOnHere }] };

const replyOmitted: Part = [{ type: 'text', text: texts.omitted.reply }];

/** The outcome of a plan, by the numbers of its changes. */
const planOf = memoize(
  ({ results, note }: ToolsSlot): Part => [
    {
      type: 'text',
      text: [
        '[steploop] The user was shown your plan. What came of its changes:',
        ...results.map(({ content }, i) => `${i + 1}. ${content}`),
        ...(note === undefined ? [] : [`The user says to it: ${note}`]),
      ].join('\n'),
    },
    ...results.flatMap(({ attachments = [] }) => attachedBlocks(attachments)),
  ],
);
