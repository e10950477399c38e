/**
 * Invariant 7, with folds: a request begins with the stored slots, as the last fold has them read, and stays so until
 * the next fold.
 */

import type { Fold } from '../../../shared/agent/session/fold.ts';
import type { ModelSlot, Slot, StoredReply, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import type { Claim, SessionFacts } from '../ledger.ts';
import { resultBlocks } from './blocks.ts';
import { decidedIn, isLostIn, isNoticed, matchedBut, replyNotice } from './omitted.ts';
import { runIdFor } from './prompts.ts';
import { isAskedAgain, noticesOf, refusedIn } from './refused.ts';

/** The number of a request's blocks that come from committed slots, and what is wrong with them. */
export interface Begun {
  readonly committed: number;
  readonly wrong?: string;
}

/**
 * Reads the beginning of a request. A cleared result may have any form the first time, as long as it is shorter; from
 * then on it stays the same.
 * @param asked which model (a different one reads no thinking), and whether for a summary
 */
export function readPrefix(
  facts: SessionFacts,
  claim: Claim,
  { model, summary }: { readonly model: string; readonly summary: boolean },
  blocks: readonly string[],
): Begun {
  const { version, fold: last } = claim.head.session;
  const folded = last && foldIn(facts.stored[last.slot]);
  if (last && !folded)
    return { committed: 0, wrong: `HEAD names the fold of slot ${last.slot}, and it is none` };
  const known = prefixOf(facts, `${model} ${last?.slot}`);
  const context = contextOf(facts.stored.slice(0, version), folded);
  const refused = refusedIn(context, isAskedAgain(blocks));
  const decided = decidedIn(context, runIdFor(claim));
  const lost = new Set(
    context.flatMap((slot) =>
      slot.kind === 'model' && isLostIn(decided.get(slot.n)) ? (slot.reply?.messageId ?? []) : [],
    ),
  );
  let at = 0;
  const read = (slot: Slot): string | undefined => {
    // If a part is left out, or no longer is, a notice replaces it from then on.
    const isLost = slot.kind === 'tools' && lost.has(slot.replyTo);
    const parts = refused.has(slot.n) ? 'refused' : JSON.stringify(decided.get(slot.n) ?? []);
    const what = isLost ? 'lost' : parts;
    if (what !== (facts.noticed.get(slot.n) ?? '[]')) known.delete(slot.n);
    facts.noticed.set(slot.n, what);
    const find = () => {
      if (isLost) return [];
      if (refused.has(slot.n)) return noticesOf(slot);
      return matchedBut(decided.get(slot.n) ?? [], slot, (left) =>
        matched(left, folded, model === 'sim' ? last?.slot : 'another', blocks, at),
      );
    };
    const found = known.get(slot.n) ?? find();
    if (typeof found === 'string') return `slot ${slot.n}, block ${at}: ${found}`;
    const differs = found.findIndex((block, i) => blocks[at + i] !== block);
    if (differs >= 0)
      return `slot ${slot.n}, block ${at + differs}: was ${found[differs]}, is ${blocks[at + differs]}`;
    known.set(slot.n, found);
    at += found.length;
    return undefined;
  };
  let held = false;
  const told = (): string | undefined => {
    if (!held) return undefined;
    held = false;
    at += 1;
    return blocks[at - 1] === replyNotice ? undefined : `block ${at - 1} is no notice: ${blocks[at - 1]}`;
  };
  // Another model, or the same one over a new context, was asked to continue a paused turn.
  let paused: StoredReply | undefined;
  const wentOn = (slot: Slot): void => {
    if (slot.kind !== 'model' || slot.input.length > 0 || refused.has(slot.n)) paused = undefined;
    if (slot.kind !== 'model' || !slot.reply?.content.length) return;
    const isOther =
      paused && ((paused.fallback ?? 0) !== (slot.reply.fallback ?? 0) || paused.fold !== slot.reply.fold);
    if (isOther && blocks[at] === GO_ON) at += 1;
    paused = slot.reply.stop === 'pause_turn' ? slot.reply : undefined;
  };
  const head = folded ? facts.stored[last?.slot ?? 0] : undefined;
  for (const slot of [...(head ? [head] : []), ...context]) {
    // A summary may be asked over the older part alone.
    if (summary && at === blocks.length - 1) break;
    const isBetween = slot.kind === 'tools' && !slot.made;
    const notice = isBetween ? undefined : told();
    wentOn(slot);
    const wrong = notice ?? read(slot);
    if (wrong) return { committed: at, wrong };
    if (slot.kind === 'model') held = !refused.has(slot.n) && isNoticed(decided.get(slot.n));
  }
  const wrong = told();
  if (wrong) return { committed: at, wrong };
  return { committed: at };
}

/**
 * The slots of a context, without folds and without the system's own calls. It begins with the first slot that has a
 * reply, so that no result is there without its call.
 */
export const contextOf = (slots: readonly Slot[], fold: Fold | undefined): Slot[] =>
  slots.filter((slot) => !foldIn(slot) && (!slot.made || isOfPlan(slot)) && slot.n >= (fold?.start ?? 0));

/** The model reads the outcome of a plan's changes as text. */
const isOfPlan = (slot: Slot): boolean => slot.kind === 'tools' && slot.made === 'plan';

function planText({ results, note }: ToolsSlot): string {
  const came = results.map(({ content }, i) => `${i + 1}. ${content}`);
  const said = note === undefined ? [] : [`The user says to it: ${note}`];
  return ['[steploop] The user was shown your plan. What came of its changes:', ...came, ...said].join('\n');
}

export const foldIn = (slot: Slot | undefined): Fold | undefined =>
  slot?.kind === 'model' ? slot.fold : undefined;

function prefixOf({ prefixes }: SessionFacts, fold: string): Map<number, readonly string[]> {
  const known = prefixes.get(fold) ?? new Map();
  prefixes.set(fold, known);
  return known;
}

/**
 * The blocks that come from a slot, or what is wrong with them.
 * @param thought the fold over which the sent thinking was made
 */
function matched(
  slot: Slot,
  fold: Fold | undefined,
  thought: number | 'another' | undefined,
  all: readonly string[],
  at: number,
): readonly string[] | string {
  const blocks = all.slice(at);
  const isOld = fold !== undefined && slot.n < fold.clearedBelow;
  if (slot.kind === 'tools' && isOfPlan(slot)) {
    const whole = `user:${JSON.stringify({ type: 'text', text: planText(slot) })}`;
    return blocks[0] === whole ? [whole] : `stored ${whole}, sent ${blocks[0]}`;
  }
  if (slot.kind === 'tools') {
    const found: string[] = [];
    for (const [i, whole] of resultBlocks(slot).entries()) {
      const sent = blocks[i] ?? 'nothing';
      if (sent !== whole && !(isOld && isShorter(sent, whole))) return `stored ${whole}, sent ${sent}`;
      found.push(sent);
    }
    return found;
  }
  const found = inputIn(slot, isOld, all, at);
  if (typeof found === 'string') return found;
  // A thought is bound to its context.
  const content = (slot.reply?.content ?? []).filter(
    ({ type }) => slot.reply?.fold === thought || !/thinking$/.test(type),
  );
  for (const block of content) {
    const whole = `assistant:${JSON.stringify(block)}`;
    const sent = blocks[found.length];
    if (sent !== whole) return `stored ${whole}, sent ${sent}`;
    found.push(whole);
  }
  return found;
}

/**
 * Our own words next to older messages are left out, since they were for the moment, unless their message has nothing
 * else. People's messages are preceded by their time, unless the model was told the same last.
 */
function inputIn(
  { input }: ModelSlot,
  isOld: boolean,
  all: readonly string[],
  at: number,
): string[] | string {
  const blocks = all.slice(at);
  const follows = all[at - 1]?.startsWith('user:') ?? false;
  const found: string[] = [];
  const isLeftOut = isOld && (follows || input.some(({ internal }) => !internal));
  for (const { text, internal, said, attachments = [] } of input) {
    if (isLeftOut && internal) continue;
    const lines = attachments.map(
      ({ path, bytes }) => `[file "/${path}", ${bytes} bytes, is in the workspace]`,
    );
    const told = said && `[said ${dayOf(said.at)}, UTC]`;
    const before = all.slice(0, at + found.length).findLast((block) => block.startsWith(SAID));
    const isNew = told !== undefined && before !== asBlock(told);
    for (const line of [...(isNew ? [told] : []), ...lines, text]) {
      const whole = asBlock(line);
      const sent = blocks[found.length];
      if (sent !== whole) return `stored ${whole}, sent ${sent}`;
      found.push(whole);
    }
  }
  return found;
}

const asBlock = (text: string): string => `user:${JSON.stringify({ type: 'text', text })}`;
const SAID = 'user:{"type":"text","text":"[said ';

/** A date as the model is told of it. Senders have no zone and no name here. */
const dayOf = (at: number): string => {
  const [weekday = '', day, month, year] = new Date(at).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${Number(day)} ${month} ${year}`;
};

/** Whether a result is shortened: the same call, and the same outcome. */
function isShorter(sent: string, whole: string): boolean {
  if (!sent.startsWith('user:')) return false;
  const [a, b] = [JSON.parse(sent.slice(5)), JSON.parse(whole.slice(5))];
  const same = a.type === b.type && a.tool_use_id === b.tool_use_id && a.is_error === b.is_error;
  return same && String(a.content).length < String(b.content).length;
}

const GO_ON = 'user:{"type":"text","text":"[steploop] Go on."}';
