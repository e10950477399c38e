/**
 * The table with the contents of tenants sealed under their data keys. Stores do not know of it. Loaded where `tenantKeys` is on.
 *
 * Items from before the option are read as they are, and sealed when they are written again.
 */

import { TenantKeyDeleted } from '../agent/plain/tenant-key-deleted.ts';
import type { Dynamo, Item, ItemKey, Update, Written } from './dynamo.ts';
import type { SealedPlace } from './seal.ts';
import { hasContent, isSealedByEntry } from './sealed-attributes.ts';
import { isSealed, openValue, sealValue } from './sealed-values.ts';
import type { Sealers } from './tenant-keys.ts';
import { tenantOf } from './tenant-of.ts';

/** Where a value is put: `#name = :value`, `#name = if_not_exists(#name, :value)` or `#name.#entry = :value`. */
const ASSIGNMENT = /^#(\w+)(?:\.(#\w+))? = (?:if_not_exists\(#\w+, )?:(\w+)\)?$/;
/** A clause that compares a whole attribute. */
const COMPARISON = /^#(\w+) = :(\w+)$/;

/** @param sealers both reject with {@link TenantKeyDeleted} if the tenant's key was deleted */
export function sealedDynamo(dynamo: Dynamo, sealers: Sealers): Dynamo {
  const placeOf = async ({ pk, sk }: ItemKey, to: keyof Sealers): Promise<SealedPlace | undefined> => {
    const tenant = tenantOf(pk);
    return tenant === undefined ? undefined : (await sealers[to](tenant)).at('item', pk, sk);
  };

  async function open(key: ItemKey, item: Item): Promise<Item> {
    if (!Object.entries(item).some(holdsSealed)) return item;
    const place = await placeOf(key, 'existing');
    return place
      ? mapContent(item, (name, value) => (isSealed(value) ? openValue(place, name, value) : value))
      : item;
  }

  /** An item that names its key; undefined if its key was deleted. */
  async function openUnlessDeleted(item: Item): Promise<Item | undefined> {
    try {
      return await open(item as Item & ItemKey, item);
    } catch (error) {
      if (error instanceof TenantKeyDeleted) return undefined;
      throw error;
    }
  }

  async function seen(key: ItemKey, written: Written): Promise<Written> {
    return written.item ? { ...written, item: await open(key, written.item) } : written;
  }

  return {
    async get(key, reading) {
      const item = await dynamo.get(key, reading);
      return item && open(key, item);
    },

    /** The keys may be of several tenants: items of those whose key was deleted are left out. */
    async getAll(keys, reading) {
      const items = await Promise.all((await dynamo.getAll(keys, reading)).map(openUnlessDeleted));
      return items.filter((item) => item !== undefined);
    },

    async put(item, when, values) {
      const key = item as Item & ItemKey;
      const place = Object.entries(item).some(holdsContent) ? await placeOf(key, 'forWriting') : undefined;
      const sealed = place ? mapContent(item, (name, value) => sealValue(place, name, value)) : item;
      const written = await dynamo.put(sealed, when, values);
      return written.kind === 'written' ? { ...written, item } : seen(key, written);
    },

    async update(update) {
      const of = contentOf(update);
      const place = of.length > 0 ? await placeOf(update.key, 'forWriting') : undefined;
      return seen(update.key, await dynamo.update(place ? sealUpdate(update, of, place) : update));
    },

    async remove(key, when, values) {
      return seen(key, await dynamo.remove(key, when, values));
    },

    async *range(...asked) {
      for await (const item of dynamo.range(...asked)) yield open(item as Item & ItemKey, item);
    },

    async *index(query) {
      for await (const { items, isLast } of dynamo.index(query))
        yield {
          items: (await Promise.all(items.map(openUnlessDeleted))).filter((item) => item !== undefined),
          isLast,
        };
    },
  };
}

const holdsContent = ([attribute, value]: readonly [string, unknown]): boolean =>
  hasContent(attribute) &&
  value !== undefined &&
  !(isSealedByEntry(attribute) && Object.keys(value as object).length === 0);

const holdsSealed = ([attribute, value]: readonly [string, unknown]): boolean =>
  hasContent(attribute) &&
  (isSealedByEntry(attribute) ? Object.values(value as object).some(isSealed) : isSealed(value));

const nameOfEntry = (attribute: string, entry: string): string => `${attribute} ${entry}`;

/** The item with each of its contents changed. @param change gets the content's name, which is part of its seal */
function mapContent(item: Item, change: (name: string, value: unknown) => unknown): Item {
  const map = ([attribute, value]: [string, unknown]): [string, unknown] => {
    if (!hasContent(attribute) || value === undefined) return [attribute, value];
    if (!isSealedByEntry(attribute)) return [attribute, change(attribute, value)];
    const entries = Object.entries(value as object);
    return [
      attribute,
      Object.fromEntries(entries.map(([id, one]) => [id, change(nameOfEntry(attribute, id), one)])),
    ];
  };
  return Object.fromEntries(Object.entries(item).map(map));
}

/** A value of an update that becomes content, by its placeholder, and the name under which it is sealed. */
interface Content {
  readonly value: string;
  readonly name: string;
}

/** The contents that an update writes or compares with. */
function contentOf({ set = [], when, values = {}, names = {} }: Update): Content[] {
  const written = set.flatMap((clause): Content[] => {
    const [, attribute = '', entry, value = ''] = ASSIGNMENT.exec(clause) ?? [];
    if (!hasContent(attribute) || !holdsContent([attribute, values[value]])) return [];
    return [{ value, name: entry ? nameOfEntry(attribute, names[entry] ?? entry.slice(1)) : attribute }];
  });
  const compared = when.flatMap((clause): Content[] => {
    const [, attribute = '', value = ''] = COMPARISON.exec(clause) ?? [];
    return hasContent(attribute) && values[value] !== undefined ? [{ value, name: attribute }] : [];
  });
  return [...written, ...compared];
}

/** The update with sealed values. */
function sealUpdate(update: Update, contents: readonly Content[], place: SealedPlace): Update {
  const { when, values = {} } = update;
  const isCompared = (value: string) => when.some((clause) => COMPARISON.exec(clause)?.[2] === value);
  const sealed = contents.flatMap(({ value, name }) => {
    const kept = sealValue(place, name, values[value]);
    const compared = isCompared(value) ? [[sealedIn(value), kept.sealed] as const] : [];
    return isWritten(update, value) ? [[value, kept] as const, ...compared] : compared;
  });
  return { ...update, when: when.map(comparison), values: { ...values, ...Object.fromEntries(sealed) } };
}

const isWritten = ({ set = [] }: Update, value: string): boolean =>
  set.some((clause) => ASSIGNMENT.exec(clause)?.[3] === value);

/** Compares a sealed content, or one that is stored as it was before the option. */
function comparison(clause: string): string {
  const [, attribute = '', value = ''] = COMPARISON.exec(clause) ?? [];
  return hasContent(attribute) ? `#${attribute}.#sealed = :${sealedIn(value)} OR ${clause}` : clause;
}

const sealedIn = (value: string): string => `${value}Sealed`;
