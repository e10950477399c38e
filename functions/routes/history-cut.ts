import type { Turn } from '../../shared/agent/history/turns.ts';
import { answerBytes } from './page.ts';

/** Bytes that an answer still holds, whatever is around them. */
const MAX_BYTES = 5_500_000;
/** Characters of a text that is never cut further. */
const LEAST = 1_000;

/**
 * Turns as they are, or with their longest texts cut with a mark: what no answer holds would end the reading for good. Only a page of
 * one message can be so large.
 */
export function cutTurns(
  turns: readonly Turn[],
  write: (turns: readonly Turn[]) => object[],
): readonly Turn[] {
  let cut = turns;
  for (let most = 500_000; answerBytes(write(cut)) > MAX_BYTES && most > LEAST; most /= 2)
    cut = turns.map((turn) => shorter(turn, most));
  return cut;
}

function shorter(turn: Turn, most: number): Turn {
  const short = (text: string) =>
    text.length > most
      ? `${text.slice(0, most).toWellFormed()}… [cut: the whole has ${text.length} characters]`
      : text;
  switch (turn.kind) {
    case 'user':
      return {
        ...turn,
        parts: turn.parts.map((part) => ('text' in part ? { text: short(part.text) } : part)),
      };
    case 'reply':
      return {
        ...turn,
        texts: turn.texts.map(short),
        calls: turn.calls.map((call) => {
          const { length } = JSON.stringify(call.input);
          return length > most
            ? { ...call, input: { cut: `the arguments have ${length} characters` } }
            : call;
        }),
      };
    case 'results':
      return {
        ...turn,
        results: turn.results.map(({ json, ...result }) =>
          result.text.length > most
            ? { ...result, text: short(result.text) }
            : { ...result, ...(json && { json }) },
        ),
      };
    default:
      return turn satisfies never;
  }
}
