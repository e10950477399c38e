/** The DynamoDB expressions that `shared/aws` writes, over items as JavaScript values. Other expressions are errors, and never misread. */

import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../../shared/aws/dynamo.ts';
import { changeHere, mapBytes, mapEntries } from './size.ts';

/** Names and values that an expression refers to, without `#` and `:`. */
export interface Given {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

type Condition = (item: Item | undefined, given: Given) => boolean;
type Term = (item: Item | undefined, given: Given) => unknown;

/** Whether the clause holds for the item; undefined means no item. */
export const holds = (clause: string, item: Item | undefined, given: Given): boolean =>
  conditionOf(clause)(item, given);

/** The item with one clause of SET, REMOVE, ADD or DELETE applied; its terms are evaluated on `before`. Neither is changed. */
export function applied(
  verb: 'set' | 'remove' | 'add' | 'delete',
  clause: string,
  item: Item,
  before: Item | undefined,
  given: Given,
): Item {
  const { path, term } = changeOf(`${verb} ${clause}`);
  const way = path.map((step) => nameOf(step, given));
  const value = term(before, given);
  switch (verb) {
    case 'set':
      if (value === undefined) throw new Error(`ValidationException: a value of ${clause} is missing`);
      return changed(item, way, value);
    case 'remove':
      return changed(item, way, undefined);
    case 'add':
    case 'delete':
      return changed(item, way, combined(verb, item[way[0] ?? ''], value));
    default:
      return verb satisfies never;
  }
}

function combined(verb: 'add' | 'delete', old: unknown, value: unknown): unknown {
  if (typeof value === 'number') return Number(old ?? 0) + value;
  const [before, change] = [(old ?? new Set()) as Set<unknown>, value as Set<unknown>];
  const now = new Set(
    verb === 'add' ? [...before, ...change] : [...before].filter((one) => !change.has(one)),
  );
  return now.size === 0 ? undefined : now;
}

/** Maps of at least this many bytes are changed in place: a copy for each write would take longer than everything else. */
const LARGE = 16_384;

/** A copy of an item with another value at the end of the path; `undefined` removes it. */
function changed(item: Item, [step = '', ...rest]: readonly string[], value: unknown): Item {
  if (rest.length > 0) {
    const inner = item[step];
    if (inner === undefined) throw new Error(`ValidationException: there is no ${step} to change`);
    const [last] = rest;
    const isHere = last !== undefined && rest.length === 1 && mapBytes(inner) > LARGE;
    return { ...item, [step]: isHere ? changeHere(inner, last, value) : changed(inner, rest, value) };
  }
  if (value !== undefined) return { ...item, [step]: value };
  const { [step]: _, ...others } = item;
  return others;
}

const conditionOf = cached((clause): Condition => parser(clause).condition());
const changeOf = cached((text): Change => parser(text).change());

interface Change {
  readonly path: readonly string[];
  readonly term: Term;
}

/** The same few expressions are used all the time. */
function cached<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const value = known.get(text) ?? read(text);
    known.set(text, value);
    return value;
  };
}

const nameOf = (step: string, { names }: Given): string => names[step] ?? step;

function get(item: Item | undefined, path: readonly string[], given: Given): unknown {
  let inner: Item | undefined = item;
  for (const step of path) {
    const name = nameOf(step, given);
    inner = inner !== undefined && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }
  return inner;
}

const TOKEN = /\s*(#\w+(?:\.#\w+)*|:\w+|<=|>=|<>|[()=<>,+-]|\w+)/y;

function parser(text: string) {
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.trimEnd().length; ) {
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`cannot read the expression ${text}`);
    tokens.push(token);
  }
  let at = 0;
  const next = (wanted?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (wanted && token !== wanted))
      throw new Error(`cannot read the expression ${text}`);
    return token;
  };
  const isNext = (token: string): boolean => tokens[at] === token && ++at > 0;
  const end = <T>(read: T): T => {
    if (at < tokens.length) throw new Error(`cannot read the expression ${text}`);
    return read;
  };
  const path = (token = next()): string[] => token.split('.').map((step) => step.slice(1));

  const term = (): Term => {
    const token = next();
    if (token.startsWith(':')) return (_item, { values }) => values[token.slice(1)];
    if (token.startsWith('#')) {
      const way = path(token);
      return (item, given) => get(item, way, given);
    }
    next('(');
    const way = path();
    if (token === 'size') {
      next(')');
      return (item, given) => sizeOf(get(item, way, given));
    }
    if (token !== 'if_not_exists') throw new Error(`cannot read the expression ${text}`);
    next(',');
    const otherwise = term();
    next(')');
    return (item, given) => get(item, way, given) ?? otherwise(item, given);
  };

  const sum = (): Term => {
    const first = term();
    const sign = isNext('+') ? 1 : isNext('-') ? -1 : 0;
    if (sign === 0) return first;
    const second = term();
    return (item, given) => Number(first(item, given)) + sign * Number(second(item, given));
  };

  const test = (): Condition => {
    if (isNext('NOT')) {
      const inner = test();
      return (item, given) => !inner(item, given);
    }
    if (isNext('(')) {
      const inner = either();
      next(')');
      return inner;
    }
    const called = tokens[at + 1] === '(' ? tokens[at] : undefined;
    if (called && called !== 'size') {
      at += 2;
      const way = path();
      const second = isNext(',') ? term() : undefined;
      next(')');
      if (called === 'attribute_exists') return (item, given) => get(item, way, given) !== undefined;
      if (called === 'attribute_not_exists') return (item, given) => get(item, way, given) === undefined;
      if (called !== 'contains' || !second) throw new Error(`cannot read the expression ${text}`);
      return (item, given) =>
        (get(item, way, given) as Set<unknown> | undefined)?.has(second(item, given)) ?? false;
    }
    const left = term();
    const compare = comparisons[next()];
    if (!compare) throw new Error(`cannot read the expression ${text}`);
    const right = term();
    return (item, given) => {
      const [a, b] = [left(item, given), right(item, given)];
      return a !== undefined && b !== undefined && compare(a as number, b as number);
    };
  };

  const both = (): Condition => {
    const all = [test()];
    while (isNext('AND')) all.push(test());
    return (item, given) => all.every((one) => one(item, given));
  };
  const either = (): Condition => {
    const any = [both()];
    while (isNext('OR')) any.push(both());
    return (item, given) => any.some((one) => one(item, given));
  };

  return {
    condition: (): Condition => end(either()),
    change(): Change {
      const verb = next();
      const way = path();
      if (verb === 'remove') return end({ path: way, term: () => undefined });
      if (verb === 'set') next('=');
      return end({ path: way, term: verb === 'set' ? sum() : term() });
    },
  };
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => isDeepStrictEqual(a, b),
  '<>': (a, b) => !isDeepStrictEqual(a, b),
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function sizeOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Set) return value.size;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.byteLength;
  return mapEntries(value as Item);
}
