import type { Item } from '../../../shared/aws/dynamo.ts';

/** The cached size of a map: counting it each time would take longer than everything else. */
interface Size {
  readonly bytes: number;
  readonly entries: number;
}
const known = new WeakMap<object, Size>();

/** Bytes of a map, such as an item, by the rules of `local/stack/services/item-bytes.ts`. Only {@link changeHere} may change one. */
export const mapBytes = (map: Item): number => sizeOf(map).bytes;

/** How many values a map has. */
export const mapEntries = (map: Item): number => sizeOf(map).entries;

function sizeOf(map: Item): Size {
  const before = known.get(map);
  if (before) return before;
  let [bytes, entries] = [0, 0];
  for (const name in map) {
    bytes += entryBytes(map, name);
    entries += 1;
  }
  const size = { bytes, entries };
  known.set(map, size);
  return size;
}

/** Changes a map in place; `undefined` removes a value. */
export function changeHere(map: Item, name: string, value: unknown): Item {
  const { bytes, entries } = sizeOf(map);
  const before = {
    bytes: bytes - entryBytes(map, name),
    entries: entries - Number(Object.hasOwn(map, name)),
  };
  if (value === undefined) delete map[name];
  else map[name] = value;
  known.set(map, {
    bytes: before.bytes + entryBytes(map, name),
    entries: before.entries + Number(Object.hasOwn(map, name)),
  });
  return map;
}

const entryBytes = (map: Item, name: string): number =>
  Object.hasOwn(map, name) && map[name] !== undefined ? Buffer.byteLength(name) + valueBytes(map[name]) : 0;

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof Set) return [...value].reduce((sum, text) => sum + Buffer.byteLength(String(text)), 3);
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + valueBytes(one) + 1, 3);
  return mapBytes(value) + 3;
}
