/** AG-UI over SSE, and the AI SDK's chat: a function with its own address that streams its answers (docs/adr/0007-sse.md). */

import { Duration } from 'aws-cdk-lib';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type FunctionUrl, FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { AguiEdge, EdgeSecret } from './agui-edge.ts';
import { alarm } from './alarm.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { identity, paceEnvironment } from './identity.ts';
import { onBlobs, onTable, readSecret } from './permissions.ts';

export class Agui extends Construct {
  /** `https://….lambda-url.….on.aws/agui`, or `…/chat`. */
  readonly url: (door: 'agui' | 'chat') => string;
  readonly handler: Handler;

  private readonly functionUrl: FunctionUrl;

  constructor(scope: Construct, id: string, ground: Ground) {
    super(scope, id);
    const { config, code, table, blobs, steps, runsOn } = ground;
    const callers = identity(ground);
    const access = config.agui.access;
    const edge = access === 'cloudfront' ? new EdgeSecret(this, 'EdgeSecret', config) : undefined;
    this.handler = new Handler(this, 'Agui', {
      config,
      description: "Serves pages over SSE: accepts input, and streams the session's events.",
      code: code('agui'),
      // The longest timeout there is. Lambda does not report that a client has left: shared/aws/streams.ts.
      timeout: Duration.minutes(15),
      ...runsOn('agui'),
      sendsSteps: true,
      // Open responses must not use up the concurrency that steps need, and other functions must leave them theirs.
      reserved: config.concurrency.agui,
      environment: {
        TABLE_NAME: table.tableName,
        ...steps.environment,
        BLOB_BUCKET: blobs.bucketName,
        STREAMS_AT_ONCE: String(config.limits.streamsAtOnce),
        WATCH_SECONDS: String(config.limits.watchSeconds),
        ...paceEnvironment(config),
        ...callers.environment,
        ...(edge && { EDGE_SECRET_ID: edge.secretArn }),
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        steps.sending(),
        ...callers.may,
        ...(edge ? [readSecret(edge)] : []),
      ],
    });
    const { fn, invoked } = this.handler;
    this.functionUrl = invoked.addFunctionUrl({
      // The function authenticates callers itself, as the HTTP API does; with IAM, AWS does before it.
      authType: access === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      cors: {
        allowedOrigins: ['*'],
        allowedMethods: [HttpMethod.GET, HttpMethod.POST],
        allowedHeaders: ['authorization', 'content-type'],
        exposedHeaders: ['retry-after'],
        maxAge: Duration.hours(1),
      },
    });
    const base = edge
      ? `https://${new AguiEdge(this, 'Edge', { config, url: this.functionUrl, secret: edge }).distribution.distributionDomainName}/`
      : this.functionUrl.url;
    this.url = (door) => `${base}${door}`;
    alarm(this, 'AguiFails', {
      metric: fn.metric('Url5xxCount', { period: Duration.minutes(5), statistic: 'Sum' }),
      atLeast: 5,
      periods: 1,
      says: 'Requests of pages for AG-UI or chat over SSE are answered with 5xx.',
      runbook: 'apis-fail',
    });
  }

  /** Lets a principal call the address, if its access is by IAM. */
  grantInvoke(grantee: IGrantable): Grant {
    return this.functionUrl.grantInvokeUrl(grantee);
  }
}
