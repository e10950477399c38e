/** Says at synthesis that a function's environment variables are too large. A failing deploy would not say which function, or why. */

import { CfnResource, Stack, Token } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { filled, type Known } from './filled.ts';
import type { Handler } from './handler.ts';

/** Bytes of all variables of a function, written as JSON (Lambda's developer guide, "Lambda quotas"). */
const MOST_BYTES = 4_096;

/**
 * Checks the variables of functions when their stack is synthesized: before, the names in them are not known, and variables may
 * still be added.
 */
export function mindVariables(scope: Construct, handlers: readonly Handler[]): void {
  scope.node.addValidation({
    validate() {
      const stack = Stack.of(scope);
      const known = knownOf(stack);
      return handlers.flatMap(({ fn, node }) => {
        const { environment } = fn.node.defaultChild as CfnFunction;
        const { variables = {} } = stack.resolve(environment) ?? {};
        const bytes = Buffer.byteLength(JSON.stringify(filled(variables, known)));
        return bytes <= MOST_BYTES
          ? []
          : [
              `The environment variables of the function ${node.id} have about ${bytes} bytes, and Lambda takes 4 KB (${MOST_BYTES}). Put several values into one secret, or read large settings from a bucket.`,
            ];
      });
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
