import { REGION } from '../identity.ts';
import type { Compute } from './compute.ts';

/** Addresses of the emulated services for functions: URLs, through the wire if there is one. */
export interface Endpoints {
  dynamodb: string;
  sqs: string;
  s3: string;
  secretsManager: string;
  kms: string;
}

/**
 * The whole process environment of one execution environment. It contains nothing of the parent's, so the user's own AWS
 * credentials and API keys cannot leak into a function. Names: Lambda's "defined runtime environment variables" and the SDKs'
 * service endpoint variables. TZ has no effect in a worker thread.
 */
export function functionVariables(
  settings: {
    name: string;
    memoryMb: number;
    handler: string;
    directory: string;
    variables: Record<string, string>;
    accessKey: string;
    compute: Compute;
  },
  endpoints: Endpoints,
): Record<string, string> {
  return {
    ...settings.variables,
    _HANDLER: settings.handler,
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: settings.accessKey,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'local',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: settings.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMb),
    ...initializationOf(settings.compute),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${settings.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: settings.directory,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
  };
}

/** Tells a function whether it has an environment to itself, as the runtime does. */
function initializationOf(compute: Compute): Record<string, string> {
  switch (compute.kind) {
    case 'lambda':
      return { AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
    case 'managed':
      return {
        AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances',
        AWS_LAMBDA_MAX_CONCURRENCY: String(compute.concurrency),
      };
  }
}
