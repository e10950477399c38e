/** The outputs of a template, and a description in its metadata, for people and programs. */

import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { CfnElement } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import type { DeploymentFacts } from '../shared/contract/facts.ts';
import { outputs as descriptions, type Output, type TemplateEntry } from '../shared/contract/outputs.ts';

export type OutputValues = Readonly<Record<Output, string | undefined>>;

/** Adds an output for each defined value, and returns those. Their logical ids are the construct's own followed by the name. */
export function writeOutputs(scope: Construct, values: OutputValues): Partial<Record<Output, string>> {
  const there = Object.entries(values).filter(([, value]) => value !== undefined) as [Output, string][];
  for (const [name, value] of there) {
    const made = new CfnOutput(scope, name, { value, description: descriptions[name] });
    made.overrideLogicalId(idOfOutput(scope, name));
  }
  return Object.fromEntries(there);
}

/** Adds an output for each secret that the definition declares, with the place for its value. */
export function writeSecretOutputs(scope: Construct, secrets: Readonly<Record<string, ISecret>>): void {
  for (const [name, { secretArn: value }] of Object.entries(secrets)) {
    const id = `Secret${name.toLowerCase().replaceAll(/(?:^|_)+(.)/g, (_, letter: string) => letter.toUpperCase())}`;
    const made = new CfnOutput(scope, id, { value, description: `The secret ${name} of the definition.` });
    made.overrideLogicalId(idOfOutput(scope, id));
  }
}

/** Without the hash that the CDK adds, because people read and type it. The CDK refuses duplicates. */
function idOfOutput(scope: Construct, name: string): string {
  const stack = Stack.of(scope);
  const above = scope.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
  return [...above.filter((id) => id !== 'Default'), name].join('').replaceAll(/[^A-Za-z0-9]/g, '');
}

export interface Described {
  readonly definition: string;
  readonly facts: DeploymentFacts;
  readonly outputs: Partial<Record<Output, string>>;
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly secrets: Readonly<Record<string, ISecret>>;
}

/** Adds the construct to `Metadata.Steploop` of its template. */
export function describeInTemplate(scope: Construct, described: Described): void {
  const { definition, facts, outputs, functions, secrets } = described;
  const names = Object.keys(outputs) as Output[];
  const entry: TemplateEntry = {
    definition,
    facts,
    outputs: Object.fromEntries(names.map((name) => [name, idOfOutput(scope, name)])),
    functions: logicalIds(functions),
    secrets: logicalIds(secrets),
  };
  const { templateOptions } = Stack.of(scope);
  const known = templateOptions.metadata ?? {};
  templateOptions.metadata = { ...known, Steploop: { ...known.Steploop, [scope.node.path]: entry } };
}

const logicalIds = (constructs: Readonly<Record<string, IConstruct>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(constructs).map(([name, { node }]) => [name, (node.defaultChild as CfnElement).logicalId]),
  );
