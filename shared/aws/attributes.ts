import { marshall } from '@aws-sdk/util-dynamodb';
import { isRecord } from '../agent/plain/merge.ts';

/**
 * The attributes of an item, without those that are undefined. `marshall` tells objects by their `constructor`, which an outsider may
 * have given as a key: such an object becomes a Map first.
 */
export const attributesOf = (item: Readonly<Record<string, unknown>>) =>
  marshall((hasConstructor(item) ? asMaps(item) : item) as typeof item, { removeUndefinedValues: true });

/** Few values have the key, and copies of the others would cost each write. */
function hasConstructor(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasConstructor);
  if (!isRecord(value) || !isPlain(value)) return false;
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructor);
}

/** The value with a Map for every object with the key `constructor`. Sets and bytes stay as they are. */
function asMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMaps);
  if (!isRecord(value) || !isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, asMaps(inner)] as const);
  return Object.hasOwn(value, 'constructor') ? new Map(entries) : Object.fromEntries(entries);
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
