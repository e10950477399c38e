import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { answerInTime, problems } from './middleware/problem.ts';
import { hookPorts } from './ports/hooks.ts';
import { takeDelivery } from './webhooks/take.ts';

const context = hookPorts();

/** Receives signed deliveries of other systems. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(answerInTime)
  .use(problems(context.isOutage))
  .handler((event, invocation) =>
    takeDelivery(event, context, context.io.clock.now() + invocation.getRemainingTimeInMillis()),
  );
