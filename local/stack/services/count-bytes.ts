import { createRequire } from 'node:module';
import { itemBytes, type WireItem } from './item-bytes.ts';

interface Table {
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[];
}
/** Returns an error, if there is one. */
type Validate = (item: WireItem, table: Table) => unknown;

/** The used part of dynalite's database. */
interface Engine {
  /** With more arguments it estimates the stored size of an item, for pages. */
  itemSize(item: WireItem, ...stored: unknown[]): number;
  validateKey: Validate;
  validateItem: Validate;
  validationError(message: string): Error;
}

/** Bytes of the texts of a key (DynamoDB's developer guide, "Constraints"), and dynalite's words for larger ones. */
const KEYS = {
  HASH: { most: 2_048, says: 'Size of hashkey has exceeded the maximum size limit of2048 bytes' },
  RANGE: {
    most: 1_024,
    says: 'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
  },
};

let done = false;

/**
 * dynalite compares the characters of items and keys with DynamoDB's limits, which are for bytes: of text that is not Latin, it
 * takes up to three times as much. This corrects it, once per process.
 */
export function countBytes(): void {
  if (done) return;
  done = true;
  const engine: Engine = createRequire(import.meta.url)('dynalite/db');
  const { itemSize, validateKey, validateItem } = engine;
  engine.itemSize = (item, ...stored) => (stored.length > 0 ? itemSize(item, ...stored) : itemBytes(item));

  const checked =
    (validate: Validate): Validate =>
    (item, table) => {
      const refusal = validate(item, table);
      if (refusal) return refusal;
      const long = table.KeySchema.find(
        ({ AttributeName, KeyType }) =>
          Buffer.byteLength(String(item[AttributeName]?.S ?? '')) > KEYS[KeyType].most,
      );
      return (
        long &&
        engine.validationError(`One or more parameter values were invalid: ${KEYS[long.KeyType].says}`)
      );
    };
  engine.validateKey = checked(validateKey);
  engine.validateItem = checked(validateItem);
}
