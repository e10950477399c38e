/** The parts of Secrets Manager that write and delete secrets: see `secrets-manager.ts`. */
export {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-secrets-manager';
