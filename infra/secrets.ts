/**
 * The secrets. The template never contains a value: each starts as a random string. That is the final value of secrets that
 * Steploop invents, and for secrets that another party issues it is a placeholder that no server accepts (`aws secretsmanager
 * put-secret-value --secret-id … --secret-string …`).
 */

import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';
import type { Config } from './config.ts';
import { hasChannels } from './definition/needed.ts';

export class Secrets extends Construct {
  /** Secrets that the definition declares, by their names there. */
  readonly declared: Readonly<Record<string, Secret>>;
  /** Bearer token of the HTTP API; copy it to your clients. */
  readonly apiToken: Secret;
  /** Keys that sign callbacks: one or more, separated by spaces (docs/webhooks.md#rotation). */
  readonly callbackSigning: Secret | undefined;
  /** Keys that sign the links in asks of channels: one or more, separated by spaces. */
  readonly linkSigning: Secret | undefined;
  /** Slack's signing secret and the client secret of the Slack app; put your app's in. */
  readonly slack: { readonly signing: Secret; readonly client: Secret } | undefined;

  constructor(scope: Construct, id: string, { facts, encryptionKey }: Config) {
    super(scope, id);
    const make = (name: string, description: string) => random(this, name, description, encryptionKey);
    const declared = Object.entries(facts.secrets).map(([name, { description }]) => [
      name,
      make(name, `${description} Random until you put yours in.`),
    ]);
    this.declared = Object.fromEntries(declared);
    this.apiToken = make('ApiToken', 'The bearer token of the HTTP API.');
    if (facts.callbacks) this.callbackSigning = make('CallbackSigning', 'The secret that signs callbacks.');
    if (hasChannels(facts))
      this.linkSigning = make('LinkSigning', 'The secret that signs links in asks of channels.');
    if (facts.slack)
      this.slack = {
        signing: make('SlackSigning', 'Signing secret of the Slack app. Random until you put yours in.'),
        client: make('SlackClient', 'Client secret of the Slack app. Random until you put yours in.'),
      };
    const reason =
      'Some are issued by third parties, and the others are copied to clients by hand, so none can rotate automatically.';
    accept(this, 'SMG4', reason);
  }
}

/** 40 letters and digits: about 238 bits, and safe in a header, a URL and a shell. */
function random(scope: Construct, id: string, description: string, encryptionKey: IKey | undefined): Secret {
  return new Secret(scope, id, {
    description,
    ...(encryptionKey && { encryptionKey }),
    generateSecretString: { passwordLength: 40, excludePunctuation: true },
  });
}
