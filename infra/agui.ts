/** AG-UI over SSE: a function with an address of its own, which streams its answers (docs/adr/0007-sse.md). */

import { Aws, CfnCondition, type CfnParameter, Duration, Fn } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  type CfnFunction,
  FunctionUrlAuthType,
  HttpMethod,
  InvokeMode,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
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
      // The longest there is. Lambda does not tell it that its client has left: shared/aws/streams.ts.
      timeout: Duration.minutes(15),
      memorySize: 512,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        STEP_QUEUE_URL: stepQueue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        STREAMS_AT_ONCE: parameters.aguiStreamsAtOnce.valueAsString,
        WATCH_SECONDS: parameters.aguiWatchSeconds.valueAsString,
        ...callers.environment,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        sendTo(stepQueue),
        ...callers.may,
      ],
    });
    this.reserve(fn, parameters.aguiConcurrency);
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

  /**
   * Open responses must not eat the concurrency that steps need. A reservation must leave the account 10 (or 100)
   * unreserved, so on a new account, whose limit is 10, there can be none: then the parameter is 0.
   */
  private reserve(fn: LambdaFunction, concurrency: CfnParameter): void {
    const isReserved = new CfnCondition(this, 'Reserves', {
      expression: Fn.conditionNot(Fn.conditionEquals(concurrency.valueAsString, '0')),
    });
    const resource = fn.node.defaultChild as CfnFunction;
    resource.addPropertyOverride(
      'ReservedConcurrentExecutions',
      Fn.conditionIf(isReserved.logicalId, concurrency.valueAsNumber, Aws.NO_VALUE),
    );
  }
}
