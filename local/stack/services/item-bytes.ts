/**
 * A value in the form of the DynamoDB wire: `{ S: "…" }`, `{ N: "1" }`, `{ B: "<base64>" }` or its bytes, `{ M: { … }
 * }`.
 */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

/** Size of an item in bytes, by DynamoDB's rules as far as they matter here (developer guide, "Item sizes and formats"). */
export const itemBytes = (item: WireItem): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

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
