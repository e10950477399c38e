import { expect, test } from 'vitest';
import { withConditions } from '../../../local/stack/template/conditions.ts';
import type { Json, Template } from '../../../local/stack/template/types.ts';

const equals = (name: string, value: string): Json => ({ 'Fn::Equals': [{ Ref: name }, value] });
const not = (condition: Json): Json => ({ 'Fn::Not': [condition] });

const template = (conditions: Record<string, Json>): Template => ({
  Conditions: conditions,
  Resources: {
    Always: {
      Type: 'T',
      Properties: {
        list: [{ 'Fn::If': ['Given', { Ref: 'Mail' }, { Ref: 'AWS::NoValue' }] }],
        policy: { Condition: { Bool: { x: 'y' } } },
      },
    },
    Sometimes: { Type: 'T', Condition: 'Given', Properties: {} },
  },
  Outputs: { Where: { Value: { 'Fn::If': ['Given', 'there', 'here'] } } },
});

const given = { Given: not(equals('Mail', '')) };

test('an If keeps the branch that holds, and a resource whose condition holds stays', () => {
  const decided = withConditions(template(given), { Mail: 'a@b' });
  expect(decided.Resources.Always?.Properties).toEqual({
    list: [{ Ref: 'Mail' }],
    policy: { Condition: { Bool: { x: 'y' } } },
  });
  expect(decided.Resources.Sometimes).toEqual({ Type: 'T', Properties: {} });
  expect(decided.Outputs).toEqual({ Where: { Value: 'there' } });
});

test('a resource whose condition does not hold is removed', () => {
  const decided = withConditions(template(given), { Mail: '' });
  expect(Object.keys(decided.Resources)).toEqual(['Always']);
  expect(decided.Resources.Always?.Properties?.list).toEqual([{ Ref: 'AWS::NoValue' }]);
  expect(decided.Outputs).toEqual({ Where: { Value: 'here' } });
});

test.each<[string, Json, boolean]>([
  ['and', { 'Fn::And': [equals('A', '1'), equals('B', '1')] }, false],
  ['or', { 'Fn::Or': [equals('A', '1'), equals('B', '1')] }, true],
  ['another condition', not({ Condition: 'IsA' }), false],
])('conditions may combine others: %s', (_what, condition, holds) => {
  const conditions = { Given: condition, IsA: equals('A', '1') };
  const { Resources } = withConditions(template(conditions), { A: '1', B: '2', Mail: 'x' });
  expect('Sometimes' in Resources).toBe(holds);
});

test.each<[string, Json, string]>([
  ['one of an unknown kind', { 'Fn::Join': ['', []] }, 'no condition'],
  ['one that compares an attribute', { 'Fn::Equals': [{ 'Fn::GetAtt': ['A', 'B'] }, ''] }, 'not a parameter'],
  ['an undeclared one', { Condition: 'Nope' }, 'no condition Nope'],
])('%s is refused', (_what, condition, message) => {
  expect(() => withConditions(template({ Given: condition }), {})).toThrow(message);
});
