/** The command line of `steploop eval`. */

import { parse } from '../arguments.ts';
import { WrongUsage } from '../ends.ts';
import { places } from '../sessions/place.ts';

export const usage = `steploop eval [FILE…] [options]
steploop eval record SESSION [--name NAME] [--out FILE]

Plays the cases of evals/*.eval.ts, or of the files named, against the agents of this project, scores them, compares with the
baseline and prints a table. Nothing is deployed, and tools that change something run only if a case allows it.

  --filter WORDS       Only cases with these words in their name or in their eval's name
  --scripted           Call no real model: scripts of the cases, or a few rules, replace it. Default without a key
  --repeat N           Play each case N times. Default: 1
  --concurrency N      Play N at once. Default: 4
  --max-usd N          Begin no further play once N dollars are spent
  --accept             Keep the result as the baseline
  --baseline FILE      The baseline. Default: evals/baseline.json, or evals/baseline.scripted.json if no model is real
  --tolerance N        How far a case's score may fall below the baseline's, from 0 to 1. Default: 0.1
  --history            Play nothing: print passes, cost and time of the last 10 runs, and of each case in them
  --json               Print the result as one JSON document; with --history all kept runs, one a line
  --junit FILE         Write JUnit XML
  --definition FILE    The definition. Default: steploop.config.ts
  --set NAME=VALUE     Value of a setting, overriding .env. Repeat it for each
  --secret NAME=VALUE  Value of a secret, overriding .env. Repeat it for each
  --help               Show this

record makes a case from a session: evals/NAME.eval.ts, with the user's messages, the tools' results, and the outcome.
${places}

Exit codes: 0 no case is worse than in the baseline. 1 a case is; without a baseline: a case failed. 2 the command line is
invalid. 3 it stopped at --max-usd, and no played case is worse. 130 it was interrupted.`;

const options = {
  filter: { type: 'string' },
  scripted: { type: 'boolean', default: false },
  repeat: { type: 'string', default: '1' },
  concurrency: { type: 'string', default: '4' },
  'max-usd': { type: 'string' },
  accept: { type: 'boolean', default: false },
  baseline: { type: 'string' },
  tolerance: { type: 'string', default: '0.1' },
  history: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  junit: { type: 'string' },
  definition: { type: 'string', default: 'steploop.config.ts' },
  set: { type: 'string', multiple: true, default: [] as string[] },
  secret: { type: 'string', multiple: true, default: [] as string[] },
  name: { type: 'string' },
  out: { type: 'string' },
} as const;

export interface EvalOptions {
  /** Named files; empty: all of the project. */
  readonly files: readonly string[];
  readonly filter?: string;
  readonly scripted: boolean;
  readonly repeat: number;
  readonly concurrency: number;
  /** Infinity: no limit. */
  readonly maxUsd: number;
  readonly accept: boolean;
  readonly baseline?: string;
  readonly tolerance: number;
  readonly json: boolean;
  readonly junit?: string;
  readonly definition: string;
  readonly set: readonly string[];
  readonly secret: readonly string[];
}

export interface RecordOptions extends Pick<EvalOptions, 'definition' | 'set' | 'secret'> {
  readonly sessionId: string;
  readonly name?: string;
  readonly out?: string;
}

export type EvalCommand =
  | { readonly kind: 'run'; readonly options: EvalOptions }
  | { readonly kind: 'history'; readonly options: EvalOptions }
  | { readonly kind: 'record'; readonly options: RecordOptions };

/** Undefined for `--help`, which it prints. Throws {@link WrongUsage} with a sentence. */
export function parseOptions(args: readonly string[]): EvalCommand | undefined {
  const parsed = parse(args, { usage, options, words: Number.POSITIVE_INFINITY });
  if (!parsed) return undefined;
  const { values, positionals } = parsed;
  const { definition, set, secret, name, out } = values;
  if (positionals[0] === 'record') {
    const [, sessionId, extra] = positionals;
    if (!sessionId || extra !== undefined) throw new WrongUsage(`Name exactly one session.\n\n${usage}`);
    return { kind: 'record', options: { sessionId, name, out, definition, set, secret } };
  }
  if (name !== undefined || out !== undefined)
    throw new WrongUsage('--name and --out belong to steploop eval record.');
  const { filter, scripted, accept, baseline, json, junit, history } = values;
  if (history && (accept || junit !== undefined || positionals.length > 0))
    throw new WrongUsage('--history plays nothing: leave out --accept, --junit and files.');
  return {
    kind: history ? 'history' : 'run',
    options: {
      ...{ files: positionals, filter, scripted, accept, baseline, json, junit, definition, set, secret },
      repeat: whole('--repeat', values.repeat, 1_000),
      concurrency: whole('--concurrency', values.concurrency, 100),
      maxUsd: values['max-usd'] === undefined ? Number.POSITIVE_INFINITY : dollarsOf(values['max-usd']),
      tolerance: part(values.tolerance),
    },
  };
}

function whole(option: string, given: string, most: number): number {
  const n = Number(given);
  if (!/^\d+$/.test(given) || n < 1 || n > most)
    throw new WrongUsage(`${option} is a whole number from 1 to ${most}, not ${given}.`);
  return n;
}

function dollarsOf(given: string): number {
  const n = Number(given);
  if (given.trim() === '' || !(n > 0))
    throw new WrongUsage(`--max-usd is a number of dollars, not ${given}.`);
  return n;
}

function part(given: string): number {
  const n = Number(given);
  if (given.trim() === '' || !(n >= 0 && n <= 1))
    throw new WrongUsage(`--tolerance is a number from 0 to 1, not ${given}.`);
  return n;
}
