import type { Fold } from '../session/fold.ts';
import { isRead } from '../session/made.ts';
import type { InputTurn, Slot, ToolResult, ToolsSlot } from '../session/slots.ts';
import { CLEARED_FROM } from './clear.ts';

/** A context that begins with a fold. */
export interface Folded {
  readonly fold: Fold;
  /** The part that the model reads before everything else. */
  readonly head: readonly InputTurn[];
  /** The part that it reads after that, without the folds in between. */
  readonly slots: readonly Slot[];
  /** Results that a raised budget leaves whole. */
  readonly whole: ReadonlySet<ToolResult>;
}

/** This many of the last long results stay whole. */
const KEPT_WHOLE = 6;

/** The context that begins with the fold in slot `n`; undefined if there is none, so the whole conversation is read. */
export function foldAt(slots: readonly Slot[], n: number | undefined): Folded | undefined {
  const slot = n === undefined ? undefined : slots.find((one) => one.n === n);
  if (slot?.kind !== 'model' || !slot.fold) return undefined;
  return folded(slots, slot.fold, slot.input);
}

/** The same for a fold that is only planned. */
export function folded(slots: readonly Slot[], fold: Fold, head: readonly InputTurn[]): Folded {
  const first = slots.findIndex((one) => one.n >= fold.start && one.kind === 'model');
  const kept =
    first === -1
      ? []
      : slots.slice(first).filter((one) => isRead(one) && (one.kind === 'tools' || !one.fold));
  return { fold, head, slots: kept, whole: fold.shrunk ? lastLong(kept, fold.clearedBelow) : none };
}

/** Whether the context has the facts of a result in place of its text. */
export const isCleared = (folded: Folded | undefined, slot: ToolsSlot, result: ToolResult): boolean =>
  folded !== undefined && slot.n < folded.fold.clearedBelow && !folded.whole.has(result);

function lastLong(slots: readonly Slot[], below: number): ReadonlySet<ToolResult> {
  const results = slots.flatMap((slot) => (slot.kind === 'tools' && slot.n < below ? slot.results : []));
  return new Set(results.filter(({ content }) => content.length > CLEARED_FROM).slice(-KEPT_WHOLE));
}

const none: ReadonlySet<ToolResult> = new Set();
