import definition from '#definition';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import type { StepOptions } from '../../shared/agent/step/open/options.ts';
import { type AwsOptions, awsPorts } from '../../shared/aws/ports.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { slowedTogether } from '../../shared/models/slowed.ts';
import { optionalEnv, readEnv, s3Endpoint, tenantLimits } from '../middleware/environment.ts';
import { declaredForTools, declaredModels } from './declared.ts';
import { sealing } from './sealing.ts';
import { stepQueues } from './step-queues.ts';
import { exportedMeter } from './telemetry.ts';
import { sharedThread } from './thread.ts';

export { endingIn } from '../../shared/aws/deadline.ts';
export { meteredRun } from '../../shared/aws/spent.ts';
export { exported } from './telemetry.ts';

/** The ports of the step function: all of them, including the model. */
export function stepPorts(): Ports {
  const { STEP_QUEUE_URL } = readEnv('STEP_QUEUE_URL');
  const io = corePorts({
    tenantLimits: tenantLimits(),
    consumedQueueUrl: STEP_QUEUE_URL,
    ...declaredForTools(),
  });
  const slowed = slowedTogether(io.signs, {
    ...io,
    missed: (error) => log('debug', 'a sign of a rate limit was missed', errorFacts(error)),
  });
  return {
    ...io,
    provider: slowed(declaredModels(io.secrets)),
    meter: { ...exportedMeter(io.meter, io.secrets), ...sharedThread() },
  };
}

/** The ports of the function that ends runs whose steps cannot. It never calls a model. */
export function endingPorts(): Ports {
  const io = corePorts();
  return { ...io, provider: noProvider, meter: exportedMeter(io.meter, io.secrets) };
}

/** The ports of the function that runs queued calls. It commits nothing, and reports only the progress of its calls to subscribers. */
export function toolPorts() {
  const { TABLE_NAME, STEP_QUEUE_URL, TOOL_QUEUE_URL, BLOB_BUCKET } = readEnv(
    'TABLE_NAME',
    'STEP_QUEUE_URL',
    'TOOL_QUEUE_URL',
    'BLOB_BUCKET',
  );
  const io = awsPorts({
    tableName: TABLE_NAME,
    stepQueueUrls: stepQueues(STEP_QUEUE_URL),
    consumedQueueUrl: TOOL_QUEUE_URL,
    socketUrl: optionalEnv('SOCKET_URL'),
    bucket: BLOB_BUCKET,
    s3Endpoint: s3Endpoint(),
    sealing: sealing(),
    fetchLoopback: optionalEnv('FETCH_LOOPBACK') === 'allow',
    httpUrl: optionalEnv('HTTP_URL'),
    ...declaredForTools(),
  });
  return { ...io, meter: { ...io.meter, ...sharedThread() } };
}

/**
 * The ports of functions that continue sessions.
 *
 * @param more what a tenant may use in a day and what tools may ask for, which functions that run no step do not need; and the
 *   queue whose messages it hides. Dead letters come from two queues, and stay hidden for as long as their consumer may live
 *   anyway
 */
export function corePorts(
  more: Pick<AwsOptions, 'tenantLimits' | 'consumedQueueUrl' | 'settings' | 'secretIds'> = {},
) {
  const { TABLE_NAME, STEP_QUEUE_URL, BLOB_BUCKET } = readEnv('TABLE_NAME', 'STEP_QUEUE_URL', 'BLOB_BUCKET');
  return awsPorts({
    tableName: TABLE_NAME,
    stepQueueUrls: stepQueues(STEP_QUEUE_URL),
    // A definition may have no queued tools and no outside listeners; the sweeper pushes no events.
    toolQueueUrl: optionalEnv('TOOL_QUEUE_URL'),
    deliveryQueueUrl: optionalEnv('DELIVERY_QUEUE_URL'),
    slackDeliveryQueueUrl: optionalEnv('SLACK_DELIVERY_QUEUE_URL'),
    socketUrl: optionalEnv('SOCKET_URL'),
    bucket: BLOB_BUCKET,
    s3Endpoint: s3Endpoint(),
    sealing: sealing(),
    fetchLoopback: optionalEnv('FETCH_LOOPBACK') === 'allow',
    httpUrl: optionalEnv('HTTP_URL'),
    ...more,
  });
}

/** For functions that end runs and never call a model. */
const noProvider: Provider = {
  async complete() {
    const message = 'this function does not call the model';
    return { kind: 'failed', failure: { kind: 'fatal', code: 'no_provider', message } };
  },
};

export function stepOptions(): StepOptions {
  const leaseSeconds = Number(process.env.STEP_LEASE_SECONDS ?? DEFAULT_LEASE_SECONDS);
  return {
    agentOf: (name) => definition.agents.find((agent) => agent.name === name),
    leaseMs: leaseSeconds * 1000,
  };
}

/** docs/design.md, step 1. */
const DEFAULT_LEASE_SECONDS = 60;
