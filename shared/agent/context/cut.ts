import type { ModelSlot, Slot, ToolsSlot } from '../session/slots.ts';
import { type ContextInputs, saidIn } from './asked.ts';
import { cleared } from './clear.ts';
import { toMessages } from './messages.ts';
import { roomTaken } from './room.ts';
import { measureOf } from './size.ts';

/** A slot as a cut sees it. */
export interface Piece {
  readonly slot: Slot;
  /**
   * Its characters in the context, and with its results cleared. Images and documents count as many characters as fill the same
   * share of the limit.
   */
  readonly whole: number;
  readonly cleared: number;
  /** Whether a context may begin with it. */
  readonly begins: boolean;
}

/** The slots of a context, without folds. Thinking does not count: after a cut it belongs to another context. */
export function piecesOf(asked: ContextInputs): Piece[] {
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
 * A context begins where people say something, or between results and the next reply, so that no call is without its results. The
 * continuation of a reply that was cut off stays with it, and so do messages that one request told together.
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

/** Slot below which results are cleared if those of the last `turns` batches stay whole; 0 = none are cleared. */
export function keepingTurns(pieces: readonly Piece[], turns: number, end: number): number {
  if (turns === 0) return end;
  const batches = pieces.filter(({ slot }) => slot.kind === 'tools');
  return batches.at(-turns)?.slot.n ?? 0;
}

/**
 * Index of the piece that begins the longest tail of at most `room` characters. If no tail is so short, it is the last piece that
 * may begin, since unanswered messages are in every tail; or no piece, if an empty tail is allowed.
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
