/**
 * What cdk-nag finds in every Steploop and we keep, acknowledged where it is found, so that a user's own app is clean. Of
 * cdk-nag nothing is imported: acknowledgments are the CDK's.
 */

import { Stack, Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** Accepts a finding in `scope` and all that is in it. */
export function accept(scope: IConstruct, rule: string, reason: string): void {
  Validations.of(scope).acknowledge({ id: `AwsSolutions-${rule}`, reason });
}

/** Accepts the resources of these statements that are not named to the end. */
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

/** A resolved value as cdk-nag writes it in the id of a finding. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, argument] = []] = Object.entries(value);
  if (name === 'Ref') return `<${argument}>`;
  if (name === 'Fn::GetAtt') return `<${argument.join('.')}>`;
  if (name === 'Fn::Join') return argument[1].map(shown).join(argument[0]);
  return JSON.stringify(value);
}
