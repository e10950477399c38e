import type { Turn } from '../../shared/agent/history/turns.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { answerBytes } from './page.ts';

/** Most bytes that fit into an answer, whatever surrounds them. */
const MAX_BYTES = 5_500_000;
/** A text is never cut below this many characters. */
const LEAST = 1_000;

/**
 * Turns, unchanged or with their longest texts cut and marked. Otherwise a turn that fits no answer would end the export for
 * good. Only a page of one message can be that large.
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
            : { ...result, ...defined({ json }) },
        ),
      };
    default:
      return turn satisfies never;
  }
}
