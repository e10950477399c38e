/** The environment that a function gets from the definition: settings, secrets, model servers; and the permission to read the secrets. */

import { Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { env } from '../shared/contract/env.ts';
import type { SecretReader } from '../shared/contract/facts.ts';
import { WrongDefinition } from './definition/wrong.ts';
import type { Ground } from './ground.ts';
import { readSecret } from './permissions.ts';

export interface Needs {
  environment: Partial<Record<keyof typeof env, string>>;
  may: PolicyStatement[];
}

/**
 * Always all of its variables, empty where the deploy sets no value: the laptop sets others, and it can only set a variable that
 * is in the template.
 */
export function declaredFor(reader: SecretReader, { config, secrets }: Ground): Needs {
  const { facts, settings, modelUrls } = config;
  const read = facts.secretsOf[reader].flatMap((name) => {
    const secret = secrets.declared[name];
    return secret ? [[name, secret] as const] : [];
  });
  const arns = Object.fromEntries(read.map(([name, { secretArn }]) => [name, secretArn]));
  checkSize(reader, Object.keys(arns), reader === 'hooks' ? {} : settings);
  const stack = Stack.of(secrets);
  const forTools = { SECRETS: stack.toJsonString(arns), SETTINGS: stack.toJsonString(settings) };
  const environment = {
    step: { ...forTools, MODEL_URLS: stack.toJsonString(modelUrls) },
    tool: forTools,
    hooks: { SECRETS: forTools.SECRETS },
  };
  return { environment: environment[reader], may: read.map(([, secret]) => readSecret(secret)) };
}

/** Most bytes of all variables of a function together: Lambda's quota. */
const MOST = 4096;
/** Most bytes of the step function's other variables, including names. */
const OTHERS = 1500;
/** Length of an ARN, which is not known yet, without the name in it, for a construct whose path is 15 letters long. */
const ARN = 112;

/** Checks the size here, because a failing deploy would not say which function, or why. */
function checkSize(reader: SecretReader, names: readonly string[], settings: object): void {
  const bytes = names.reduce((sum, name) => sum + 2 * name.length + ARN, 0) + JSON.stringify(settings).length;
  if (bytes <= MOST - OTHERS) return;
  throw new WrongDefinition(
    `The secrets (${names.length}) and settings of the function ${reader} do not fit into Lambda's 4 KB of environment variables. Put several values into one secret, or read large settings from a bucket.`,
  );
}
