import { clients } from '../../shared/aws/clients.ts';
import { createSlackTokens } from '../../shared/aws/slack-tokens.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import { log } from '../../shared/logger.ts';
import type { RenewingOptions, TokenOf } from '../../shared/slack/renewed.ts';
import { optionalEnv, readEnv } from '../middleware/environment.ts';

/** The ports of the functions that post in Slack: the bots' tokens, and a way to get a valid one. */
export function slackTokenPorts(
  { secrets, clock }: { secrets: Secrets; clock: RenewingOptions['clock'] },
  store: RenewingOptions['store'],
) {
  const env = readEnv('SLACK_API_URL', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET_ID', 'SLACK_TOKEN_PREFIX');
  const tokens = createSlackTokens({
    prefix: env.SLACK_TOKEN_PREFIX,
    key: optionalEnv('SLACK_TOKEN_KEY'),
    secrets,
    client: clients.secretsManager,
  });
  const renewingTokens = async () => {
    const [{ renewing }, { renewToken }] = await Promise.all([
      import('../../shared/slack/renewed.ts'),
      import('../../shared/slack/renew.ts'),
    ]);
    const renew = async (refresh: string) => {
      const clientSecret = await secrets.get(env.SLACK_CLIENT_SECRET_ID);
      const app = { apiUrl: env.SLACK_API_URL, clientId: env.SLACK_CLIENT_ID, clientSecret };
      return renewToken(refresh, app, clock);
    };
    const onRefused: RenewingOptions['onRefused'] = (facts) =>
      log('error', 'the Slack token of a workspace cannot be renewed: install the app again', facts);
    return renewing({ tokens, store, clock, renew, onRefused });
  };
  let ofOnesThatEnd: Promise<TokenOf> | undefined;
  const tokenOf: TokenOf = async (installation, fresh) => {
    const { token, renewal } = await tokens.get(installation.secretId, fresh);
    // Most apps have tokens that do not expire, so the code that renews them is not loaded.
    if (!renewal) return token;
    ofOnesThatEnd ??= renewingTokens();
    return (await ofOnesThatEnd)(installation);
  };
  return { tokens, tokenOf };
}
