/** The HTTP API: our own routes, for whoever says who they are, and the signed webhooks of third parties. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi as Api,
  CorsHttpMethod,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { metrics } from '../shared/contract/metrics.ts';
import { hookRoutes, httpRoutes } from '../shared/contract/routes.ts';
import { alarm } from './alarm.ts';
import { Handler } from './handler.ts';
import { identity } from './identity.ts';
import type { Parameters } from './parameters.ts';
import { onBlobs, onTable, readSecret, sendTo } from './permissions.ts';
import type { Secrets } from './secrets.ts';

export interface HttpApiProps {
  code: { http: string; hooks: string };
  table: ITable;
  blobs: IBucket;
  stepQueue: IQueue;
  secrets: Secrets;
  parameters: Parameters;
}

export class HttpApi extends Construct {
  readonly api: Api;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    this.api = new Api(this, 'Api', {
      apiName: 'steploop-http',
      description: 'Steploop: sessions, tickets and webhooks.',
      createDefaultStage: false,
      // Pages of any origin may call: what lets them in is a token in a header, which no browser sends by itself.
      corsPreflight: {
        allowOrigins: ['*'],
        allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST],
        allowHeaders: ['authorization', 'content-type', 'idempotency-key'],
        exposeHeaders: ['retry-after'],
        maxAge: Duration.hours(1),
      },
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      // The account's own limit is 10,000 requests a second, shared by all its APIs; this keeps a flood of
      // forged webhooks from eating it. Each refused request costs nothing.
      throttle: { rateLimit: 200, burstLimit: 400 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            retention: RetentionDays.ONE_MONTH,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: accessLogFormat(),
      },
    });
    alarm(this, 'ApiFails', {
      metric: this.api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      atLeast: 5,
      periods: 1,
      says: 'Requests to the HTTP API are answered with 5xx.',
      runbook: 'apis-fail',
    });
    alarm(this, 'HooksDie', {
      metric: new Metric({
        namespace: metrics.namespace,
        metricName: metrics.deadDeliveries,
        period: Duration.minutes(5),
        statistic: 'Sum',
      }),
      atLeast: 1,
      periods: 1,
      says: 'Deliveries of webhooks cannot be carried out, because of their mapping or its agents. They are kept until they are redriven.',
      runbook: 'hooks-die',
    });
    this.serve(httpRoutes, 'HttpIntegration', httpHandler(this, props));
    this.serve(hookRoutes, 'HooksIntegration', hooksHandler(this, props));
  }

  /** Explicit routes, and no `$default`: what nobody serves is refused before it costs an invocation. */
  serve(routes: readonly string[], id: string, { fn }: Handler): void {
    const integration = new HttpLambdaIntegration(id, fn, { scopePermissionToRoute: false });
    for (const route of routes) {
      const [method, path] = route.split(' ') as ['GET' | 'POST', string];
      const routeKey = HttpRouteKey.with(path, HttpMethod[method]);
      new HttpRoute(this, route.replaceAll(/[^A-Za-z]+/g, '-'), { httpApi: this.api, routeKey, integration });
    }
  }
}

function httpHandler(scope: Construct, props: HttpApiProps): Handler {
  const { code, table, blobs, stepQueue, secrets, parameters } = props;
  const callers = identity(secrets, parameters);
  return new Handler(scope, 'Http', {
    description:
      'Serves the HTTP API: sessions, messages, cancellation, tickets, keys, dead deliveries of webhooks.',
    code: code.http,
    timeout: Duration.seconds(29),
    memorySize: 512,
    sendsSteps: true,
    environment: {
      TABLE_NAME: table.tableName,
      STEP_QUEUE_URL: stepQueue.queueUrl,
      BLOB_BUCKET: blobs.bucketName,
      CALLBACK_SIGNING_SECRET_ID: secrets.callbackSigning.secretArn,
      CALLBACK_LOOPBACK: parameters.callbackLoopback.valueAsString,
      ...callers.environment,
    },
    may: [
      onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
      onBlobs(blobs, 'GetObject', 'PutObject'),
      sendTo(stepQueue),
      readSecret(secrets.callbackSigning),
      ...callers.may,
    ],
  });
}

function hooksHandler(scope: Construct, props: HttpApiProps): Handler {
  const { code, table, blobs, stepQueue, secrets, parameters } = props;
  return new Handler(scope, 'Hooks', {
    description: 'Takes in signed webhooks.',
    code: code.hooks,
    // GitHub waits 10 seconds for an answer, and others longer. What nobody waits for any more is taken in all the same:
    // GitHub would not send it again. API Gateway waits 30 seconds.
    timeout: Duration.seconds(29),
    memorySize: 512,
    sendsSteps: true,
    environment: {
      TABLE_NAME: table.tableName,
      STEP_QUEUE_URL: stepQueue.queueUrl,
      BLOB_BUCKET: blobs.bucketName,
      GITHUB_WEBHOOK_SECRET_ID: secrets.githubWebhook.secretArn,
      WEBHOOK_SECRETS_ID: secrets.webhooks.secretArn,
      CALLBACK_LOOPBACK: parameters.callbackLoopback.valueAsString,
    },
    may: [
      onTable(table, 'PutItem', 'UpdateItem'),
      onBlobs(blobs, 'PutObject'),
      sendTo(stepQueue),
      readSecret(secrets.githubWebhook),
      readSecret(secrets.webhooks),
    ],
  });
}

/** Who asked for what, how it ended and how long it took. No header, no query string, no body. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: '$context.requestId',
      at: '$context.requestTimeEpoch',
      ip: '$context.identity.sourceIp',
      route: '$context.routeKey',
      status: '$context.status',
      bytes: '$context.responseLength',
      ms: '$context.responseLatency',
      integrationMs: '$context.integrationLatency',
      error: '$context.integrationErrorMessage',
    }),
  );
}
