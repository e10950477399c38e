import type { Dynamo, Item, ItemKey, Update, Written } from '../../../shared/aws/dynamo.ts';
import { tableLayout } from '../../../shared/contract/env.ts';
import { readUnits } from '../../../test/support/item-size.ts';
import { applied, type Given, holds } from './expressions.ts';
import { type Ledger, subjectOf } from './ledger.ts';
import { mapBytes } from './size.ts';

/** Most bytes of an item (DynamoDB). */
const MOST_BYTES = 400 * 1024;

/** An entry of an index. */
interface Entry extends ItemKey {
  readonly at: number | string;
}

/** The indexes, with the ledger's names. */
const indexes = [
  { kind: 'index due', ...tableLayout.due, isCopy: false },
  { kind: 'index listed', ...tableLayout.listed, isCopy: true },
] as const;

/** DynamoDB as the adapters use it, in memory, with extras for the benchmark. */
export interface CountingTable extends Dynamo {
  /** Drops a partition that is not used any more. */
  drop(pk: string): void;
  /** The current item, without counting. */
  peek(key: ItemKey): Item | undefined;
}

/**
 * A table that answers at once and reports to the ledger the units that each call used of each key: reads of 4 KB, writes of 1
 * KB, including refused ones, and those of the index. It copies nothing, so callers may not change values that they have written
 * or read.
 */
export function countingTable(ledger: Ledger): CountingTable {
  const partitions = new Map<string, Map<string, Item>>();
  const entriesOf = new Map<string, Map<string, Entry>>();

  const peek = ({ pk, sk }: ItemKey): Item | undefined => partitions.get(pk)?.get(sk);

  const keep = (key: ItemKey, before: Item | undefined, item: Item | undefined): void => {
    const partition = partitions.get(key.pk) ?? new Map<string, Item>();
    partitions.set(key.pk, partition);
    if (item) partition.set(key.sk, item);
    else partition.delete(key.sk);
    index(key, before, item);
  };

  /** A write that moves an item in an index removes an entry from it and adds one; in an index with copies, a change is a write too. */
  const index = (key: ItemKey, before: Item | undefined, item: Item | undefined): void => {
    for (const { kind, partitionKey, sortKey, isCopy } of indexes) {
      const [from, to] = [before?.[partitionKey], item?.[partitionKey]];
      const stays = from === to && before?.[sortKey] === item?.[sortKey];
      if (stays && (!isCopy || to === undefined)) continue;
      const name = `${kind}\0${key.pk}\0${key.sk}`;
      if (from !== undefined && !stays) {
        entriesOf.get(from)?.delete(name);
        ledger.count({ kind, id: from, own: false, read: 0, write: 1 });
      }
      if (to === undefined || item?.[sortKey] === undefined) continue;
      const entries = entriesOf.get(to) ?? new Map<string, Entry>();
      entriesOf.set(to, entries);
      entries.set(name, { pk: key.pk, sk: key.sk, at: item[sortKey] });
      ledger.count({ kind, id: to, own: false, read: 0, write: 1 });
    }
  };

  const countRead = (key: ItemKey, bytes: number, isStrong: boolean): void =>
    ledger.count({ ...subjectOf(key), read: readUnits(bytes, isStrong), write: 0 });

  /** A write costs as much as the larger of the two items. */
  const write = (
    key: ItemKey,
    when: readonly string[],
    given: Given,
    next: (before: Item | undefined) => Item | undefined,
    shown: 'before' | 'after',
  ): Written => {
    const before = peek(key);
    const isRefused = !when.every((clause) => holds(clause, before, given));
    const after = isRefused ? before : next(before);
    const bytes = Math.max(before ? mapBytes(before) : 0, after ? mapBytes(after) : 0);
    ledger.count({ ...subjectOf(key), read: 0, write: Math.max(1, Math.ceil(bytes / 1024)) });
    if (isRefused) return { kind: 'refused', item: before };
    if (bytes > MOST_BYTES) throw new Error(`ValidationException: an item of ${key.pk} has ${bytes} bytes`);
    keep(key, before, after);
    return { kind: 'written', item: (shown === 'after' ? after : before) ?? {} };
  };

  return {
    peek,

    drop(pk) {
      partitions.delete(pk);
      ledger.close(pk);
    },

    async get(key, { consistency = 'strong', attributes } = {}) {
      const item = peek(key);
      countRead(key, item ? mapBytes(item) : 0, consistency === 'strong');
      if (!item || !attributes) return item;
      return Object.fromEntries(attributes.flatMap((name) => (name in item ? [[name, item[name]]] : [])));
    },

    async getAll(keys, { consistency = 'strong' } = {}) {
      return keys.flatMap((key) => {
        const item = peek(key);
        countRead(key, item ? mapBytes(item) : 0, consistency === 'strong');
        return item ?? [];
      });
    },

    async put(item, when = [], values = {}) {
      const key = { pk: item.pk, sk: item.sk };
      return write(key, when, { names: {}, values: values }, () => present(item), 'after');
    },

    async update({
      key,
      set = [],
      remove = [],
      add = [],
      delete: less = [],
      when,
      values = {},
      names,
    }: Update) {
      const given = { names: withoutSigns(names), values };
      const next = (before: Item | undefined): Item => {
        let item: Item = before ?? { ...key };
        for (const clause of set) item = applied('set', clause, item, before, given);
        for (const clause of remove) item = applied('remove', clause, item, before, given);
        for (const clause of add) item = applied('add', clause, item, before, given);
        for (const clause of less) item = applied('delete', clause, item, before, given);
        return item;
      };
      return write(key, when, given, next, 'after');
    },

    async remove(key, when, values = {}) {
      return write(key, when, { names: {}, values }, () => undefined, 'before');
    },

    async *range(pk, from, to, { consistency = 'strong' } = {}) {
      const all = [...(partitions.get(pk) ?? [])].filter(([sk]) => sk >= from && sk <= to);
      const items = all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
      const bytes = items.reduce((sum, item) => sum + mapBytes(item), 0);
      countRead({ pk, sk: from }, bytes, consistency === 'strong');
      yield* items;
    },

    async *index({ name, partition, sort, newestFirst = false, pageSize }) {
      const entries = [...(entriesOf.get(partition.value)?.values() ?? [])].filter(
        ({ at }) => at >= sort.min && at <= sort.max,
      );
      const sign = newestFirst ? -1 : 1;
      entries.sort((a, b) => (a.at < b.at ? -sign : sign));
      const known = indexes.find(({ index }) => index === name);
      for (let i = 0; i === 0 || i < entries.length; i += pageSize) {
        const page = entries.slice(i, i + pageSize);
        const items = known?.isCopy
          ? page.flatMap((key) => peek(key) ?? [])
          : page.map(({ pk, sk }) => ({ pk, sk }));
        const bytes = items.reduce((sum, item) => sum + mapBytes(item), 0);
        const use = { id: partition.value, own: false, read: readUnits(bytes, false), write: 0 };
        ledger.count({ kind: known?.kind ?? name, ...use });
        yield { items, isLast: i + pageSize >= entries.length };
      }
    },
  };
}

const present = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

const withoutSigns = (names: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([sign, name]) => [sign.slice(1), name]));
