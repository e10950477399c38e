import { clients } from '../../shared/aws/clients.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { awsPorts } from '../../shared/aws/ports.ts';
import { s3Endpoint } from './environment.ts';

/** What such a function has in its environment. Without a queue's URL it sends nothing there. */
export interface EdgeEnv {
  readonly TABLE_NAME: string;
  readonly BLOB_BUCKET: string;
  readonly STEP_QUEUE_URL?: string;
  readonly DELIVERY_QUEUE_URL?: string;
}

/** The ports of functions that take things in or tell listeners outside, and the table for what they keep besides. */
export function edgePorts({ TABLE_NAME, BLOB_BUCKET, STEP_QUEUE_URL, DELIVERY_QUEUE_URL }: EdgeEnv) {
  const dynamo = createDynamo(clients.dynamo(), TABLE_NAME);
  const ports = awsPorts({
    tableName: TABLE_NAME,
    bucket: BLOB_BUCKET,
    ...(STEP_QUEUE_URL && { queueUrl: STEP_QUEUE_URL }),
    ...(DELIVERY_QUEUE_URL && { deliveryQueueUrl: DELIVERY_QUEUE_URL }),
    s3Endpoint: s3Endpoint(),
  });
  return { dynamo, io: { ...ports, outbound: createOutbound(dynamo) } };
}
