import { exitCodeOf, tellsFailure } from '../session/facts.ts';
import type { ToolResult } from '../session/slots.ts';
import { texts } from '../texts.ts';

/** Results up to this many characters are left as they are: facts about them would not be much shorter. */
export const CLEARED_FROM = 400;
/** Characters of its beginning that a cleared result shows; a failed one also shows as many of its end. */
const FIRST_WORDS = 200;

/**
 * An old result as the model reads it in place of its text: its outcome, its length and its first words, as one line. One rule
 * for all kinds of results, and a function of the result alone, so that it stays the same bytes. Undefined for a short one, which
 * stays as it is.
 */
export function cleared(result: ToolResult): string | undefined {
  const { name, outcome, content, blob } = result;
  if (content.length <= CLEARED_FROM) return undefined;
  const words = tidy(content);
  const failed = tellsFailure(result);
  const facts = {
    tool: name,
    outcome,
    exitCode: exitCodeOf(result),
    characters: content.length,
    begins: words.slice(0, FIRST_WORDS).toWellFormed(),
    ...(failed && words.length > FIRST_WORDS && { ends: words.slice(-FIRST_WORDS).toWellFormed() }),
    ...(blob && { keptWhole: true }),
  };
  const line = texts.clearedResult(JSON.stringify(facts));
  return line.length < content.length ? line : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals begin with one
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** A text without a terminal's colours, repeated lines and extra blanks. */
export function tidy(text: string): string {
  const lines = text.replace(ANSI, '').split(/\r\n|\r|\n/);
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line, i, all) => line !== '' && line !== all[i - 1])
    .join('\n');
}
