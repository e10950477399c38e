/** Says at synthesis that a function's environment variables are too large. A failing deploy would not say which function, or why. */

import { CfnResource, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { filled, type Known } from './filled.ts';

/** Bytes of all variables of a function, written as JSON (Lambda's developer guide, "Lambda quotas"). */
const MOST_BYTES = 4_096;

/** Checks the variables of a function when its stack is synthesized, since the names in them are not known before. */
export function mindVariables(scope: Construct, functionName: string, variables: object): void {
  scope.node.addValidation({
    validate() {
      const stack = Stack.of(scope);
      const bytes = Buffer.byteLength(JSON.stringify(filled(stack.resolve(variables), knownOf(stack))));
      return bytes <= MOST_BYTES
        ? []
        : [
            `The environment variables of the function ${functionName} have about ${bytes} bytes, and Lambda takes 4 KB (${MOST_BYTES}). Put several values into one secret, or read large settings from a bucket.`,
          ];
    },
  });
}

function knownOf(stack: Stack): Known {
  const types = new Map(
    stack.node
      .findAll()
      .filter((one) => CfnResource.isCfnResource(one))
      .map((one) => [stack.resolve(one.logicalId), one.cfnResourceType]),
  );
  const { stackName } = stack;
  return {
    stackName: Token.isUnresolved(stackName) ? 's'.repeat(64) : stackName,
    typeOf: (id) => types.get(id),
  };
}
