/** Channels: the function of their deliveries and of the pages of asks, and what delivers to them needs. */

import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { declaredFor } from './definition-environment.ts';
import type { Deliveries } from './deliveries.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { onBlobs, onTable, readSecret } from './permissions.ts';

export interface ChannelsProps extends Ground {
  readonly deliveries: Deliveries;
  /** Base URL of the HTTP API, where links in asks lead. */
  readonly httpUrl: string;
}

export class Channels extends Construct {
  readonly handler: Handler;

  constructor(scope: Construct, id: string, props: ChannelsProps) {
    super(scope, id);
    const { config, code, table, blobs, secrets, steps, deliveries, httpUrl } = props;
    const { linkSigning } = secrets;
    if (!linkSigning) throw new Error('the definition has no channels');
    const declared = declaredFor('channels', props);
    this.handler = new Handler(this, 'Receive', {
      config,
      description:
        'Accepts deliveries of channels, and serves the pages on which people decide what they were asked.',
      code: code('channels'),
      timeout: Duration.seconds(29),
      memorySize: 512,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        ...steps.environment,
        ...deliveries.environment,
        BLOB_BUCKET: blobs.bucketName,
        LINK_SIGNING_SECRET_ID: linkSigning.secretArn,
        ...declared.environment,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        steps.sending(),
        ...deliveries.sending(),
        readSecret(linkSigning),
        ...declared.may,
      ],
    });
    const { fn } = deliveries.deliver;
    // The address of the API is known only now: the API itself is made with the queue of deliveries.
    fn.addEnvironment('HTTP_URL', httpUrl);
    if (config.facts.mailboxes.length > 0) fn.addEnvironment('SES_URL', sesUrl(this));
  }
}

/** SES in the region of the stack. */
const sesUrl = (scope: Construct): string => {
  const { region, urlSuffix } = Stack.of(scope);
  return `https://email.${region}.${urlSuffix}`;
};
