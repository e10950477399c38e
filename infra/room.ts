/** Says at synthesis that a stack has too many resources, and what to do. CDK's own error only counts them. */

import { CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';

/** Resources that CloudFormation takes in one stack. */
const MOST_RESOURCES = 500;
/** The key of CDK's context with another limit; 0 = none. */
const OTHER_LIMIT = '@aws-cdk/core:stackResourceLimit';

/** Checks the whole stack when it is synthesized, since others add resources to it after this construct. */
export function mindRoom(scope: Construct, { lanes, alarms }: Pick<Config, 'lanes' | 'alarms'>): void {
  const most = Number(scope.node.tryGetContext(OTHER_LIMIT) ?? MOST_RESOURCES);
  scope.node.addValidation({
    validate() {
      const count = resourcesOf(Stack.of(scope));
      return most === 0 || count <= most
        ? []
        : [tooMany(count - most, count, most, lanes.consumes, alarms === false ? 3 : 4)];
    },
  });
}

/**
 * One sentence.
 *
 * @param ofLane a lane's resources: its queue, the policy of that, its mapping, and its alarm if there are alarms
 */
function tooMany(over: number, count: number, most: number, lanes: number, ofLane: number): string {
  const fewer = lanes - Math.ceil(over / ofLane);
  const would = `the stack would have ${count} resources, and CloudFormation takes ${most}`;
  const move = 'move resources that are not of Steploop to a stack of their own';
  return fewer >= 1 && lanes > 1
    ? `lanes: ${would}; ${fewer} lanes instead of ${lanes} fit, or ${move}`
    : `${would}: ${move}`;
}

/** As CDK counts: resources that the template has, without those that leave themselves out. */
const resourcesOf = (stack: Stack): number =>
  stack.node.findAll().filter(
    // biome-ignore lint/complexity/useLiteralKeys: it is protected, and only this says what a template will have
    (one) => CfnResource.isCfnResource(one) && Stack.of(one) === stack && one['shouldSynthesize'](),
  ).length;
