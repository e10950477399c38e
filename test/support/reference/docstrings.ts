/**
 * Docstrings of schemas, read from their source. At run time a schema knows its bounds and defaults, but not the
 * docstrings of its keys.
 */

/** The documentation of one key. */
export interface Documented {
  readonly doc: string;
  /** Keys of an inline object. */
  readonly inside: Declaration | undefined;
  /** Names in its value, which may be declarations. */
  readonly names: readonly string[];
}

/** An object of keys in source, and the declarations that are spread into it. */
export interface Declaration {
  readonly keys: ReadonlyMap<string, Documented>;
  readonly spread: readonly string[];
}

export type Declarations = ReadonlyMap<string, Declaration>;

/** The declarations in these sources that hold an object of schemas, by name. */
export function declarationsIn(sources: readonly string[]): Declarations {
  const found = new Map<string, Declaration>();
  for (const source of sources)
    for (const piece of source.split(/^(?=(?:export )?const \w+ =)/m)) {
      const name = /^(?:export )?const (\w+) =/.exec(piece)?.[1];
      const at = /(?:(?:strict|loose)Object\(|=> \(|extend\()\{/.exec(piece);
      if (!name || !at) continue;
      const { keys, spread } = readObject(piece, at.index + at[0].length);
      const extended = /= (\w+)\.extend\(/.exec(piece)?.[1];
      found.set(name, { keys, spread: extended ? [extended, ...spread] : spread });
    }
  return found;
}

/** The docstring of a key by its path, from a declaration on; undefined if it has none. */
export function docOf(declarations: Declarations, from: string, path: readonly string[]): string | undefined {
  let places: Declaration[] = placesOf(declarations, [from]);
  let doc: string | undefined;
  for (const key of path) {
    const entry = places.map(({ keys }) => keys.get(key)).find((one) => one !== undefined);
    if (!entry) return undefined;
    doc = entry.doc;
    places = entry.inside ? withSpread(declarations, entry.inside) : placesOf(declarations, entry.names);
  }
  return doc;
}

const placesOf = (declarations: Declarations, names: readonly string[]): Declaration[] =>
  names.flatMap((name) => {
    const declaration = declarations.get(name);
    return declaration ? withSpread(declarations, declaration) : [];
  });

const withSpread = (declarations: Declarations, declaration: Declaration): Declaration[] => [
  declaration,
  ...placesOf(declarations, declaration.spread),
];

/** Reads an object literal, from after its brace. */
function readObject(source: string, start: number): Declaration {
  const keys = new Map<string, Documented>();
  const spread: string[] = [];
  let doc = '';
  for (let i = start; i < source.length; ) {
    const rest = source.slice(i);
    const blank = /^\s+|^,|^\/\/.*/.exec(rest)?.[0];
    const comment = /^\/\*\*([\s\S]*?)\*\//.exec(rest);
    if (blank) i += blank.length;
    else if (comment) {
      doc = (comment[1] ?? '').replaceAll(/\s*\n\s*\*? ?/g, ' ').trim();
      i += comment[0].length;
    } else if (rest.startsWith('}')) break;
    else {
      const value = readValue(source, i);
      const key = /^(\w+)(?::|,|$)/.exec(value)?.[1];
      const name = /^\.\.\.(\w+)/.exec(value)?.[1];
      if (name) spread.push(name);
      else if (key) {
        const inside = /(?:strict|loose)Object\(\{/.exec(value);
        keys.set(key, {
          doc,
          inside: inside ? readObject(value, inside.index + inside[0].length) : undefined,
          names: [...value.matchAll(/(?<![\w.'])([A-Za-z]\w*)/g)].map(([, one = '']) => one),
        });
      }
      doc = '';
      i += value.length;
    }
  }
  return { keys, spread };
}

/** One entry of an object: up to the comma or brace that ends it. */
function readValue(source: string, start: number): string {
  let depth = 0;
  for (let i = start; i < source.length; i++) {
    const rest = source.slice(i);
    const skipped = /^(?:'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/.*)/.exec(rest)?.[0];
    if (skipped) i += skipped.length - 1;
    else if ('([{'.includes(source[i] ?? '')) depth += 1;
    else if (')]}'.includes(source[i] ?? '')) {
      if (depth === 0) return source.slice(start, i);
      depth -= 1;
    } else if (source[i] === ',' && depth === 0) return source.slice(start, i);
  }
  return source.slice(start);
}
