import { isRecord } from '../../plain/merge.ts';

/** Any value that JSON has. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A schema that has no form. The message continues after the tool's name. */
export class Unusable extends Error {}

/** Values of one schema. The 200,000 bytes that a source may list hold fewer. */
const MAX_VALUES = 100_000;
/** Levels of arrays and objects. Protobuf, which some model servers use, allows 100 in a whole request. */
const MAX_LEVELS = 90;

/** Counts the values that are processed, and throws {@link Unusable} if there are too many. */
export function counter(most = MAX_VALUES): () => void {
  let left = most;
  return () => {
    if (--left < 0) throw new Unusable('has a schema that is too large');
  };
}

/**
 * The value as plain JSON: strings are well-formed, numbers finite, and anything that JSON cannot hold is left out. Anything
 * deeper than {@link MAX_LEVELS} becomes an empty object. Bounded in work, also for cyclic objects.
 */
export function toJson(value: unknown): Json | undefined {
  const count = counter();
  const visit = (one: unknown, level: number): Json | undefined => {
    count();
    if (typeof one === 'string') return one.toWellFormed();
    if (typeof one === 'number') return Number.isFinite(one) ? one : undefined;
    if (typeof one === 'boolean' || one === null) return one;
    if (typeof one !== 'object') return undefined;
    if (level > MAX_LEVELS) return {};
    if (Array.isArray(one)) return one.flatMap((inner) => wrap(visit(inner, level + 1)));
    const entries = Object.entries(one).map(([key, inner]) => [key.toWellFormed(), visit(inner, level + 1)]);
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  };
  return visit(value, 0);
}

/** As one item of a list: `flatMap` would flatten an array. */
const wrap = (value: Json | undefined): Json[] => (value === undefined ? [] : [value]);

export const isObject = (value: unknown): value is JsonObject => isRecord(value);

/** Whether two values have the same JSON, with their keys in the same order. */
export const same = (a: Json, b: Json): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
