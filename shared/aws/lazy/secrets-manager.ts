/** What is used of Secrets Manager, in one module: a dynamic import of the package itself would keep all of it. */
export { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
