import { createRequire } from 'node:module';
import { describe, expect, test, vi } from 'vitest';
import { remembering } from '../../../local/stack/services/remember-expressions.ts';

const require = createRequire(import.meta.url);
const engine = require('dynalite/db');

type Kind = 'condition' | 'update' | 'projection';
type Names = Record<string, string>;
type Values = Record<string, Record<string, unknown>>;

/** dynalite's parser, and a caching one that counts the calls of the original. */
function parsers(kind: Kind) {
  const { parse }: { parse: ReturnType<typeof remembering> } = require(`dynalite/db/${kind}Parser`);
  const asked = vi.fn(parse);
  return { plain: parse, remembers: remembering(asked), asked };
}

/** The result of dynalite for an expression: its meaning or error, and the names that no expression has used. */
function outcome(parse: ReturnType<typeof remembering>, text: string, attrNames?: Names, attrVals?: Values) {
  const unusedAttrNames = { ...attrNames };
  const unusedAttrVals = { ...attrVals };
  const isReserved = (word: string) => word.toLowerCase() === 'name';
  const context = {
    ...(attrNames && { attrNames }),
    ...(attrVals && { attrVals }),
    unusedAttrNames,
    unusedAttrVals,
    isReserved,
    compare: engine.compare,
  };
  try {
    const meaning = parse(text, { context });
    // An error is returned before the unused names are checked.
    return typeof meaning === 'string' ? meaning : { meaning, unusedAttrNames, unusedAttrVals };
  } catch (error) {
    return String(error);
  }
}

const S = (text: string) => ({ S: text });
const N = (number: number) => ({ N: String(number) });

const cases: [Kind, string, Names | undefined, ...Values[]][] = [
  [
    'condition',
    'attribute_not_exists(pk) OR (stepNo = :n AND #o.lease[2] <> :l)',
    { '#o': 'owner' },
    ...pairs(),
  ],
  ['condition', 'pk = :p AND sk BETWEEN :a AND :b', undefined, ...bounds()],
  ['condition', 'a IN (:p, :p) AND NOT size(b) > :b', undefined, { ':p': S('x'), ':b': N(1) }],
  ['condition', 'begins_with(sk, :p)', undefined, { ':p': S('x') }, { ':p': N(1) }, { ':p': S('y') }],
  ['condition', 'attribute_type(a, :t)', undefined, { ':t': S('S') }, { ':t': S('T') }],
  ['condition', 'a = :here', undefined, { ':here': S('x'), ':more': N(1) }, { ':there': S('y') }],
  ['condition', 'name = :p', undefined, { ':p': S('x') }],
  ['condition', 'a = ', undefined, { ':p': S('x') }],
  [
    'update',
    'SET #a.b = if_not_exists(#a.b, :zero) + :one, c = list_append(c, :l) REMOVE d ADD e :one',
    { '#a': 'alpha', '#never': 'used' },
    { ':zero': N(0), ':one': N(1), ':l': { L: [S('x')] } },
    { ':zero': N(5), ':one': N(2), ':l': { L: [N(1), S('y')] } },
    { ':zero': N(5), ':one': S('2'), ':l': { L: [] } },
  ],
  ['update', 'SET a = :a, a.b = :a', undefined, { ':a': S('x') }],
  ['projection', '#a.b, c[1]', { '#a': 'alpha' }, {}],
];

function pairs(): Values[] {
  return [
    { ':n': N(1), ':l': S('one') },
    { ':n': N(2), ':l': S('two') },
  ];
}

function bounds(): Values[] {
  const between = (a: string, b: string) => ({ ':p': S('session'), ':a': S(a), ':b': S(b) });
  return [between('1', '2'), between('3', '1'), between('4', '5')];
}

describe('a caching parser', () => {
  test.each(cases)('returns the same as dynalite: %s %s', (kind, text, names, ...requests) => {
    const { plain, remembers } = parsers(kind);
    for (const values of [...requests, ...requests]) {
      const expected = outcome(plain, text, names, values);
      expect(outcome(remembers, text, names, values)).toEqual(expected);
    }
  });

  test('parses an expression once for all values of the same types', () => {
    const { remembers, asked } = parsers('condition');
    for (const [a, b] of ['12', '34', '56']) {
      outcome(remembers, 'sk BETWEEN :a AND :b', undefined, { ':a': S(a ?? ''), ':b': S(b ?? '') });
    }
    expect(asked).toHaveBeenCalledTimes(1);
    outcome(remembers, 'sk BETWEEN :a AND :b', undefined, { ':a': N(1), ':b': N(2) });
    expect(asked).toHaveBeenCalledTimes(2);
  });

  test('treats other names as another expression', () => {
    const { plain, remembers } = parsers('update');
    for (const name of ['one', 'two']) {
      const args = ['SET #a = :v', { '#a': name }, { ':v': S('x') }] as const;
      expect(outcome(remembers, ...args)).toEqual(outcome(plain, ...args));
    }
  });

  test('gives each request a copy that it may change', () => {
    const { plain, remembers } = parsers('update');
    const args = ['SET a = :v', undefined, { ':v': S('x') }] as const;
    for (let n = 0; n < 3; n++) {
      const { meaning } = outcome(remembers, ...args) as { meaning: { sections: { val: unknown }[] } };
      for (const section of meaning.sections) section.val = 'changed';
    }
    expect(outcome(remembers, ...args)).toEqual(outcome(plain, ...args));
  });
});
