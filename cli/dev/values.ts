/** Values of the settings and secrets that a definition declares, from their sources on a laptop. */

import { nearest } from '../../shared/agent/plain/nearest.ts';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { WrongUsage } from '../ends.ts';

export interface Sources {
  /** `NAME=VALUE` options of the command line. */
  readonly set: readonly string[];
  readonly secret: readonly string[];
  /** The environment of the process; only declared names are read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The content of `.env`. */
  readonly file: Readonly<Record<string, string | undefined>>;
}

export interface Values {
  /** The given values, by name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Warnings about names that look like mistakes and were ignored. */
  readonly notes: readonly string[];
}

/** An invalid value on the command line. The message never contains a secret's value. */
class WrongValue extends WrongUsage {}

/**
 * The values by name. The command line overrides the environment, and the environment overrides the file. An empty value counts
 * as none. Throws {@link WrongUsage} for a name on the command line that the definition does not declare.
 */
export function valuesOf({ settings, secrets }: DeploymentFacts, sources: Sources): Values {
  const given = {
    setting: pairs('--set', sources.set, Object.keys(settings), Object.keys(secrets)),
    secret: pairs('--secret', sources.secret, Object.keys(secrets), Object.keys(settings)),
  };
  const valueFor = (kind: keyof typeof given, name: string) =>
    given[kind].get(name) ?? (sources.environment[name] || sources.file[name]);
  const among = (kind: keyof typeof given, names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = valueFor(kind, name);
        return value === undefined || value === '' ? [] : [[name, value] as const];
      }),
    );
  const declared = [...Object.keys(settings), ...Object.keys(secrets)];
  return {
    settings: among('setting', Object.keys(settings)),
    secrets: among('secret', Object.keys(secrets)),
    notes: Object.keys(sources.file).flatMap((name) => noteOn(name, declared)),
  };
}

/** A project's `.env` may hold anything, so only names that nearly match a declared one get a warning. */
function noteOn(name: string, declared: readonly string[]): string[] {
  if (declared.includes(name)) return [];
  const meant = nearest(name, declared);
  return meant === undefined || Math.abs(meant.length - name.length) > 2
    ? []
    : [`.env has ${name}, which the definition does not declare. Is ${meant} meant?`];
}

function pairs(
  option: '--set' | '--secret',
  given: readonly string[],
  known: readonly string[],
  others: readonly string[],
): Map<string, string> {
  return new Map(
    given.map((pair): [string, string] => {
      const at = pair.indexOf('=');
      // Text without a name may be a value, so it is not printed.
      if (at < 1) throw new WrongValue(`${option} takes NAME=VALUE.`);
      const name = pair.slice(0, at);
      if (!known.includes(name)) throw new WrongValue(unknown(option, name, known, others));
      return [name, pair.slice(at + 1)];
    }),
  );
}

function unknown(
  option: '--set' | '--secret',
  name: string,
  known: readonly string[],
  others: readonly string[],
): string {
  const [what, other, otherOption] =
    option === '--set' ? ['setting', 'secret', '--secret'] : ['secret', 'setting', '--set'];
  if (others.includes(name)) return `${name} is a ${other}: set it with ${otherOption}.`;
  const guess = nearest(name, known);
  const advice = guess
    ? `Did you mean ${guess}?`
    : known.length > 0
      ? `There are: ${known.join(', ')}.`
      : 'It declares none.';
  return `The definition declares no ${what} ${name}. ${advice}`;
}
