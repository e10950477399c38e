import { hash } from '../../plain/hash.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** Names of definitions that no known server refuses. */
const SIMPLE = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The targets of one schema's references. */
export interface References {
  /** The stored value of `$ref`: `#`, or `#/$defs/…`. Undefined if it leads nowhere: then everything is allowed in its place. */
  leadsTo(ref: Json): string | undefined;
  /** The definitions in the root's `$defs` that keep their names. */
  kept(defs: Json, map: (schema: Json) => JsonObject): JsonObject | undefined;
  /** A schema that must be moved to `$defs`, and is not yet. */
  next(): { readonly name: string; readonly schema: Json } | undefined;
}

/**
 * Servers accept references to `#/$defs/…` and to `#`, but only some accept draft-07's `definitions`, pointers into the schema
 * (PrefectHQ/fastmcp#3893) and anchors. So the targets of those are moved to `$defs`. Recursive schemas stay recursive: nothing
 * is expanded in place.
 */
export function referencesIn(root: JsonObject): References {
  const own = isObject(root.$defs) ? root.$defs : {};
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(own));
  const waiting: { name: string; schema: Json }[] = [];
  let strays: Strays | undefined;

  const find = (ref: string): { readonly path: readonly string[]; readonly schema: Json } | undefined => {
    const path = pathOf(ref);
    const schema = path && at(root, path);
    if (path && isSchema(schema)) return { path, schema };
    strays ??= straysIn(root);
    const stray = strays.get(path ? (path.at(-1) ?? '') : ref);
    return stray === undefined ? undefined : { path: [ref], schema: stray };
  };

  return {
    leadsTo(ref) {
      if (typeof ref !== 'string') return undefined;
      const base = typeof root.$id === 'string' ? root.$id.replace(/#$/, '') : '';
      const local = base !== '' && ref.startsWith(`${base}#`) ? ref.slice(base.length) : ref;
      const found = find(local);
      if (!found) return undefined;
      const [first, name = '', ...deeper] = found.path;
      if (first === undefined) return '#';
      if (first === '$defs' && deeper.length === 0 && SIMPLE.test(name)) return `#/$defs/${name}`;
      const id = JSON.stringify(found.path);
      const known = names.get(id);
      if (known) return `#/$defs/${known}`;
      const last = (found.path.at(-1) ?? '').replaceAll(/[^a-zA-Z0-9_.-]/g, '_').slice(-50) || 'schema';
      const chosen = taken.has(last) ? `${last}_${hash(id, 8)}` : last;
      names.set(id, chosen);
      taken.add(chosen);
      waiting.push({ name: chosen, schema: found.schema });
      return `#/$defs/${chosen}`;
    },
    kept(defs, map) {
      if (!isObject(defs)) return undefined;
      const entries = Object.entries(defs).filter(([name]) => SIMPLE.test(name));
      return Object.fromEntries(entries.map(([name, schema]) => [name, map(schema)]));
    },
    next: () => waiting.shift(),
  };
}

const isSchema = (value: Json | undefined): value is Json => isObject(value) || typeof value === 'boolean';

/** The keys that a pointer in a fragment leads through; undefined if it is not a pointer. */
function pathOf(ref: string): string[] | undefined {
  if (ref === '#' || ref === '#/') return [];
  if (!ref.startsWith('#/')) return undefined;
  try {
    const parts = ref.slice(2).split('/');
    return parts.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}

function at(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const key of path) {
    if (Array.isArray(value)) value = /^\d{1,9}$/.test(key) ? (value[Number(key)] as Json) : undefined;
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Schemas by an anchor (`#name`), or by their name in definitions other than the root's, where some generators leave them. */
type Strays = ReadonlyMap<string, Json>;

function straysIn(root: JsonObject): Strays {
  const found = new Map<string, Json>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) for (const inner of value) visit(inner);
    if (!isObject(value)) return;
    for (const anchor of [value.$anchor, value.$dynamicAnchor])
      if (typeof anchor === 'string' && !found.has(`#${anchor}`)) found.set(`#${anchor}`, value);
    for (const defs of [value.$defs, value.definitions])
      if (isObject(defs))
        for (const [name, schema] of Object.entries(defs))
          if (isSchema(schema) && !found.has(name)) found.set(name, schema);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(root);
  return found;
}
