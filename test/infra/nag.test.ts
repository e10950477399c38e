import { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import type { SteploopProps } from '../../infra/props.ts';
import { Steploop } from '../../infra/steploop.ts';
import { quickApp } from './synthesized.fixture.ts';
import { variants } from './variants.fixture.ts';

/** The findings of cdk-nag in a user's app with these props. */
function findings(props: (scope: Stack) => Partial<SteploopProps>, where = {}): string[] {
  const app = quickApp();
  const stack = new Stack(app, 'Somebody', where);
  new Steploop(stack, 'Agents', { definition: 'steploop.config.ts', ...props(stack) });
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  return violations.map(({ ruleName, violatingResources: [first] }) => `${ruleName} ${first?.constructPath}`);
}

test.each(variants)('cdk-nag finds nothing in the app of a user: %s', (_, props, where) => {
  expect(findings(props, where)).toEqual([]);
});

test('cdk-nag still finds what a user adds', () => {
  const app = quickApp();
  const stack = new Stack(app, 'Somebody');
  new Steploop(stack, 'Agents', { definition: 'steploop.config.ts' });
  new Topic(stack, 'Open');
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  expect(violations.map(({ ruleName }) => ruleName)).toEqual(['AwsSolutions-SNS3']);
});
