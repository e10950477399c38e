import { describe, expect, test } from 'vitest';
import { resolve, resolveProperties, type Scope } from '../../../local/stack/template/intrinsics.ts';
import { creationOrder } from '../../../local/stack/template/order.ts';
import { parameterValues } from '../../../local/stack/template/parameters.ts';
import type { Json } from '../../../local/stack/template/types.ts';

const scope: Scope = {
  ref: (name) => (name === 'List' ? ['a', 'b'] : `ref(${name})`),
  attribute: (id, name) => `att(${id},${name})`,
};

describe('intrinsic functions', () => {
  const cases: [string, Json, Json][] = [
    ['plain values pass', { a: [1, true, null, 'x'] }, { a: [1, true, null, 'x'] }],
    ['Ref', { Ref: 'Queue' }, 'ref(Queue)'],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'att(Queue,Arn)'],
    ['GetAtt as a text', { 'Fn::GetAtt': 'Queue.Arn' }, 'att(Queue,Arn)'],
    ['Join with nested calls', { 'Fn::Join': ['-', ['a', { Ref: 'B' }]] }, 'a-ref(B)'],
    ['Join of a list parameter', { 'Fn::Join': [',', { Ref: 'List' }] }, 'a,b'],
    [
      'Sub with references',
      { 'Fn::Sub': '$' + '{A}/$' + '{B.Arn}/$' + '{!C}' },
      'ref(A)/att(B,Arn)/$' + '{C}',
    ],
    ['Sub with variables', { 'Fn::Sub': ['$' + '{X}-$' + '{A}', { X: { Ref: 'Y' } }] }, 'ref(Y)-ref(A)'],
    ['Select and Split', { 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b'] }] }, 'b'],
    [
      'the Condition of an IAM statement is no intrinsic',
      { Condition: { Bool: { x: 'y' } } },
      { Condition: { Bool: { x: 'y' } } },
    ],
  ];
  test.each(cases)('%s', (_name, value, expected) => {
    expect(resolve(value, scope)).toEqual(expected);
  });

  test('NoValue removes the property or list entry that holds it', () => {
    const none = { Ref: 'AWS::NoValue' };
    expect(resolveProperties({ gone: none, kept: [none, 1] }, scope)).toEqual({ kept: [1] });
  });

  test('an unsupported intrinsic is named', () => {
    expect(() => resolve({ 'Fn::ImportValue': 'x' }, scope)).toThrow('Fn::ImportValue is not supported');
  });
});

describe('order of creation', () => {
  test('references, substitutions and DependsOn all come first', () => {
    const order = creationOrder({
      A: { Type: 'T', Properties: { x: { 'Fn::Sub': '$' + '{B.Arn}' } }, DependsOn: ['C'] },
      B: { Type: 'T', Properties: { deep: [{ y: { 'Fn::GetAtt': ['D', 'Arn'] } }] } },
      C: { Type: 'T', Properties: { p: { Ref: 'SomeParameter' } } },
      D: { Type: 'T' },
    });
    expect(order).toEqual(['C', 'D', 'B', 'A']);
  });

  test('a cycle is named', () => {
    expect(() =>
      creationOrder({ A: { Type: 'T', DependsOn: 'B' }, B: { Type: 'T', DependsOn: 'A' } }),
    ).toThrow('A -> B -> A');
  });
});

describe('parameters', () => {
  const declared = {
    Mode: { Type: 'String', AllowedValues: ['a', 'b'] },
    Names: { Type: 'CommaDelimitedList', Default: 'x, y' },
    Count: { Type: 'Number', Default: 3, MinValue: 1, MaxValue: 9 },
    Url: { Type: 'String', Default: 'https://x', AllowedPattern: '^https?://.+' },
  };

  test('given values override defaults, and lists are split', () => {
    expect(parameterValues(declared, { Mode: 'a' })).toEqual({
      Mode: 'a',
      Names: ['x', 'y'],
      Count: '3',
      Url: 'https://x',
    });
  });

  test.each([
    [{}, 'Mode has no default'],
    [{ Mode: 'c' }, 'must be one of a, b'],
    [{ Mode: 'a', Count: '10' }, 'a number from 1 to 9'],
    [{ Mode: 'a', Count: 'many' }, 'a number from 1 to 9'],
    [{ Mode: 'a', Url: 'ftp://x' }, 'like ^https?://.+'],
    [{ Mode: 'a', Mood: 'b' }, 'unknown template parameter Mood'],
  ])('%j is refused', (given, message) => {
    expect(() => parameterValues(declared, given)).toThrow(message);
  });
});
