/** The HTTP API: our own routes, for authenticated callers, and the signed webhooks of third parties. */

import { Duration } from 'aws-cdk-lib';
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
import { Construct } from 'constructs';
import type { DeploymentFacts } from '../shared/contract/facts.ts';
import { metrics } from '../shared/contract/metrics.ts';
import { type HttpRoute as HttpRouteName, hookRoutes, httpRoutes } from '../shared/contract/routes.ts';
import { accept } from './accepted.ts';
import { accessLog } from './access-log.ts';
import { alarm, metricsOf } from './alarm.ts';
import { budgetEnvironment } from './budget-environment.ts';
import type { Config } from './config.ts';
import { declaredFor } from './definition-environment.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { identity, paceEnvironment } from './identity.ts';
import { deleteListed, onBlobs, onListedIndex, onTable, pushTo, readSecret } from './permissions.ts';
import type { Senders } from './queues.ts';
import type { SocketApi } from './socket-api.ts';

/**
 * The headers of clients of MCP (modelcontextprotocol.io, "Streamable HTTP"). Without them, a client in a browser gets no further than
 * its first request (netdata/netdata#22258).
 */
const MCP_HEADERS = ['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'last-event-id'];
/** The headers of clients of A2A (a2a-protocol.org, "Service parameters"; `X-` is that of 0.3). */
const A2A_HEADERS = ['a2a-version', 'a2a-extensions', 'x-a2a-extensions'];

export interface HttpApiProps extends Ground {
  socket: SocketApi;
  /** Undefined if no session has outside listeners. */
  deliveries: Senders | undefined;
}

export class HttpApi extends Construct {
  readonly api: Api;
  readonly stage: HttpStage;
  readonly http: Handler;
  /** Undefined if there are no webhooks. */
  readonly hooks: Handler | undefined;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { name, facts, requests } = props.config;
    this.api = new Api(this, 'Api', {
      apiName: `${name}-http`,
      description: 'Steploop: sessions, tickets and webhooks.',
      createDefaultStage: false,
      // Pages of any origin may call: access depends on a token in a header, which no browser sends by itself.
      corsPreflight: {
        allowOrigins: ['*'],
        allowMethods: [
          CorsHttpMethod.GET,
          CorsHttpMethod.POST,
          CorsHttpMethod.PUT,
          CorsHttpMethod.PATCH,
          CorsHttpMethod.DELETE,
        ],
        allowHeaders: [
          ...['authorization', 'content-type', 'idempotency-key'],
          ...(facts.mcp ? MCP_HEADERS : []),
          ...(facts.a2a ? A2A_HEADERS : []),
        ],
        exposeHeaders: ['retry-after'],
        maxAge: Duration.hours(1),
      },
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      // The account's own limit is 10,000 requests a second, shared by all its APIs. This limit keeps a flood of forged webhooks
      // from using it up. A refused request costs nothing.
      throttle: { rateLimit: requests.http, burstLimit: requests.http },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog(this, props.config)),
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
    accept(this, 'APIG4', "The functions check a JWT, a key, a token, or the sender's signature.");
    const served = httpRoutes.filter((route) => isServed(route, facts));
    this.http = httpHandler(this, props);
    this.serve(served, 'HttpIntegration', this.http);
    if (facts.webhooks.length === 0) return;
    this.hooks = hooksHandler(this, props);
    this.serve(hookRoutes, 'HooksIntegration', this.hooks);
    hooksAlarm(this, props.config);
  }

  /** Explicit routes, and no `$default`: an unknown path is refused before it costs an invocation. */
  serve(routes: readonly string[], id: string, { fn }: Handler): void {
    const integration = new HttpLambdaIntegration(id, fn, { scopePermissionToRoute: false });
    for (const route of routes) {
      const [method, path] = route.split(' ') as ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string];
      const routeKey = HttpRouteKey.with(path, HttpMethod[method]);
      new HttpRoute(this, route.replaceAll(/[^A-Za-z]+/g, '-'), { httpApi: this.api, routeKey, integration });
    }
  }
}

/** Whether the definition uses the feature that a route belongs to. */
function isServed(route: HttpRouteName, { webhooks, callbacks, mcp, a2a }: DeploymentFacts): boolean {
  const [, path = ''] = route.split(' ');
  if (path.startsWith('/hooks/')) return webhooks.length > 0;
  if (path === '/mcp') return mcp;
  if (path.startsWith('/a2a/')) return a2a;
  return callbacks || (path !== '/callbacks/secrets' && !path.endsWith('/callback/try'));
}

function httpHandler(scope: Construct, ground: HttpApiProps): Handler {
  const { config, code, table, blobs, steps, secrets, socket, deliveries } = ground;
  const { callbackSigning } = secrets;
  // For callbacks that are tried again at once.
  const retries = callbackSigning && deliveries;
  const callers = identity(ground);
  return new Handler(scope, 'Http', {
    config,
    description:
      'Serves the HTTP API: sessions, messages, cancellation, tickets, keys, budgets, memories, dead deliveries of webhooks.',
    code: code('http'),
    timeout: Duration.seconds(29),
    memorySize: 512,
    sendsSteps: true,
    environment: {
      TABLE_NAME: table.tableName,
      ...steps.environment,
      BLOB_BUCKET: blobs.bucketName,
      SOCKET_URL: socket.url,
      ...budgetEnvironment(config),
      ...paceEnvironment(config),
      ...(callbackSigning && {
        CALLBACK_SIGNING_SECRET_ID: callbackSigning.secretArn,
        CALLBACK_LOOPBACK: 'refuse',
      }),
      ...retries?.environment,
      ...callers.environment,
    },
    may: [
      onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
      onListedIndex(table),
      deleteListed(table),
      onBlobs(blobs, 'GetObject', 'PutObject'),
      steps.sending(),
      // Reports the progress of calls that are answered later.
      pushTo(socket.api),
      ...(callbackSigning ? [readSecret(callbackSigning)] : []),
      ...(retries?.sending() ?? []),
      ...callers.may,
    ],
  });
}

function hooksHandler(scope: Construct, ground: Ground): Handler {
  const { config, code, table, blobs, steps } = ground;
  const declared = declaredFor('hooks', ground);
  return new Handler(scope, 'Hooks', {
    config,
    description: 'Accepts signed webhooks.',
    code: code('hooks'),
    // GitHub waits 10 seconds for an answer, and others longer. A delivery is accepted even if its sender no longer waits,
    // because GitHub would not send it again. API Gateway waits 30 seconds.
    timeout: Duration.seconds(29),
    memorySize: 512,
    sendsSteps: true,
    environment: {
      TABLE_NAME: table.tableName,
      ...steps.environment,
      BLOB_BUCKET: blobs.bucketName,
      ...(config.facts.callbacks && { CALLBACK_LOOPBACK: 'refuse' }),
      ...declared.environment,
    },
    may: [
      onTable(table, 'PutItem', 'UpdateItem'),
      onBlobs(blobs, 'PutObject'),
      steps.sending(),
      ...declared.may,
    ],
  });
}

function hooksAlarm(scope: Construct, config: Config): void {
  alarm(scope, 'HooksDie', {
    metric: new Metric({
      namespace: metricsOf(config),
      metricName: metrics.deadDeliveries,
      period: Duration.minutes(5),
      statistic: 'Sum',
    }),
    atLeast: 1,
    periods: 1,
    says: 'Deliveries of webhooks cannot be carried out, because of their mapping or its agents. They are kept until they are redriven.',
    runbook: 'hooks-die',
  });
}

/** The caller, the request, its result and its duration. No header, no query string, no body. */
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
