import type { ParseArgsConfig } from 'node:util';
import { parse } from '../../cli/arguments.ts';
import { WrongUsage } from '../../cli/ends.ts';

/**
 * The options of a script of this repository. `--help` prints the usage and ends the process; a wrong command line ends it
 * with a sentence and exit code 2.
 */
export function optionsOf<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
) {
  try {
    const parsed = parse(process.argv.slice(2), { usage, options, words: 0 });
    return parsed?.values ?? process.exit(0);
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return refuse(error.message);
  }
}

/** The whole number that an option has. Ends the process with a sentence if it has none, or one below `least`. */
export function whole(name: string, text: string, least = 1): number {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= least
    ? value
    : refuse(`--${name} is a whole number of ${least} or more, not "${text}".`);
}

/** Ends the process because its command line is wrong. */
export function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
