import { isRecord } from '../../plain/merge.ts';

/** A schema, or a boolean in its place. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isRecord(value);

/** Resolves the references of one document. Nothing is ever fetched. */
export interface References {
  /**
   * Undefined if the document does not have it. References to another document are not checked: everything fits them.
   *
   * @param ref as it is written: `#`, `#/$defs/a`, `#anchor`, or the `$id` of a schema in the same document
   * @param from the schema that it is written in, whose `$id` it is relative to
   */
  readonly find: (ref: string, from: object) => Schema | undefined;
}

/** The `$id` of a document that has none. The name is reserved (RFC 2606), so no server's `$id` is the same. */
const BASE = 'https://schema.invalid/';
/** Values of these keywords are data and contain no schemas. */
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/** Indexes a document by `$id` and `$anchor`. It has at most 100 levels ({@link isTooDeep}). */
export function referencesOf(document: Schema): References {
  const resources = new Map<string, Schema>([[BASE, document]]);
  const anchors = new Map<string, Schema>();
  const bases = new WeakMap<object, string>();
  index(document, BASE);

  function index(value: unknown, outer: string): void {
    if (Array.isArray(value)) for (const inner of value) index(inner, outer);
    if (!isRecord(value)) return;
    const id = value.$id ?? value.id;
    const [base = outer, anchor] = (typeof id === 'string' && absolute(id, outer)) || [];
    if (base !== outer && !resources.has(base)) resources.set(base, value);
    bases.set(value, base);
    for (const name of [value.$anchor, value.$dynamicAnchor, anchor])
      if (typeof name === 'string') anchors.set(`${base}#${name}`, value);
    for (const [key, inner] of Object.entries(value)) if (!data.has(key)) index(inner, base);
  }

  return {
    find(ref, from) {
      const [base, fragment = ''] = absolute(ref, bases.get(from) ?? BASE) ?? [];
      const resource = base === undefined ? undefined : (resources.get(base) ?? true);
      if (resource === undefined || resource === true || fragment === '') return resource;
      if (!fragment.startsWith('/')) return anchors.get(`${base}#${fragment}`);
      const found = fragment.slice(1).split('/').reduce<unknown>(step, resource);
      return isSchema(found) ? found : undefined;
    },
  };
}

/** A reference without its fragment, and the fragment; undefined if it is not a reference. */
function absolute(ref: string, base: string): [string, string] | undefined {
  const url = URL.parse(ref, base);
  if (!url) return undefined;
  const fragment = decoded(url.hash.slice(1));
  url.hash = '';
  return [url.href, fragment];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One step of a JSON pointer (RFC 6901). */
function step(value: unknown, part: string): unknown {
  const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}
