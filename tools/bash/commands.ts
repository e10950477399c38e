/** One command of a script, as far as it can be read without running it. */
export interface Command {
  /** Its words without their quotes; text from a variable or a substitution is not known. */
  readonly words: readonly Word[];
  /** Whether it writes to a file. */
  readonly writes: boolean;
}

export interface Word {
  readonly text: string;
  /** Whether the word is literal: no part of it comes from a variable, a substitution or a file name pattern. */
  readonly plain: boolean;
}

/** A parsed script. */
export interface Script {
  readonly commands: readonly Command[];
  /** Whether all of it was understood: no substitutions, functions, here documents or unclosed quotes. */
  readonly whole: boolean;
}

/** One token: white space, an operator, or a piece of a word. */
const token =
  /(?<space>[ \t]+)|(?<joined>\\\n)|(?<comment>#[^\n]*)|(?<number>\d+(?=[<>]))|(?<redirect>&>>?|>>|>\||>&|<&|<>|>|<(?![<(]))|(?<end>;;?|&&|\|\|?|&|\n|[(){}](?=[\s;&|()]|$))|'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|\\(?<escaped>[\s\S])|(?<bare>[^\s;&|<>'"\\(){}`$]+|[{}])|(?<odd>[\s\S])/y;

/**
 * Parses a shell script into its commands, wherever they stand. Pure; never throws. A complete shell parser would have
 * to be loaded with the agent: this one knows the constructs of ordinary scripts, and reports when there is more.
 */
export function readScript(script: string): Script {
  const commands: Command[] = [];
  let words: Word[] = [];
  let writes = false;
  let whole = true;
  let word: Word | undefined;
  let target: 'read' | 'written' | 'both' | undefined;
  const add = (text: string, plain: boolean) => {
    word = { text: (word?.text ?? '') + text, plain: (word?.plain ?? true) && plain };
  };
  const endWord = () => {
    if (word && target === undefined) words.push(word);
    // `2>&1` writes to no file of its own, and `>&a` does.
    else if (word && target === 'both') writes ||= !/^(\d+|-)$/.test(word.text);
    else if (word && target === 'written') writes ||= word.text !== '/dev/null';
    if (word) target = undefined;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0 || writes) commands.push({ words, writes });
    words = [];
    writes = false;
    target = undefined;
  };

  token.lastIndex = 0;
  for (let found = token.exec(script); found?.groups; found = token.exec(script)) {
    const { space, comment, redirect, end, single, double, escaped, bare, odd } = found.groups;
    if (space !== undefined) endWord();
    else if (comment !== undefined) {
      // In the middle of a word `#` starts no comment.
      if (word) add('#', true);
      if (word) token.lastIndex = found.index + 1;
    } else if (redirect !== undefined) {
      endWord();
      target = redirect === '>&' ? 'both' : /^<&?$/.test(redirect) ? 'read' : 'written';
    } else if (end !== undefined) {
      if (end === '(' || end === ')') whole = false;
      endCommand();
    } else if (single !== undefined) add(single, true);
    else if (double !== undefined) {
      if (/\$\(|`/.test(double)) whole = false;
      add(double.replace(/\\([\\"$`])|\\\n/g, '$1'), !/(?<!\\)[$`]/.test(double));
    } else if (escaped !== undefined) add(escaped, true);
    else if (bare !== undefined) add(bare, !/[*?[\]{}~]/.test(bare));
    else if (odd !== undefined) {
      if (odd !== '$') whole = false;
      // A substitution has a command of its own.
      if (odd === '`' || odd === '(' || odd === ')') endCommand();
      else add(odd, false);
    }
  }
  endCommand();
  return { commands, whole };
}
