/**
 * Synthesized stacks with queries for tests. Functions are not bundled, since the template does not depend on their
 * code.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type FunctionName, functionNames } from '../../infra/bundle.ts';
import type { SteploopProps } from '../../infra/props.ts';
import { Steploop } from '../../infra/steploop.ts';
import type { TemplateEntry } from '../../shared/contract/outputs.ts';

/** One statement of a policy, with its one-or-many fields as lists. */
export interface Statement {
  effect: string;
  actions: string[];
  resources: unknown[];
  conditions?: unknown;
}

export const functionsByName = [...functionNames];

/**
 * An app that bundles nothing, as for `cdk ls`. Without a folder it would create one in the working directory. The CDK's
 * own validation of templates is off: it takes half of a synthesis, and only prints warnings.
 */
export const quickApp = () =>
  new App({
    outdir: mkdtempSync(join(tmpdir(), 'steploop-app-')),
    treeMetadata: false,
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:bundling-stacks': [], '@aws-cdk/aws-iam:minimizePolicies': true },
  });

/**
 * A stack with one Steploop called Agents, by default with the tests' definition. Tests that ask for the same plain props
 * get the same stack, so none may change it.
 *
 * @param more what a test adds to the stack, which is then its own
 */
export function synthesized(
  props: Partial<SteploopProps> = {},
  more?: (agents: Steploop) => void,
): Synthesized {
  if (more || !isPlain(props)) return synthesize(props, more);
  const asked = JSON.stringify([props, process.env.CDK_CONTEXT_JSON]);
  const stack = known.get(asked) ?? synthesize(props);
  known.set(asked, stack);
  return stack;
}

const known = new Map<string, Synthesized>();

/** Whether JSON says everything about a value. */
const isPlain = (value: unknown): boolean =>
  typeof value !== 'object' || value === null
    ? typeof value !== 'function' &&
      value !== undefined &&
      (typeof value !== 'number' || Number.isFinite(value))
    : [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value)) &&
      Object.values(value).every(isPlain);

function synthesize(props: Partial<SteploopProps>, more?: (agents: Steploop) => void) {
  const app = quickApp();
  const stack = new Stack(app, 'Test');
  const agents = new Steploop(stack, 'Agents', { definition: 'test/support/agents/index.ts', ...props });
  more?.(agents);
  return ask(app, stack, agents);
}

/** Queries on a synthesized stack and the Steploop in it. */
export function ask(app: App, stack: Stack, agents: Steploop) {
  const template = Template.fromStack(stack);
  const entry: TemplateEntry = template.toJSON().Metadata.Steploop[agents.node.path];

  const resources = (type: string) => Object.entries(template.findResources(type));

  /** Logical id and properties of a function. */
  function fn(name: FunctionName) {
    const id = entry.functions[name] ?? '';
    const found = template.findResources('AWS::Lambda::Function')[id];
    if (!found) throw new Error(`no function ${name} in the template`);
    return { id, properties: found.Properties };
  }

  /** Everything that a function's role allows or denies. */
  function statements(name: FunctionName): Statement[] {
    const role = fn(name).properties.Role['Fn::GetAtt'][0];
    return resources('AWS::IAM::Policy')
      .filter(([, policy]) => policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
      .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement)
      .map((statement) => ({
        effect: statement.Effect,
        actions: [statement.Action].flat(),
        resources: [statement.Resource].flat(),
        conditions: statement.Condition,
      }));
  }

  /** The resources on which a function may perform this action. */
  const mayDo = (name: FunctionName, action: string) =>
    statements(name).flatMap(({ actions, resources }) => (actions.includes(action) ? resources : []));

  /** The only resource of its type whose logical id has this start after the construct's own. */
  function idOf(type: string, start: string): string {
    const ids = resources(type).flatMap(([id]) => (id.startsWith(`${agents.node.id}${start}`) ? [id] : []));
    if (ids.length !== 1) throw new Error(`${ids.length} resources of type ${type} start with ${start}`);
    return String(ids[0]);
  }

  return { app, agents, entry, template, resources, fn, statements, mayDo, idOf };
}

export type Synthesized = ReturnType<typeof ask>;
