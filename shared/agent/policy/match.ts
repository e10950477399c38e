import type { Effect } from '../config/effects.ts';
import type { Level } from '../config/levels.ts';
import type { PolicyCondition, PolicyRule } from '../config/policy.ts';
import { isRecord, own } from '../plain/merge.ts';
import { isUnder, pathOf } from '../workspace/paths.ts';

/** A call, as policies see it. */
export interface SeenCall {
  readonly tool: string;
  readonly effect: Effect;
  readonly level: Level;
  /** The arguments as parsed by the tool's schema; absent if that cannot be known before the call runs. */
  readonly input?: { readonly value: unknown };
}

/** Whether a regular expression matches in a text; undefined if that cannot be decided. */
export type Pattern = (expression: string, text: string) => boolean | undefined;

/**
 * Whether a rule applies to a call. Pure. A condition that cannot be checked keeps `allow` from matching, but not `ask` or
 * `forbid`.
 */
export function ruleMatches(rule: PolicyRule, call: SeenCall, pattern: Pattern): boolean {
  const { tools, effects, levels, when, decision } = rule;
  if (!tools.some((glob) => nameMatches(glob, call.tool))) return false;
  if (effects && !effects.includes(call.effect)) return false;
  if (levels && !levels.includes(call.level)) return false;
  return when.every((condition) => {
    const told = valuesAt(call.input, condition.argument).map((value) => holds(condition, value, pattern));
    return decision === 'allow'
      ? told.length > 0 && told.every((one) => one === true)
      : told.length === 0 || told.some((one) => one !== false);
  });
}

/** `*` stands for any letters, or none. Not a regular expression, so that no input can take long. */
export function nameMatches(glob: string, name: string): boolean {
  const [first = '', ...others] = glob.split('*');
  const last = others.pop();
  if (last === undefined) return name === glob;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** Stands for a missing argument, which no condition can be checked against. */
const absent = Symbol('absent');

/** The values at a path: one, or with `*` every entry of a list. */
function valuesAt(input: SeenCall['input'], argument: string): readonly unknown[] {
  if (!input) return [];
  let values: readonly unknown[] = [input.value];
  for (const name of argument.split('.'))
    values = values.flatMap((value): readonly unknown[] =>
      name === '*' ? (Array.isArray(value) ? value : [absent]) : [partOf(value, name)],
    );
  return values;
}

const partOf = (value: unknown, name: string): unknown => {
  if (Array.isArray(value))
    return /^\d{1,6}$/.test(name) && Number(name) in value ? value[Number(name)] : absent;
  const part = isRecord(value) ? own(value, name) : undefined;
  return part === undefined ? absent : part;
};

/** Whether a value meets a condition; undefined if that cannot be decided. */
function holds(condition: PolicyCondition, value: unknown, pattern: Pattern): boolean | undefined {
  const { equals, oneOf, startsWith, matches, under, atMost, atLeast } = condition;
  if (value === absent) return undefined;
  if (equals !== undefined) return isPlain(value) ? value === equals : undefined;
  if (oneOf) return isPlain(value) ? oneOf.some((one) => one === value) : undefined;
  if (atMost !== undefined) return isNumber(value) ? value <= atMost : undefined;
  if (atLeast !== undefined) return isNumber(value) ? value >= atLeast : undefined;
  if (typeof value !== 'string') return undefined;
  if (startsWith !== undefined) return value.startsWith(startsWith);
  if (matches !== undefined) return pattern(matches, value);
  return under === undefined ? undefined : liesUnder(value, under);
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';
const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

/** A path that is not one of the workspace may point anywhere else. */
function liesUnder(path: string, folder: string): boolean | undefined {
  try {
    return isUnder(pathOf(path), pathOf(folder));
  } catch {
    return undefined;
  }
}
