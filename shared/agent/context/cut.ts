import type { ModelSlot, Slot, ToolsSlot } from '../session/slots.ts';
import { type Asked, saidIn } from './asked.ts';
import { cleared } from './clear.ts';
import { toMessages } from './messages.ts';
import { roomTaken } from './room.ts';
import { measureOf } from './size.ts';

/** A slot as a cut sees it. */
export interface Piece {
  readonly slot: Slot;
  /** Characters of it in the context, and with its results cleared; of what is shown in it, as many as fill the limit as much. */
  readonly whole: number;
  readonly cleared: number;
  /** Whether a context may begin with it. */
  readonly begins: boolean;
}

/** The slots of a context, without folds. Thinking does not count: behind a cut it is bound to another context. */
export function piecesOf(asked: Asked): Piece[] {
  const measure = measureOf(asked.pinned);
  const said = saidIn(asked);
  const charsOf = (slot: Slot) => {
    const messages = toMessages([slot], [], { fallback: 0, withoutThinking: true });
    return Math.max(measure(messages), 4 * roomTaken(messages, asked));
  };
  return said.map((slot, i) => {
    const whole = charsOf(slot);
    return {
      slot,
      whole,
      cleared: slot.kind === 'tools' ? charsOf(withResultsCleared(slot)) : whole,
      begins: slot.kind === 'model' && mayBegin(slot, said[i - 1]),
    };
  });
}

/**
 * A context begins where people say something, or between results and the next reply (H15): so no call is without its results. What
 * goes on with a reply that was cut off stays with it, and so do messages that one request told together.
 */
function mayBegin({ input }: ModelSlot, before: Slot | undefined): boolean {
  if (before?.kind !== 'model') return true;
  return before.reply !== undefined && input.some(({ internal }) => !internal);
}

const withResultsCleared = (slot: ToolsSlot): ToolsSlot => ({
  ...slot,
  results: slot.results.map((result) => {
    const { note: _note, ...rest } = result;
    const content = cleared(result);
    return content ? { ...rest, content } : result;
  }),
});

/** Slot below which results are cleared when those of the last `turns` batches stay whole (H20); 0 = of none. */
export function keepingTurns(pieces: readonly Piece[], turns: number, end: number): number {
  if (turns === 0) return end;
  const batches = pieces.filter(({ slot }) => slot.kind === 'tools');
  return batches.at(-turns)?.slot.n ?? 0;
}

/**
 * Index of the piece with which the longest tail of at most `room` characters begins. Where none is so short it is the last one
 * that may begin, since what nobody has answered yet is in every tail; or none, where that may be so.
 */
export function tailFrom(
  pieces: readonly Piece[],
  room: number,
  clearedBelow: number,
  mayBeEmpty = false,
): number {
  let left = room;
  let from = mayBeEmpty
    ? pieces.length
    : Math.max(
        0,
        pieces.findLastIndex(({ begins }) => begins),
      );
  for (const [i, piece] of [...pieces.entries()].toReversed()) {
    left -= piece.slot.n < clearedBelow ? piece.cleared : piece.whole;
    if (left < 0) break;
    if (piece.begins) from = Math.min(from, i);
  }
  return from;
}
