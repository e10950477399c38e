import type { At, Keyword } from './at.ts';
import { canonical } from './canonical.ts';

/** A keyword for lists. */
const list =
  (keyword: (items: readonly unknown[], given: unknown, at: At) => void): Keyword =>
  (given, at) => {
    if (Array.isArray(at.value)) keyword(at.value, given, at);
  };

/** A keyword that limits the number of items. */
const count = (words: string, isWithin: (count: number, bound: number) => boolean): Keyword =>
  list(({ length }, bound, at) => {
    if (typeof bound === 'number' && !isWithin(length, bound)) at.wrong(`must have ${words} ${bound} items`);
  });

function takeFrom(start: number, items: readonly unknown[], schema: unknown, at: At): void {
  for (let i = start; i < items.length; i++) at.takeMember(schema, String(i), items[i]);
}

function takeEach(items: readonly unknown[], schemas: readonly unknown[], at: At): void {
  for (const [i, schema] of schemas.slice(0, items.length).entries())
    at.takeMember(schema, String(i), items[i]);
}

/** The number of items that schemas by position cover: `prefixItems`, or `items` as a list before 2020-12. */
function positions({ schema: { prefixItems, items } }: At): number {
  const byPosition = prefixItems ?? items;
  return Array.isArray(byPosition) ? byPosition.length : 0;
}

/** Keywords for lists. */
export const ofArrays: readonly (readonly [string, Keyword])[] = [
  ['minItems', count('at least', (length, least) => length >= least)],
  ['maxItems', count('at most', (length, most) => length <= most)],
  [
    'uniqueItems',
    list((items, given, at) => {
      if (given !== true) return;
      const different = new Set(items.map((item) => canonical(item, at.check.work)));
      if (different.size < items.length) at.wrong('must not have the same item twice');
    }),
  ],
  [
    'prefixItems',
    list((items, schemas, at) => {
      if (Array.isArray(schemas)) takeEach(items, schemas, at);
    }),
  ],
  [
    'items',
    list((items, schema, at) => {
      if (Array.isArray(schema)) takeEach(items, schema, at);
      else takeFrom(positions(at), items, schema, at);
    }),
  ],
  [
    'additionalItems',
    list((items, schema, at) => {
      if (Array.isArray(at.schema.items)) takeFrom(at.schema.items.length, items, schema, at);
    }),
  ],
  [
    'contains',
    list((items, schema, at) => {
      const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = at.schema;
      let found = 0;
      for (const [i, item] of items.entries())
        if (at.member(schema, String(i), item).mistakes.length === 0) {
          found += 1;
          at.seen.add(String(i));
        }
      if (typeof least === 'number' && found < least)
        at.wrong(`must contain ${least} of the items it asks for`);
      if (typeof most === 'number' && found > most) at.wrong(`must contain at most ${most} of such items`);
    }),
  ],
  [
    'unevaluatedItems',
    list((items, schema, at) => {
      for (const [i, item] of items.entries())
        if (!at.seen.has(String(i))) at.takeMember(schema, String(i), item);
    }),
  ],
];
