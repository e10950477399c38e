import { itemBytes, type WireItem } from '../../local/stack/services/item-bytes.ts';

/** Write units of one write of an item: one per KB, rounded up. */
export const writeUnits = (item: WireItem): number => Math.ceil(itemBytes(item) / 1024);

/** Read units of so many bytes: one per 4 KB, rounded up, and half of that if the read is not strongly consistent. */
export const readUnits = (bytes: number, strong: boolean): number =>
  Math.max(1, Math.ceil(bytes / 4096)) * (strong ? 1 : 0.5);
