/** What is used of Secrets Manager to keep and drop secrets: see `secrets-manager.ts`. */
export {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-secrets-manager';
