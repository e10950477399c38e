import type { ContextInputs } from './asked.ts';
import { type Piece, piecesOf } from './cut.ts';
import { draftOf, fullEstimateOf, type Plan, tokensAfter } from './draft.ts';
import { toMessages } from './messages.ts';

/** With more messages than this, only the last ones stay. */
const MANY = 12;
const KEPT = 10;
/** The share by which the context must become smaller for a budget to be raised. */
const LEAST_GAIN = 0.2;

/**
 * Long results become a preview of 200 characters, except the last six. If there are more than 12 messages, the last 10 stay, and earlier
 * ones as far as their calls reach. Undefined if that makes the context less than 20 % smaller.
 */
export function shrunkOf(asked: ContextInputs & { readonly size: number }): Plan | undefined {
  const { session, size } = asked;
  const pieces = piecesOf(asked);
  const from =
    messagesIn(pieces) > MANY
      ? pieces.findLastIndex((piece, i) => piece.begins && messagesIn(pieces.slice(i)) >= KEPT)
      : 0;
  const start = from > 0 ? pieces[from]?.slot.n : undefined;
  const cut = { start: start ?? session.contextStart, clearedBelow: session.version, shrunk: true } as const;
  const before = fullEstimateOf(asked);
  // The server's count and our estimate may differ widely: reported numbers are in the server's tokens.
  const scale = size / Math.max(1, before);
  const draft = draftOf(asked, 'budget', cut, scale);
  const after = tokensAfter(asked, draft, 0);
  if (after > before * (1 - LEAST_GAIN)) return undefined;
  return { fold: { ...draft, tokens: { before: size, after: Math.ceil(after * scale) } }, summaryChars: 0 };
}

const messagesIn = (pieces: readonly Piece[]): number =>
  toMessages(
    pieces.map(({ slot }) => slot),
    [],
  ).length;
