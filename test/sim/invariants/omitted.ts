/** Parts of slots that a server has refused as malformed, written independently of the core. */

import type { Omitted } from '../../../shared/agent/session/omitted.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { isOdd } from '../odd.ts';

/** Attempts of one run to find a refused part, including the one that gives up. */
const MOST = 9;

/**
 * The parts that are left out of each slot. Between two replies, the last attempt of the run that was answered counts, or of
 * the run that asks.
 */
export function decidedIn(slots: readonly Slot[], runId: string): ReadonlyMap<number, readonly Omitted[]> {
  const found = new Map<number, Omitted[]>();
  for (const turn of turnsOf(slots))
    for (const one of decisionIn(turn, runId)) found.set(one.slot, [...(found.get(one.slot) ?? []), one]);
  return found;
}

function decisionIn(turn: readonly Slot[], asking: string): readonly Omitted[] {
  const end = turn.at(-1);
  const runId = end?.kind === 'model' && end.reply ? end.runId : asking;
  return triesIn(turn.filter((slot) => slot.runId === runId)).at(-1) ?? [];
}

/** Describes what is wrong with the search: too many attempts, or more left out than the server refuses. */
export function whySearch(slots: readonly Slot[]): string | undefined {
  const bySlot = new Map(slots.map((slot) => [slot.n, slot]));
  const isOneModel = slots.every((slot) => slot.kind === 'tools' || !slot.reply?.fallback);
  let accepted = -1;
  for (const turn of turnsOf(slots)) {
    const old = triesIn(turn)
      .flat()
      .find(({ slot, part }) => slot < accepted || (slot === accepted && part === 'input'));
    if (old && isOneModel)
      return `${old.part} of slot ${old.slot} was tried, which the server had accepted with slot ${accepted}`;
    for (const runId of new Set(turn.map((slot) => slot.runId))) {
      const times = triesIn(turn.filter((slot) => slot.runId === runId)).length;
      if (times > MOST) return `${runId} has tried ${times} times`;
    }
    const end = turn.at(-1);
    if (end?.kind !== 'model' || !end.reply) continue;
    accepted = end.n;
    for (const { slot: n, part, at } of decisionIn(turn, end.runId)) {
      const of = bySlot.get(n);
      const content = of?.kind === 'model' ? (of.reply?.content ?? []) : [];
      const left = content.filter((_, i) => part === 'reply' && (at?.includes(i) ?? true));
      if (left.length === 0 || !left.every(isOdd))
        return `${part} ${at ?? 'all'} of slot ${n} was left out, and no server refused it: ${JSON.stringify(content).slice(0, 300)} ${JSON.stringify(triesIn(turn))}`;
    }
  }
  return undefined;
}

const triesIn = (turn: readonly Slot[]): (readonly Omitted[])[] =>
  turn.flatMap((slot) => (slot.kind === 'model' && slot.omitted ? [slot.omitted] : []));

function turnsOf(slots: readonly Slot[]): readonly (readonly Slot[])[] {
  const turns: Slot[][] = [[]];
  for (const slot of slots) {
    turns.at(-1)?.push(slot);
    if (slot.kind === 'model' && slot.reply) turns.push([]);
  }
  return turns;
}

const notices = {
  input:
    '[steploop] A message that stood here is left out: your server could not take the request with it. Do not guess what it said. If you need it, ask the user to send it again in another form.',
  results:
    '[steploop] The result of this call is left out: your server could not take the request with it. The call was run.',
  reply:
    '[steploop] Your last reply, or a part of it, is left out here: your server could not take the request with it. Go on from what you can read.',
} as const;

/**
 * The blocks of a slot with parts left out.
 * @param match finds the blocks of a slot as it is
 */
export function matchedBut(
  parts: readonly Omitted[],
  slot: Slot,
  match: (slot: Slot) => readonly string[] | string,
): readonly string[] | string {
  if (parts.length === 0) return match(slot);
  const isLeft = (part: Omitted['part'], i: number) =>
    parts.some((one) => one.part === part && (one.at?.includes(i) ?? true));
  if (slot.kind === 'tools') {
    const results = slot.results.map(({ note, json, ...result }, i) =>
      isLeft('results', i)
        ? { ...result, content: notices.results }
        : { ...result, ...(note && { note }), ...(json && { json }) },
    );
    return match({ ...slot, results });
  }
  const input = isLeft('input', 0) && slot.input.length > 0 ? [{ text: notices.input }] : slot.input;
  const isWhole = isLostIn(parts);
  const kept = (slot.reply?.content ?? []).flatMap((block, i) => {
    if (!isLeft('reply', i)) return [block];
    // A result follows each call, so a call that is left out stays without its input.
    const { type, id, name } = block;
    return type === 'tool_use' && !isWhole ? [{ type, id, name, input: {} }] : [];
  });
  // A message must not consist of thinking only.
  const content = kept.every(({ type }) => type === 'thinking') ? [] : kept;
  return match({ ...slot, input, ...(slot.reply && { reply: { ...slot.reply, content } }) });
}

/** Whether a reply is left out as a whole, and so the results of its calls. */
export const isLostIn = (parts: readonly Omitted[] = []): boolean =>
  parts.some(({ part, at }) => part === 'reply' && !at);

/** Follows a reply with a part left out, and the results of its calls. */
export const replyNotice = `user:${JSON.stringify({ type: 'text', text: notices.reply })}`;

export const isNoticed = (parts: readonly Omitted[] = []): boolean =>
  parts.some(({ part }) => part === 'reply');
