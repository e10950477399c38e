/** Reads what the outputs of a deployed stack name, with the AWS credentials of this machine. */

import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

/** The AWS account of a deployment, as `steploop doctor` reads it. */
export interface AwsReader {
  /** Messages in a queue. */
  messages(queueUrl: string): Promise<number>;
  /** Whether someone has given a secret a value since the deployment made it with a random one. */
  wasSet(secretArn: string): Promise<boolean>;
}

/** Ms between the creation of a secret and the storing of its first value. */
const FIRST_VALUE_MS = 60_000;

/** @param options for tests: by default the credentials of this machine, and the regions of what is read */
export function awsReader(options: Options = {}): AwsReader {
  const of = (region: string | undefined) => ({ ...options, ...(region && { region }) });
  return {
    async messages(QueueUrl) {
      const [, region] = /\/\/sqs\.([a-z0-9-]+)\./.exec(QueueUrl) ?? [];
      const AttributeNames = ['ApproximateNumberOfMessages' as const];
      const { Attributes } = await new SQSClient(of(region)).send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
      );
      return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
    },
    async wasSet(SecretId) {
      const [, , , region] = SecretId.split(':');
      const { CreatedDate, LastChangedDate } = await new SecretsManagerClient(of(region)).send(
        new DescribeSecretCommand({ SecretId }),
      );
      return (LastChangedDate?.getTime() ?? 0) - (CreatedDate?.getTime() ?? 0) > FIRST_VALUE_MS;
    },
  };
}

interface Options {
  readonly endpoint?: string;
  /** The region of a queue whose URL names none. */
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}
