/** What a function needs of what the definition declares: settings, secrets, model servers; and the permission to read the secrets. */

import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { env } from '../shared/contract/env.ts';
import type { SecretReader } from '../shared/contract/facts.ts';
import type { Ground } from './ground.ts';
import { readSecret } from './permissions.ts';

export interface Needs {
  environment: Partial<Record<keyof typeof env, string>>;
  may: PolicyStatement[];
}

export function declaredFor(reader: SecretReader, { config, secrets }: Ground): Needs {
  const { facts, settings, modelUrls } = config;
  const arn = (name: string) => String(secrets.declared[name]?.secretArn);
  const url = (server: string) => modelUrls[server] ?? String(facts.models[server]?.baseUrl);
  const tools = {
    GITHUB_API_URL: settings.GITHUB_API_URL ?? String(facts.settings.GITHUB_API_URL?.default),
    GITHUB_TOKEN_SECRET_ID: arn('GITHUB_TOKEN'),
  };
  const environment = {
    step: {
      ...tools,
      MODEL_KEY_SECRET_ID: arn('MODEL_KEY'),
      MODEL_BASE_URL: url('primary'),
      MODEL_AUTH: 'bearer',
      SECOND_MODEL_KEY_SECRET_ID: arn('SECOND_MODEL_KEY'),
      SECOND_MODEL_BASE_URL: url('secondary'),
      SECOND_MODEL_AUTH: 'bearer',
    },
    tool: tools,
    hooks: {
      GITHUB_WEBHOOK_SECRET_ID: arn('GITHUB_WEBHOOK_SECRET'),
      WEBHOOK_SECRETS_ID: arn('WEBHOOK_SECRETS'),
    },
  };
  return {
    environment: environment[reader],
    may: facts.secretsOf[reader].flatMap((name) => secrets.declared[name] ?? []).map(readSecret),
  };
}
