import { expect, test } from 'vitest';
import type { Json } from '../../../local/stack/template/types.ts';
import { withVariables } from '../../../local/stack/template/variables.ts';

const lambda = (Variables: Record<string, Json>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Handler: 'index.handler', Environment: { Variables } },
});
const resources = {
  Step: lambda({ LEASE: '60', TABLE: { Ref: 'Table' } }),
  Http: lambda({ TABLE: { Ref: 'Table' } }),
  Bare: { Type: 'AWS::Lambda::Function', Properties: { Handler: 'index.handler' } },
  Table: { Type: 'AWS::DynamoDB::Table', Properties: { Environment: { Variables: { LEASE: 'no' } } } },
};

test('a variable is changed in the functions that have it, and nowhere else', () => {
  expect(withVariables(resources, { LEASE: '5', TABLE: 'mine' })).toEqual({
    ...resources,
    Step: lambda({ LEASE: '5', TABLE: 'mine' }),
    Http: lambda({ TABLE: 'mine' }),
  });
});

test('a variable that no function has is refused with those that there are', () => {
  expect(() => withVariables(resources, { LEASES: '5' })).toThrow(
    'no function of the template has the environment variable LEASES; they have: LEASE, TABLE',
  );
  expect(() => withVariables({}, { LEASE: '5' })).toThrow('they have: none');
});
