import { setTimeout as pause } from 'node:timers/promises';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect } from 'vitest';
import type { EmulatedSlack, SlackOptions } from '../../local/slack/emulated/emulated-slack.ts';
import { startSlack } from '../../local/slack/emulated/start.ts';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, type EmbeddedOptions, embedded } from './embedded.ts';
import type { Step } from './model-server.ts';
import { type AskedModel, type RuleModel, ruleModel } from './rule-model.ts';

/** The stack and an emulated Slack, with the app installed into its workspace by a person. */
export async function workspace(
  model: RuleModel,
  options: SlackOptions = {},
  { variables, ...more }: Pick<EmbeddedOptions, 'variables' | 'assembly'> = {},
) {
  const slack = await startSlack(options);
  const world = await embedded({
    model,
    variables: { [env.SLACK_API_URL]: slack.apiUrl, [env.SLACK_CLIENT_ID]: slack.clientId, ...variables },
    ...more,
  });
  await putSecrets(world, slack);
  const appUrl = world.stack.outputs.HttpUrl ?? '';
  slack.connect(appUrl);
  const { body } = await world.api('POST', '/tickets');
  const installUrl = `${appUrl}/slack/install?ticket=${body.ticket}`;
  const installed = await slack.consent(installUrl, 'ada');
  expect(installed).toMatchObject({ status: 200 });
  return {
    world,
    slack,
    installUrl,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await slack.stop();
    },
  };
}

export type Rule = (asked: AskedModel) => Step;

/**
 * A workspace for all tests of a file, which write in threads and direct messages of their own. Each gives the rule of its
 * model, and sees what has happened since.
 */
export async function sharedWorkspace(options: SlackOptions = {}) {
  let rule: Rule | undefined;
  const model = await ruleModel((asked) => {
    if (rule === undefined) throw new Error('no test has given a rule');
    return rule(asked);
  });
  const it = await workspace(model, options);
  const { slack, world } = it;
  return {
    answering(by: Rule) {
      rule = by;
      const before = {
        asked: model.asked.length,
        starts: world.toolStarts.length,
        whispers: slack.whispers().length,
      };
      return {
        slack,
        world,
        installUrl: it.installUrl,
        asked: () => model.asked.slice(before.asked),
        toolStarts: () => world.toolStarts.slice(before.starts).map(({ name }) => name),
        whispers: () => slack.whispers().slice(before.whispers),
      };
    },
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

async function putSecrets({ stack }: Embedded, slack: EmulatedSlack) {
  const secrets = new SecretsManagerClient({
    region: 'us-east-1',
    endpoint: stack.endpoints.secretsManager,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const put = (SecretId: string | undefined, SecretString: string) =>
    secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
  await put(stack.outputs.SlackSigningSecretArn, slack.signingSecret);
  await put(stack.outputs.SlackClientSecretArn, slack.clientSecret);
  secrets.destroy();
}

/** Repeats `look` until it holds. Rejects with the error of the last look after one minute. */
export async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  let seen = await look();
  for (const end = Date.now() + 60_000; Date.now() < end && !holds(seen); await pause(200))
    seen = await look();
  if (!holds(seen)) throw new Error(`waited a minute in vain; seen last: ${JSON.stringify(seen)}`);
  return seen;
}
