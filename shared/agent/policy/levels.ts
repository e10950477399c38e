import { type Effect, rulesOfEffect } from '../config/effects.ts';
import { type Level, levels } from '../config/levels.ts';

/** A tool's declaration of how dangerous its calls are. */
export interface Leveled {
  readonly effect: Effect;
  readonly level?: Level | ((input: never) => Level) | undefined;
}

/**
 * How dangerous a call is: by its tool's declaration, or else by its effect. A function that throws, returns something else, or
 * has no input counts as the highest level. Pure as far as that function is.
 *
 * @param input the arguments as parsed by the tool's schema; absent when that cannot be known
 */
export function levelOf({ effect, level }: Leveled, input: { readonly value: unknown } | undefined): Level {
  if (level === undefined) return rulesOfEffect(effect).level;
  if (typeof level !== 'function') return level;
  if (!input) return 'critical';
  try {
    const said = (level as (input: unknown) => unknown)(input.value);
    return levels.find((one) => one === said) ?? 'critical';
  } catch {
    return 'critical';
  }
}
