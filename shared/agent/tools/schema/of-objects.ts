import { isRecord } from '../../plain/merge.ts';
import type { At, Keyword } from './at.ts';

type Members = Readonly<Record<string, unknown>>;

/** A keyword for objects. */
const object =
  (keyword: (value: Members, given: unknown, at: At) => void): Keyword =>
  (given, at) => {
    if (isRecord(at.value)) keyword(at.value, given, at);
  };

const entriesOf = (given: unknown): [string, unknown][] => (isRecord(given) ? Object.entries(given) : []);
const namesIn = (given: unknown): string[] =>
  Array.isArray(given) ? given.filter((name) => typeof name === 'string') : [];

function requireAll(value: Members, names: unknown, at: At, because = ''): void {
  for (const name of namesIn(names)) {
    at.check.work.spend(1);
    if (!Object.hasOwn(value, name)) at.wrong(`${name} is required${because}`);
  }
}

/** If a key is present, requires other keys, or that the whole object fits a schema. */
const dependencies = object((value, given, at) => {
  for (const [key, dependency] of entriesOf(given)) {
    at.check.work.spend(1);
    if (!Object.hasOwn(value, key)) continue;
    if (Array.isArray(dependency)) requireAll(value, dependency, at, ` when there is ${key}`);
    else at.take(at.alike(dependency));
  }
});

/** A keyword that limits the number of keys. */
const count = (words: string, isWithin: (count: number, bound: number) => boolean): Keyword =>
  object((value, bound, at) => {
    const { length } = Object.keys(value);
    at.check.work.spend(length);
    if (typeof bound === 'number' && !isWithin(length, bound)) at.wrong(`must have ${words} ${bound} keys`);
  });

/**
 * Whether a key matches one of the expressions. An expression that cannot be run counts as matching, so that nothing refuses the
 * key.
 */
const isOfPattern = (key: string, { schema, check }: At): boolean =>
  entriesOf(schema.patternProperties).some(([pattern]) => check.matches(pattern, key) !== false);

/** Keywords for objects. */
export const ofObjects: readonly (readonly [string, Keyword])[] = [
  ['required', object(requireAll)],
  ['minProperties', count('at least', (length, least) => length >= least)],
  ['maxProperties', count('at most', (length, most) => length <= most)],
  ['dependentRequired', dependencies],
  ['dependentSchemas', dependencies],
  ['dependencies', dependencies],
  [
    'propertyNames',
    object((value, schema, at) => {
      for (const key of Object.keys(value)) {
        const { mistakes } = at.member(schema, key, key);
        if (mistakes.length > 0) at.wrong(`the key ${key.slice(0, 100)} ${mistakes[0]?.message}`);
      }
    }),
  ],
  [
    'properties',
    object((value, given, at) => {
      for (const [key, schema] of entriesOf(given)) {
        at.check.work.spend(1);
        if (Object.hasOwn(value, key)) at.takeMember(schema, key, value[key]);
      }
    }),
  ],
  [
    'patternProperties',
    object((value, given, at) => {
      for (const [pattern, schema] of entriesOf(given))
        for (const key of Object.keys(value))
          if (at.check.matches(pattern, key)) at.takeMember(schema, key, value[key]);
    }),
  ],
  [
    'additionalProperties',
    object((value, schema, at) => {
      const declared = isRecord(at.schema.properties) ? at.schema.properties : {};
      for (const [key, inner] of Object.entries(value)) {
        at.check.work.spend(1);
        if (!Object.hasOwn(declared, key) && !isOfPattern(key, at)) unless(schema, key, inner, at);
      }
    }),
  ],
  [
    'unevaluatedProperties',
    object((value, schema, at) => {
      for (const [key, inner] of Object.entries(value)) if (!at.seen.has(key)) unless(schema, key, inner, at);
    }),
  ],
];

/** A key that no other keyword covers. If it is not allowed, the sentence names it: the model has to leave it out. */
function unless(schema: unknown, key: string, value: unknown, at: At): void {
  if (schema === false) at.wrong(`does not know the key ${key.slice(0, 100)}`);
  else at.takeMember(schema, key, value);
}
