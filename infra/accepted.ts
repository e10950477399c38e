/**
 * Accepts the cdk-nag findings that every Steploop has and that we keep, at the place where they occur, so that a user's own app
 * is clean. It imports nothing of cdk-nag: acknowledgments are a feature of the CDK.
 */

import { Stack, Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** Accepts a finding in `scope` and everything below it. */
export function accept(scope: IConstruct, rule: string, reason: string): void {
  Validations.of(scope).acknowledge({ id: `AwsSolutions-${rule}`, reason });
}

/** Accepts the wildcard resources of these statements. */
export function acceptWildcards(
  scope: IConstruct,
  statements: readonly PolicyStatement[],
  reason: string,
): void {
  const resources = statements
    .flatMap((statement) => statement.resources)
    .map((resource) => shown(Stack.of(scope).resolve(resource)));
  for (const resource of resources) {
    if (resource.includes('*')) accept(scope, `IAM5[Resource::${resource}]`, reason);
  }
}

/** A resolved value, as cdk-nag writes it in the id of a finding. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, argument] = []] = Object.entries(value);
  if (name === 'Ref') return `<${argument}>`;
  if (name === 'Fn::GetAtt') return `<${argument.join('.')}>`;
  if (name === 'Fn::Join') return argument[1].map(shown).join(argument[0]);
  return JSON.stringify(value);
}
