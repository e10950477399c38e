import { type Statement, statementsOf } from '../iam/policy.ts';
import { globalArn, physicalName } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, list, optionalText, texts } from '../template/properties.ts';
import { isObject } from '../template/types.ts';

/** AWS's managed policies that allow nothing which is emulated here: logs, traces, network interfaces, instances. */
const WITHOUT_EFFECT =
  /:iam::aws:policy\/(?:service-role\/AWSLambda(?:BasicExecution|VPCAccessExecution)Role|AWSXRayDaemonWriteAccess|CloudWatchLambdaInsightsExecutionRolePolicy|AWSLambdaManagedEC2ResourceOperator)$/;

/**
 * AWS::IAM::Role, with its inline policies. Throws for AWS's managed policies that allow calls to emulated services: their
 * statements are not known. Not evaluated: who may assume it, permissions boundaries.
 */
export function createRole(item: Declared, site: Site): Created {
  const name = optionalText(item, 'RoleName') ?? physicalName(site.stackName, item.id, 64);
  for (const arn of texts(item, 'ManagedPolicyArns')) {
    const known = site.managedPolicies.get(arn);
    if (!known && !WITHOUT_EFFECT.test(arn))
      throw new Error(`the policy ${arn} is not known here: write its statements out`);
    site.access.allow(name, known ?? []);
  }
  const inline = list(item, 'Policies').flatMap((policy) =>
    isObject(policy) ? statementsOf(policy.PolicyDocument) : [],
  );
  site.access.allow(name, inline);
  return { ref: name, attributes: { Arn: globalArn('iam', `role/${name}`), RoleId: name } };
}

/** AWS::IAM::Policy, which CDK's grants produce. */
export function createPolicy(item: Declared, site: Site): Created {
  const statements = grantTo(item, site);
  const name = optionalText(item, 'PolicyName') ?? physicalName(site.stackName, item.id, 128);
  return { ref: name, attributes: { Id: `${name}-${statements.length}` } };
}

/** AWS::IAM::ManagedPolicy. `Ref` is its ARN. */
export function createManagedPolicy(item: Declared, site: Site): Created {
  const name = optionalText(item, 'ManagedPolicyName') ?? physicalName(site.stackName, item.id, 128);
  const arn = globalArn('iam', `policy/${name}`);
  site.managedPolicies.set(arn, grantTo(item, site));
  return { ref: arn, attributes: { Arn: arn } };
}

function grantTo(item: Declared, site: Site): Statement[] {
  const statements = statementsOf(item.properties.PolicyDocument);
  for (const role of texts(item, 'Roles')) site.access.allow(role, statements);
  return statements;
}
