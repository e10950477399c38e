/**
 * The parts of Secrets Manager that are used, in one module: a dynamic import of the package itself would bundle all of
 * it.
 */
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
