import { occurrences } from './occurrences.ts';
import { cutTo, linesOf } from './text.ts';

/** A text with one of its texts replaced, or the reason why not. */
export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly places: number }
  | { readonly kind: 'refused'; readonly why: string };

/** Most line numbers that are listed. */
const MAX_TOLD = 10;
/** Most characters of the nearest text that is shown. */
const MAX_NEAREST = 1_500;

/**
 * Replaces `old` by `by`, as an exact match. If all lines of the text end with CRLF, both may have plain line breaks,
 * as a model sees them. Pure.
 */
export function replaced(whole: string, old: string, by: string, all: boolean): Replaced {
  const refused = (why: string): Replaced => ({ kind: 'refused', why });
  if (old === by) return refused('old_string and new_string are the same.');
  if (old === '') {
    if (whole === '') return { kind: 'replaced', text: by, places: 1 };
    return refused('old_string is empty: give the text that is to be replaced.');
  }
  const crlf = !old.includes('\r') && isCrlf(whole);
  const [from, to] = crlf ? [toCrlf(old), by.includes('\r') ? by : toCrlf(by)] : [old, by];
  const places = [...occurrences(whole, from)];
  if (places.length === 0) return refused(`old_string does not occur. ${nearestTo(whole, from)}`);
  if (places.length > 1 && !all) {
    const lines = places.slice(0, MAX_TOLD).map((at) => lineAt(whole, at));
    const more = places.length > MAX_TOLD ? ', …' : '';
    return refused(
      `old_string occurs ${places.length} times, at lines ${lines.join(', ')}${more}: give more of the lines around the one that is meant, or set replace_all.`,
    );
  }
  return { kind: 'replaced', text: exchanged(whole, from, to, places), places: places.length };
}

const isCrlf = (text: string): boolean => text.includes('\r\n') && !/(?<!\r)\n/.test(text);
const toCrlf = (text: string): string => text.replaceAll('\n', '\r\n');

function exchanged(whole: string, from: string, to: string, places: readonly number[]): string {
  const kept = places.map((at, i) => whole.slice(i === 0 ? 0 : (places[i - 1] ?? 0) + from.length, at));
  return [...kept, whole.slice((places.at(-1) ?? 0) + from.length)].join(to);
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The text that is most like the one that was not found, in a sentence. */
function nearestTo(whole: string, old: string): string {
  const lines = linesOf(whole);
  const wanted = linesOf(old).map(squeezed);
  while (wanted[0] === '') wanted.shift();
  while (wanted.at(-1) === '') wanted.pop();
  const first = wanted[0];
  if (first === undefined) return 'It is nothing but whitespace.';
  const squeezedLines = lines.map(squeezed);
  const at = lineOf(squeezedLines, wanted);
  if (at >= 0) {
    const found = lines.slice(at, at + wanted.length).join('\n');
    return `With other whitespace it stands at line ${at + 1}, exactly so:\n${cutTo(found, MAX_NEAREST)}\n`;
  }
  const best = mostAlike(squeezedLines, wanted);
  if (best === undefined) return 'Nothing in the file is like it.';
  const found = lines.slice(best, best + wanted.length).join('\n');
  return `The nearest is at line ${best + 1}:\n${cutTo(found, MAX_NEAREST)}\n`;
}

/** The line where the wanted lines stand one after the other, or -1. */
function lineOf(lines: readonly string[], wanted: readonly string[]): number {
  const whole = `\n${lines.join('\n')}\n`;
  const [at] = occurrences(whole, `\n${wanted.join('\n')}\n`);
  return at === undefined ? -1 : whole.slice(0, at).split('\n').length - 1;
}

const squeezed = (line: string): string => line.trim().replace(/\s+/g, ' ');

/** The line at which most of the wanted lines stand, or have most of their words. */
function mostAlike(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const [first = ''] = wanted;
  const words = new Set(wordsOf(first));
  let best: { at: number; share: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const own = new Set(wordsOf(line));
    const shared = [...own].filter((word) => words.has(word)).length;
    const share = shared / Math.max(1, words.size, own.size);
    if (share > (best?.share ?? 0.3)) best = { at, share };
  }
  return best?.at;
}

const wordsOf = (line: string): string[] => line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
