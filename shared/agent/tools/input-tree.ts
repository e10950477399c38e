/** The input of a call as a tree of single values, so that each of them can be shown, and none is left out. */

export type Node = Leaf | Branch;

/** The position of a value in its container: its key, its index, or nothing for the input itself. */
export type At = string | number | undefined;

/** One value. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly at: At;
  /** A text; or a value that is written plainly: a number, `null`, or why the value cannot be shown. */
  readonly value: { readonly text: string } | { readonly plain: string };
  /** Whether the shown form does not identify the value: a function, the inside of a class. */
  readonly hidden?: boolean;
}

export interface Branch {
  readonly kind: 'branch';
  readonly at: At;
  readonly children: readonly Node[];
}

/** Deeper values are not examined. */
const MAX_DEPTH = 64;

/** The tree of a value. Throws what the value's own `toJSON` or getters throw. */
export const treeOf = (value: unknown): Node => node(value, undefined, []);

/** The value as text, whole: equal for equal values, and different for different ones. */
export function exactly(value: unknown): string {
  const parts: string[] = [];
  const visit = (one: Node): void => {
    parts.push(JSON.stringify(one.at ?? null));
    if (one.kind === 'leaf') {
      parts.push(JSON.stringify(one.value));
      return;
    }
    parts.push('(');
    one.children.forEach(visit);
    parts.push(')');
  };
  visit(treeOf(value));
  return parts.join(' ');
}

function node(value: unknown, at: At, above: readonly object[]): Node {
  switch (typeof value) {
    case 'string':
      return { kind: 'leaf', at, value: { text: value } };
    case 'bigint':
      return plain(at, `${value}n`);
    case 'number':
      return plain(at, Object.is(value, -0) ? '-0' : String(value));
    case 'boolean':
      return plain(at, String(value));
    case 'undefined':
      return plain(at, 'undefined');
    case 'object':
      return value === null ? plain(at, 'null') : nodeOf(value, at, above);
    default:
      return hidden(at, `a ${typeof value}, which cannot be shown`);
  }
}

const plain = (at: At, text: string): Leaf => ({ kind: 'leaf', at, value: { plain: text } });
const hidden = (at: At, why: string): Leaf => ({ ...plain(at, `(${why})`), hidden: true });

function nodeOf(value: object, at: At, above: readonly object[]): Node {
  if (above.includes(value)) return hidden(at, 'what contains it, again');
  if (above.length >= MAX_DEPTH) return hidden(at, `deeper than ${MAX_DEPTH} levels, and not shown`);

  const within = [...above, value];
  // Dates, URLs and the like.
  if ('toJSON' in value && typeof value.toJSON === 'function') return node(value.toJSON(), at, within);
  if (ArrayBuffer.isView(value)) return plain(at, `bytes ${hexOf(value)}`);
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) {
    const children = [...value].map((item, i) => node(item, i, within));
    return children.length === 0 ? plain(at, '[]') : { kind: 'branch', at, children };
  }
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const children = entries.map(([key, inner]) => node(inner, key, within));
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) {
    const inside = hidden(undefined, 'of a class of its own, which may hold more than is shown');
    return { kind: 'branch', at, children: [inside, ...children] };
  }
  return children.length === 0 ? plain(at, '{}') : { kind: 'branch', at, children };
}

const hexOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): string =>
  Array.from(new Uint8Array(buffer, byteOffset, byteLength), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
