/** Reads what stands after the name of a command. */

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { WrongUsage } from './ends.ts';

interface Wanted<Options> {
  readonly usage: string;
  readonly options: Options;
  /** How many words beside the options, at most. */
  readonly words: number;
}

/**
 * The options and words of a command; undefined when it was asked for `--help`, which is printed then. Throws
 * {@link WrongUsage} with a sentence.
 */
export function parse<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  { usage, options, words }: Wanted<Options>,
) {
  const parsed = parsedOrRefused(args, options, usage);
  if ('help' in parsed.values && parsed.values.help) {
    console.log(usage);
    return undefined;
  }
  const extra = parsed.positionals[words];
  if (extra !== undefined) throw new WrongUsage(`What is meant by "${extra}"?\n\n${usage}`);
  return parsed;
}

function parsedOrRefused<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    // Only its first sentence is about what was typed.
    throw new WrongUsage(`${(error as Error).message.split('. ')[0]}.\n\n${usage}`);
  }
}
