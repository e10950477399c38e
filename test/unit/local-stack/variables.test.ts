import { expect, test } from 'vitest';
import { checkVariables, withVariables } from '../../../local/stack/template/variables.ts';

const resources = {
  Step: {
    Type: 'AWS::Lambda::Function',
    Properties: { Environment: { Variables: { LEASE: '60', TABLE: { Ref: 'Table' } } } },
  },
  Bare: { Type: 'AWS::Lambda::Function', Properties: { Handler: 'index.handler' } },
  Table: { Type: 'AWS::DynamoDB::Table', Properties: { Environment: { Variables: { OTHER: 'no' } } } },
};

test('a variable that no function has is refused with the list of existing ones', () => {
  checkVariables(resources, { LEASE: '5', TABLE: 'mine' });
  expect(() => checkVariables(resources, { LEASE: '5', LEASES: '5', OTHER: 'x' })).toThrow(
    'no function of the template has the environment variable LEASES, OTHER; they have: LEASE, TABLE',
  );
  expect(() => checkVariables({}, { LEASE: '5' })).toThrow('they have: none');
});

test('a value replaces the existing one, or is computed from it; a variable that a function lacks is not added', () => {
  const given = { LEASE: '5', SETTINGS: (current: string) => `${current}+`, MORE: 'x' };
  expect(withVariables({ LEASE: '60', SETTINGS: '{}', TABLE: 't' }, given)).toEqual({
    LEASE: '5',
    SETTINGS: '{}+',
    TABLE: 't',
  });
});
