import { parseExactly } from './digits.ts';

/**
 * Reads JSON as models sometimes write it: in a Markdown fence, with raw line breaks and stray backslashes in strings, trailing
 * commas, single quotes, unquoted keys, Python's `True`, `False` and `None`, and closing braces or template tokens after the end.
 * Nothing else is repaired: no missing brace, comma or quote is added. So a text that was cut stays unreadable, and each text has
 * one reading.
 *
 * One pass over the text. Undefined if the result is not JSON.
 */
export function parseLeniently(text: string): unknown {
  try {
    return parseExactly(strict(withoutFence(text.trim())));
  } catch {
    return undefined;
  }
}

const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const AFTER_KEY = /\s*:/y;
const CLOSING = /\s*[}\]]/y;
/** Text that may follow the whole value: surplus closing braces, and tokens of the model's template. */
const REST = /^[\s}\]]*(?:<[|｜][\s\S]*)?$/;

function withoutFence(text: string): string {
  const begins = /^```(?:json)?[ \t]*\r?\n/.exec(text);
  return begins && text.endsWith('```') ? text.slice(begins[0].length, -3).trim() : text;
}

const WORDS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

function strict(text: string): string {
  const out: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") {
      const { json, end } = stringAt(text, at, char);
      out.push(json);
      at = end;
      continue;
    }
    const word = matchAt(WORD, text, at);
    if (word !== undefined) {
      const isKey = matchAt(AFTER_KEY, text, at + word.length) !== undefined;
      out.push(isKey ? JSON.stringify(word) : Object.hasOwn(WORDS, word) ? (WORDS[word] ?? word) : word);
      at += word.length;
      continue;
    }
    if (char !== ',' || matchAt(CLOSING, text, at + 1) === undefined) out.push(char);
    at += 1;
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0 && (char === '}' || char === ']') && REST.test(text.slice(at))) break;
  }
  return out.join('');
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The string that begins at `at`, as JSON. A string without an end stays as it is, which is not valid JSON. */
function stringAt(text: string, at: number, quote: string): { json: string; end: number } {
  const out = ['"'];
  for (let i = at + 1; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === quote) return { json: `${out.join('')}"`, end: i + 1 };
    if (char === '\\') {
      i += 1;
      out.push(escaped(text.charAt(i)));
    } else if (char === '"') out.push('\\"');
    else out.push(char < ' ' ? JSON.stringify(char).slice(1, -1) : char);
  }
  return { json: text.slice(at), end: text.length };
}

/** A JSON escape stays; a backslash before another ASCII character, as in a pattern or a path, is a literal backslash. */
function escaped(char: string): string {
  if (char === "'") return "'";
  return /^["\\/bfnrtu]$/.test(char) || char > '\x7f' || char < ' ' ? `\\${char}` : `\\\\${char}`;
}
