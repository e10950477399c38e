import { isRecord, own } from '../../plain/merge.ts';
import { mayFit, partsFor, type SchemaIn } from './fits.ts';

/** How the values of an input are read, each by its part of the schema. */
export interface Reading {
  /** Returns a replacement for a value, or the same value to leave it. Its own properties or items are read after it. */
  readonly read: (value: unknown, on: SchemaIn) => unknown;
  /** Whether to leave out an optional property. */
  readonly drops?: (value: unknown, on: SchemaIn) => boolean;
}

/** Levels of a call's input that are read. */
const MAX_DEPTH = 24;

/** Reads a value and everything in it by its schema. Returns the same value if nothing in it changes. */
export function walk(given: unknown, on: SchemaIn, how: Reading, depth = 0): unknown {
  if (depth > MAX_DEPTH || on.work.left < 0) return given;
  const value = how.read(given, on);
  if (Array.isArray(value)) return itemsOf(value, on, how, depth);
  return isRecord(value) ? propertiesOf(value, on, how, depth) : value;
}

function itemsOf(items: readonly unknown[], on: SchemaIn, how: Reading, depth: number): readonly unknown[] {
  const part = partsFor(items, on).find((one) => isRecord(one.items) || Array.isArray(one.prefixItems));
  if (!part) return items;
  const before: readonly unknown[] = Array.isArray(part.prefixItems) ? part.prefixItems : [];
  const read = items.map((item, i) =>
    walk(item, { ...on, schema: i < before.length ? before[i] : part.items }, how, depth + 1),
  );
  return read.some((item, i) => item !== items[i]) ? read : items;
}

type Properties = Readonly<Record<string, unknown>>;

function propertiesOf(value: Properties, on: SchemaIn, how: Reading, depth: number): Properties {
  const parts = partsFor(value, on);
  const isRequired = (key: string) =>
    parts.some(({ required }) => Array.isArray(required) && required.includes(key));
  let changed = false;
  const entries = Object.entries(value).flatMap(([key, given]): [string, unknown][] => {
    const declared = parts.flatMap(({ properties }) =>
      isRecord(properties) && Object.hasOwn(properties, key) ? [own(properties, key)] : [],
    );
    const others = parts.flatMap(({ additionalProperties: one }) => (isRecord(one) ? [one] : []));
    const [schema, ...more] = declared.length > 0 ? declared : others;
    if (schema === undefined) return [[key, given]];
    const inner = { ...on, schema: more.length === 0 ? schema : { allOf: [schema, ...more] } };
    if (declared.length > 0 && !isRequired(key) && how.drops?.(given, inner)) {
      changed = true;
      return [];
    }
    const read = walk(given, inner, how, depth + 1);
    changed ||= read !== given;
    return [[key, read]];
  });
  return changed ? Object.fromEntries(entries) : value;
}

/** The value, or, if it does not fit, the first of its other forms that does. */
export const firstThatFits = (value: unknown, forms: () => readonly unknown[], on: SchemaIn): unknown =>
  mayFit(value, on) ? value : (forms().find((form) => mayFit(form, on)) ?? value);
