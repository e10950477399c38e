/**
 * A value in the form of the DynamoDB wire: `{ S: "…" }`, `{ N: "1" }`, `{ B: "<base64>" }` or its bytes, `{ M: { … }
 * }`.
 */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

/** Size of an item in bytes, by DynamoDB's rules as far as they matter here (developer guide, "Item sizes and formats"). */
export const itemBytes = (item: WireItem): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

/** Write units of one write of an item: one per KB, rounded up. */
export const writeUnits = (item: WireItem): number => Math.ceil(itemBytes(item) / 1024);

/** Read units of so many bytes: one per 4 KB, rounded up, and half of that if the read is not strongly consistent. */
export const readUnits = (bytes: number, strong: boolean): number =>
  Math.max(1, Math.ceil(bytes / 4096)) * (strong ? 1 : 0.5);

function valueBytes(value: WireValue): number {
  const [type, inner] = Object.entries(value)[0] ?? [];
  switch (type) {
    case 'S':
      return Buffer.byteLength(String(inner));
    case 'B':
      return inner instanceof Uint8Array ? inner.byteLength : Buffer.from(String(inner), 'base64').byteLength;
    case 'N':
      return Math.ceil(String(inner).length / 2) + 1;
    case 'SS':
      return (inner as string[]).reduce((sum, text) => sum + Buffer.byteLength(text), 3);
    case 'M':
      return itemBytes(inner as WireItem) + 3;
    case 'L':
      return (inner as WireValue[]).reduce((sum, element) => sum + valueBytes(element) + 1, 3);
    default:
      return 1;
  }
}
