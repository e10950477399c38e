import { createOutbound } from '../../shared/aws/outbound.ts';
import { awsPorts } from '../../shared/aws/ports.ts';
import { optionalEnv, s3Endpoint } from '../middleware/environment.ts';
import { openTable, sealing } from './sealing.ts';
import { stepQueues } from './step-queues.ts';

/** The environment of an edge function. It sends nothing to a queue whose URL is absent. */
export interface EdgeEnv {
  readonly TABLE_NAME: string;
  readonly BLOB_BUCKET: string;
  readonly STEP_QUEUE_URL?: string;
  readonly DELIVERY_QUEUE_URL?: string;
  readonly SOCKET_URL?: string;
}

/** The ports that edge functions share: those of the core, and the table for their own. */
export function edgePorts(env: EdgeEnv) {
  const { TABLE_NAME, BLOB_BUCKET, STEP_QUEUE_URL, DELIVERY_QUEUE_URL, SOCKET_URL } = env;
  const io = awsPorts({
    tableName: TABLE_NAME,
    bucket: BLOB_BUCKET,
    ...(STEP_QUEUE_URL && { stepQueueUrls: stepQueues(STEP_QUEUE_URL) }),
    ...(DELIVERY_QUEUE_URL && { deliveryQueueUrl: DELIVERY_QUEUE_URL }),
    slackDeliveryQueueUrl: optionalEnv('SLACK_DELIVERY_QUEUE_URL'),
    ...(SOCKET_URL && { socketUrl: SOCKET_URL }),
    s3Endpoint: s3Endpoint(),
    sealing: sealing(),
  });
  return { io, dynamo: openTable(TABLE_NAME) };
}

/** The same, for functions that begin sessions with outside listeners, or notify those. */
export function outboundPorts(env: EdgeEnv) {
  const { io, dynamo } = edgePorts(env);
  return { io: { ...io, outbound: createOutbound(dynamo) }, dynamo };
}
