import { readOnce } from './read-once.ts';

/** A regular expression that runs in time linear in the text. */
export interface Expression {
  /** Instructions of the compiled expression. A search takes at most about this many operations per character. */
  readonly parts: number;
  /** Whether the text contains a match. */
  readonly test: (text: string) => boolean;
}

/** Compiles regular expressions. Both functions throw a sentence when the expression cannot be used. */
export interface Expressions {
  /** An expression in RE2's own syntax. */
  readonly compile: (pattern: string, options?: { readonly ignoreCase?: boolean }) => Expression;
  /** An expression in the syntax of ECMAScript, which JSON Schema uses. Lookarounds and backreferences are refused. */
  readonly compileEcmaScript: (pattern: string) => Expression;
}

/** Longest expression in characters. */
const MAX_PATTERN = 1_000;
/** Largest product of all repetition counts in an expression; RE2 itself refuses more than 1,000 nested repetitions. */
const MAX_REPEATED = 1_000;
/** Largest product of the repetitions and the length: `(?:a?a?…){1000}` would compile to 800,000 instructions, in 0.4 s. */
const MAX_UNROLLED = 60_000;

const readLibrary = readOnce(() => import('re2js'));

/**
 * Loads RE2, once per process. Expressions from outside run only here: the platform's engine backtracks, so one like `^(a+)+$`
 * can keep a worker busy forever. RE2 compiles to an automaton and never backtracks (https://swtch.com/~rsc/regexp/regexp1.html).
 */
export async function loadExpressions(): Promise<Expressions> {
  const { RE2JS } = await readLibrary();
  const compile: Expressions['compile'] = (pattern, { ignoreCase = false } = {}) => {
    if (pattern.length > MAX_PATTERN)
      throw new Error(`A regular expression has at most ${MAX_PATTERN} characters.`);
    const count = repeated(pattern);
    if (count > MAX_REPEATED || count * pattern.length > MAX_UNROLLED)
      throw new Error(`The repetitions of the regular expression are too many: at most ${MAX_REPEATED}.`);
    const compiled = orThrow(() => RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
    return { parts: compiled.programSize(), test: (text) => compiled.test(text) };
  };
  return {
    compile,
    compileEcmaScript: (pattern) => compile(isEcmaScript(pattern) ? translated(pattern) : pattern),
  };

  function translated(pattern: string): string {
    // The library would read these as letters: a backreference by name, and half a character.
    if (/\\k|\\u[dD][89a-fA-F]/.test(pattern))
      throw new Error('RE2 has no named backreferences and no surrogate escapes.');
    return withUnicodeBlanks(RE2JS.translateRegExp(pattern));
  }
}

function orThrow<Compiled>(compiled: () => Compiled): Compiled {
  try {
    return compiled();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `This is no regular expression of RE2's syntax (no lookarounds, no backreferences): ${why}. To look for a text as it is, put a backslash before each of . * + ? ( ) [ ] { } | ^ $ and \\.`,
    );
  }
}

/** The product of all counts in braces, which is at least the factor of any nested repetition. */
function repeated(pattern: string): number {
  let product = 1;
  for (const [, least = '0', most = ''] of pattern.matchAll(/(?<!\\x)\{(\d{1,6})(?:,(\d{0,6}))?\}/g))
    product *= Math.max(1, Number(least), Number(most || 0));
  return product;
}

/** Compiling is safe; only matching backtracks. RE2 reads a pattern in another syntax (`\A…\z`), which it knows. */
function isEcmaScript(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** White space of ECMAScript beyond RE2's `\s`, which is ASCII only. */
const BLANKS = '\\s\\x0b\\x{a0}\\x{feff}\\x{2028}\\x{2029}\\p{Zs}';

/** `\s` with the meaning of ECMAScript. `\S` inside a class stays as it is, so such a class accepts a few more characters. */
function withUnicodeBlanks(pattern: string): string {
  let inClass = false;
  return pattern.replaceAll(/\\[\s\S]|[[\]]/g, (token) => {
    if (token === '[') inClass = true;
    else if (token === ']') inClass = false;
    else if (token === '\\s') return inClass ? BLANKS : `[${BLANKS}]`;
    else if (token === '\\S' && !inClass) return `[^${BLANKS}]`;
    return token;
  });
}
