/** The environment that a function gets from the definition: settings, secrets, model servers; and the permission to read the secrets. */

import { Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { env } from '../shared/contract/env.ts';
import type { SecretReader } from '../shared/contract/facts.ts';
import type { Ground } from './ground.ts';
import { askBedrock, readSecret } from './permissions.ts';

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
  const stack = Stack.of(secrets);
  const forTools = { SECRETS: stack.toJsonString(arns), SETTINGS: stack.toJsonString(settings) };
  const environment = {
    step: { ...forTools, MODEL_URLS: stack.toJsonString(modelUrls) },
    tool: forTools,
    hooks: { SECRETS: forTools.SECRETS },
    channels: { SECRETS: forTools.SECRETS },
    deliver: forTools,
  };
  const may = read.map(([, secret]) => readSecret(secret));
  const asked = reader === 'step' ? facts.bedrockModels : [];
  return {
    environment: environment[reader],
    may: asked.length > 0 ? [...may, askBedrock(secrets, asked)] : may,
  };
}
