import { hash } from '../../plain/hash.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { mapSchemas } from './keywords.ts';
import type { KeyNames } from './own-keys.ts';

/** Keys of properties that the Messages API accepts (anthropics/claude-code#34771). It is the strictest. */
const TAKEN = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The name of a key in a form. The hash makes it unique, so it can be mapped back wherever it stands. */
export const keyName = (key: string): string =>
  TAKEN.test(key) ? key : `${key.replaceAll(/[^a-zA-Z0-9_.-]/g, '_').slice(0, 50)}_${hash(key, 8)}`;

/**
 * A mended schema with keys that every server accepts, at every level, and the renamed keys. The property says what its tool
 * calls it.
 */
export function withKeyNames(schema: JsonObject): { readonly schema: JsonObject; readonly keys?: KeyNames } {
  const keys = new Map<string, string>();
  const name = (key: string): string => {
    const named = keyName(key);
    if (named !== key) keys.set(named, key);
    return named;
  };
  const renamed = rename(schema, name);
  return keys.size === 0 ? { schema } : { schema: renamed, keys: Object.fromEntries(keys) };
}

type Name = (key: string) => string;

function rename(schema: JsonObject, name: Name): JsonObject {
  const inner = mapSchemas(schema, (one) => rename(one, name));
  const entries = Object.entries(inner).map(([keyword, value]): [string, Json] => {
    switch (keyword) {
      case 'properties':
        return [keyword, isObject(value) ? byName(value, name) : value];
      case 'dependentSchemas':
        return [keyword, withKeys(value, name)];
      case 'dependentRequired':
        return [keyword, isObject(value) ? mapEntries(value, name, (names) => eachName(names, name)) : value];
      case 'required':
        return [keyword, eachName(value, name)];
      case 'const':
      case 'default':
      case 'enum':
      case 'examples':
        return [keyword, deepKeys(value, name)];
      default:
        return [keyword, value];
    }
  });
  return Object.fromEntries(entries);
}

const mapEntries = (of: JsonObject, name: Name, map: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [name(key), map(value)]));

const eachName = (names: Json, name: Name): Json =>
  Array.isArray(names) ? names.map((one: Json) => (typeof one === 'string' ? name(one) : one)) : names;

const withKeys = (value: Json, name: Name): Json =>
  isObject(value) ? mapEntries(value, name, (inner) => inner) : value;

const byName = (properties: JsonObject, name: Name): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => {
      const named = name(key);
      return [named, named === key || !isObject(schema) ? schema : calledBy(key, schema)];
    }),
  );

/** Characters of a tool's own key that are shown. */
const MAX_TOLD = 100;

function calledBy(key: string, schema: JsonObject): JsonObject {
  const own = `The tool calls it ${JSON.stringify(key.slice(0, MAX_TOLD).toWellFormed())}.`;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} ${own}` : own };
}

function deepKeys(value: Json, name: Name): Json {
  if (Array.isArray(value)) return value.map((inner: Json) => deepKeys(inner, name));
  return isObject(value) ? mapEntries(value, name, (inner) => deepKeys(inner, name)) : value;
}
