/**
 * The secrets. No value is ever in the template: each starts as a random string, which is the
 * final value of those that are ours to invent, and a placeholder that no server accepts for those
 * that somebody else issues (`aws secretsmanager put-secret-value --secret-id … --secret-string …`).
 */

import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

export class Secrets extends Construct {
  /** API key of the first model server; put yours in. */
  readonly modelKey: Secret;
  /** API key of the second; put yours in when an agent names that server. */
  readonly secondModelKey: Secret;
  /** GitHub token of the triage agent's tools; put yours in. */
  readonly githubToken: Secret;
  /** What GitHub signs its webhooks with; copy it into the repository's settings. */
  readonly githubWebhook: Secret;
  /** What other senders sign their webhooks with: put a JSON object in, `{ "STRIPE_WEBHOOK_SECRET": "whsec_…" }`. */
  readonly webhooks: Secret;
  /** What callbacks are signed with: one or more, with space between them (docs/webhooks.md#rotation). */
  readonly callbackSigning: Secret;
  /** Bearer token of the HTTP API; copy it to your clients. */
  readonly apiToken: Secret;
  /** What Slack signs its requests with; put your app's in. */
  readonly slackSigning: Secret;
  /** Client secret of the Slack app; put yours in. */
  readonly slackClient: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.modelKey = random(this, 'ModelKey', 'API key of the model. Random until you put yours in.');
    this.secondModelKey = random(
      this,
      'SecondModelKey',
      'API key of the second model server. Random until you put yours in.',
    );
    this.githubToken = random(
      this,
      'GithubToken',
      'GitHub token for the tools. Random until you put yours in.',
    );
    this.githubWebhook = random(this, 'GithubWebhook', 'The secret that GitHub signs its webhooks with.');
    this.webhooks = random(
      this,
      'Webhooks',
      'JSON of the secrets that senders of webhooks sign with, by setting name. Random until you put yours in.',
    );
    this.callbackSigning = random(this, 'CallbackSigning', 'The secret that callbacks are signed with.');
    this.apiToken = random(this, 'ApiToken', 'The bearer token that the HTTP API asks for.');
    this.slackSigning = random(
      this,
      'SlackSigning',
      'Signing secret of the Slack app. Random until you put yours in.',
    );
    this.slackClient = random(
      this,
      'SlackClient',
      'Client secret of the Slack app. Random until you put yours in.',
    );
  }
}

/** 40 letters and digits: about 238 bits, and safe in a header, a URL and a shell. */
function random(scope: Construct, id: string, description: string): Secret {
  return new Secret(scope, id, {
    description,
    generateSecretString: { passwordLength: 40, excludePunctuation: true },
  });
}
