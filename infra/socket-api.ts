/** The WebSocket API: clients connect here with a ticket, and the functions of the loop push to them. */

import { Duration } from 'aws-cdk-lib';
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { socketRoutes, socketStage } from '../shared/contract/routes.ts';
import { accept } from './accepted.ts';
import { alarm } from './alarm.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { paceEnvironment } from './identity.ts';
import { onBlobs, onTable, pushTo } from './permissions.ts';

export class SocketApi extends Construct {
  readonly api: WebSocketApi;
  /** `wss://…/live`, taken from the API's own endpoint, so no host name is guessed. */
  readonly url: string;
  readonly stage: WebSocketStage;
  readonly handler: Handler;

  constructor(scope: Construct, id: string, props: Ground) {
    super(scope, id);
    const { socket: most } = props.config.requests;
    this.api = new WebSocketApi(this, 'Api', {
      apiName: `${props.config.name}-socket`,
      description: 'Steploop: events of sessions, pushed.',
      routeSelectionExpression: '$request.body.action',
    });
    this.url = `${this.api.apiEndpoint}/${socketStage}`;
    this.handler = this.socketHandler(props);
    const integration = new WebSocketLambdaIntegration('Integration', this.handler.fn);
    for (const route of socketRoutes) this.api.addRoute(route, { integration });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: socketStage,
      autoDeploy: true,
      // No access log: unlike an HTTP API's, it needs a log role set on the account's API Gateway first, and the stack would not
      // deploy without. The function logs each connection.
      throttle: { rateLimit: most, burstLimit: most },
    });
    accept(this, 'APIG4', 'The function checks a one-time ticket at $connect, for all that follows.');
    accept(
      this,
      'APIG1',
      'A WebSocket API logs access only with a role set on the account, which this stack must not change.',
    );
    const failures = {
      period: Duration.minutes(5),
      statistic: 'Sum',
      dimensionsMap: { ApiId: this.api.apiId },
    };
    alarm(this, 'SocketFails', {
      metric: new Metric({ namespace: 'AWS/ApiGateway', metricName: 'ExecutionError', ...failures }),
      atLeast: 5,
      periods: 1,
      says: 'The WebSocket API cannot call its function.',
      runbook: 'apis-fail',
    });
    alarm(this, 'SocketRefuses', {
      // It also counts connections that are refused with 401, for example with an old ticket.
      metric: new Metric({ namespace: 'AWS/ApiGateway', metricName: 'IntegrationError', ...failures }),
      atLeast: 50,
      periods: 1,
      says: 'The function of the WebSocket API answers with errors, or refuses many connections.',
      runbook: 'apis-fail',
    });
  }

  private socketHandler({ config, code, table, blobs, steps }: Ground): Handler {
    return new Handler(this, 'Socket', {
      config,
      description: 'Connects clients, answers their catch-up requests, and forgets them.',
      code: code('socket'),
      timeout: Duration.seconds(29),
      memorySize: 512,
      sendsSteps: true, // a client may cancel its run
      environment: {
        TABLE_NAME: table.tableName,
        ...steps.environment,
        BLOB_BUCKET: blobs.bucketName,
        SOCKET_URL: this.url,
        ...paceEnvironment(config),
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(blobs, 'GetObject'),
        steps.sending(),
        pushTo(this.api),
      ],
    });
  }
}
