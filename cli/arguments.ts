/** Parses the arguments after the name of a command. */

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { WrongUsage } from './ends.ts';

interface Wanted<Options> {
  readonly usage: string;
  readonly options: Options;
  /** Most words besides the options. */
  readonly words: number;
}

/** The options and words of a command; undefined for `--help`, which it prints. Throws {@link WrongUsage} with a sentence. */
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
  if (extra !== undefined) throw new WrongUsage(`Unexpected argument "${extra}".\n\n${usage}`);
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
    // Only the first sentence is about the user's input.
    throw new WrongUsage(`${(error as Error).message.split('. ')[0]}.\n\n${usage}`);
  }
}
