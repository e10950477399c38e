import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Secrets } from '../edge/secrets.ts';
import { asSecret, fromSecret } from '../slack/bot-token.ts';
import type { SlackTokens } from '../slack/store.ts';

/**
 * Names of the secrets start with this prefix, and the role that writes them may touch no others (`infra/slack.ts`).
 */
export interface SlackTokensOptions {
  readonly prefix: string;
  /** ARN of the key that encrypts new secrets; absent: that of Secrets Manager. */
  readonly key?: string | undefined;
  readonly secrets: Secrets;
  readonly client: () => Promise<SecretsManagerClient>;
}

/** Bot tokens in Secrets Manager: `<prefix><team>`. */
export function createSlackTokens({ prefix, key, secrets, client }: SlackTokensOptions): SlackTokens {
  return {
    async put(team, token) {
      const { CreateSecretCommand, PutSecretValueCommand, ResourceNotFoundException } = await import(
        './secrets-writer.ts'
      );
      const secretsManager = await client();
      const name = `${prefix}${team}`;
      const SecretString = asSecret(token);
      try {
        await secretsManager.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
        const Description = `Token of the Slack bot in ${team}.`;
        await secretsManager.send(
          new CreateSecretCommand({ Name: name, Description, SecretString, ...(key && { KmsKeyId: key }) }),
        );
      }
      await secrets.refresh(name);
      return name;
    },

    get: async (secretId, fresh = false) =>
      fromSecret(await (fresh ? secrets.refresh(secretId) : secrets.get(secretId))),

    async remove(secretId) {
      const { DeleteSecretCommand, ResourceNotFoundException } = await import('./secrets-writer.ts');
      const secretsManager = await client();
      try {
        // Deleted at once: a revoked token is of no use, and its name must be free for the next installation.
        const command = new DeleteSecretCommand({ SecretId: secretId, ForceDeleteWithoutRecovery: true });
        await secretsManager.send(command);
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}
