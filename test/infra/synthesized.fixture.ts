/** The synthesized stack, the way a test wants to ask about it. Bundles are stand-ins: the template does not look inside. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { FunctionName } from '../../infra/bundle.ts';
import { addStack, newApp } from '../../infra/synth.ts';

/** One statement of a policy, with its one-or-many fields as lists. */
export interface Statement {
  effect: string;
  actions: string[];
  resources: unknown[];
}

/** Logical ids start like this. */
const prefix: Record<FunctionName, string> = {
  step: 'StepsStepFunction',
  tool: 'ToolsToolFunction',
  'dead-letter': 'StepsDeadLetterFunction',
  sweep: 'SweeperSweepFunction',
  deliver: 'DeliveriesDeliverFunction',
  http: 'HttpApiHttpFunction',
  hooks: 'HttpApiHooksFunction',
  slack: 'SlackAppFunction',
  'slack-jobs': 'SlackJobsFunction',
  socket: 'SocketApiSocketFunction',
  agui: 'AguiFunction',
};

export const functionsByName = Object.keys(prefix) as FunctionName[];

export async function synthesized() {
  const directory = await mkdtemp(join(tmpdir(), 'steploop-infra-'));
  const bundle = join(directory, 'bundle');
  await mkdir(bundle);
  await writeFile(join(bundle, 'index.mjs'), 'export const handler = async () => undefined;\n');
  const bundles = Object.fromEntries(functionsByName.map((name) => [name, bundle]));
  const app = newApp(join(directory, 'out'));
  const stack = addStack(app, bundles as Record<FunctionName, string>);
  const template = Template.fromStack(stack);
  await rm(directory, { recursive: true, force: true });

  const resources = (type: string) => Object.entries(template.findResources(type));

  /** Logical id and properties of a function. */
  function fn(name: FunctionName) {
    const found = resources('AWS::Lambda::Function').find(([id]) => id.startsWith(prefix[name]));
    if (!found) throw new Error(`no function ${name} in the template`);
    return { id: found[0], properties: found[1].Properties };
  }

  /** All that a function's role allows or denies. */
  function statements(name: FunctionName): Statement[] {
    const role = fn(name).properties.Role['Fn::GetAtt'][0];
    return resources('AWS::IAM::Policy')
      .filter(([, policy]) => policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
      .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement)
      .map((statement) => ({
        effect: statement.Effect,
        actions: [statement.Action].flat(),
        resources: [statement.Resource].flat(),
      }));
  }

  /** The resources on which a function may do this. */
  const mayDo = (name: FunctionName, action: string) =>
    statements(name).flatMap(({ actions, resources }) => (actions.includes(action) ? resources : []));

  /** The only resource of its type whose logical id starts like this. */
  function idOf(type: string, start: string): string {
    const ids = resources(type).flatMap(([id]) => (id.startsWith(start) ? [id] : []));
    if (ids.length !== 1) throw new Error(`${ids.length} resources of type ${type} start with ${start}`);
    return String(ids[0]);
  }

  return { app, template, resources, fn, statements, mayDo, idOf };
}

export type Synthesized = Awaited<ReturnType<typeof synthesized>>;
