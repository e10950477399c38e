/** AG-UI over SSE: a function with an address of its own, which streams its answers (docs/adr/0007-sse.md). */

import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { Handler } from './handler.ts';
import { identity } from './identity.ts';
import type { Parameters } from './parameters.ts';
import { onBlobs, onTable, sendTo } from './permissions.ts';
import type { Secrets } from './secrets.ts';

export interface AguiProps {
  code: string;
  table: ITable;
  blobs: IBucket;
  stepQueue: IQueue;
  secrets: Secrets;
  parameters: Parameters;
}

export class Agui extends Construct {
  /** `https://….lambda-url.….on.aws/agui` */
  readonly url: string;

  constructor(scope: Construct, id: string, props: AguiProps) {
    super(scope, id);
    const { code, table, blobs, stepQueue, secrets, parameters } = props;
    const callers = identity(secrets, parameters);
    const { fn } = new Handler(this, 'Agui', {
      description: 'Serves AG-UI over SSE: takes in what is new, and streams the events of the session.',
      code,
      // The longest there is. One that its client has left goes on until its run ends: Lambda does not tell it.
      timeout: Duration.minutes(15),
      memorySize: 512,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        STEP_QUEUE_URL: stepQueue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        ...callers.environment,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        sendTo(stepQueue),
        ...callers.may,
      ],
    });
    const { url } = fn.addFunctionUrl({
      // The function asks itself who calls, as the HTTP API does.
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      cors: {
        allowedOrigins: ['*'],
        allowedMethods: [HttpMethod.POST],
        allowedHeaders: ['authorization', 'content-type'],
        exposedHeaders: ['retry-after'],
        maxAge: Duration.hours(1),
      },
    });
    this.url = `${url}agui`;
    alarm(this, 'AguiFails', {
      metric: fn.metric('Url5xxCount', { period: Duration.minutes(5), statistic: 'Sum' }),
      atLeast: 5,
      periods: 1,
      says: 'Requests for AG-UI over SSE are answered with 5xx.',
      runbook: 'apis-fail',
    });
  }
}
