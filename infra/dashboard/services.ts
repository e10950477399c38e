/** AWS's own metrics of queues, functions, the table and the APIs. */

import { type IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { graph, period } from './graph.ts';
import type { DashboardParts } from './parts.ts';

/** Depth and age of each queue, including each lane, and dead letters. */
export function queues(scope: Construct): IWidget[] {
  const all = scope.node.findAll().filter((each) => each instanceof Queue);
  // Each of our queues has a dead-letter queue, and dead-letter queues have none.
  const working = all.filter(({ deadLetterQueue }) => deadLetterQueue);
  const dead = all.filter(({ deadLetterQueue }) => !deadLetterQueue);
  const label = ({ node }: Queue) => node.path.slice(scope.node.path.length + 1);
  const waiting = (queue: Queue) =>
    queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum', label: label(queue) });
  return [
    graph(3, 'Messages that wait', working.map(waiting)),
    graph(
      3,
      'Age of the oldest message: s',
      working.map((queue) =>
        queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum', label: label(queue) }),
      ),
    ),
    graph(3, 'Dead letters', dead.map(waiting)),
  ];
}

/** Metrics of each function. */
export function functions({ functions: all }: DashboardParts): IWidget[] {
  const each = (metricName: string, statistic: string) =>
    Object.entries(all).map(([label, fn]: [string, IFunction]) =>
      fn.metric(metricName, { period, statistic, label }),
    );
  return [
    graph(4, 'Functions: errors', each('Errors', 'Sum')),
    graph(4, 'Functions: throttles', each('Throttles', 'Sum')),
    graph(4, 'Functions: at once', each('ConcurrentExecutions', 'Maximum')),
    graph(4, 'Functions: ms, p95', each('Duration', 'p95')),
  ];
}

/** The table: consumed capacity and refused requests. */
export function database({ table }: DashboardParts): IWidget[] {
  const sum = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: 'Sum',
      period,
      label: metricName,
    });
  return [
    graph(2, 'DynamoDB: units', [sum('ConsumedReadCapacityUnits'), sum('ConsumedWriteCapacityUnits')]),
    graph(2, 'DynamoDB: throttled', [sum('ReadThrottleEvents'), sum('WriteThrottleEvents')]),
  ];
}

/** Requests to the APIs, and their responses. */
export function apis({ http, socket }: DashboardParts): IWidget[] {
  const ofHttp = { period, statistic: 'Sum' };
  const ofSocket = (metricName: string) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiId: socket.api.apiId },
      statistic: 'Sum',
      period,
      label: metricName,
    });
  return [
    graph(3, 'HTTP API', [
      http.api.metricCount({ ...ofHttp, label: 'requests' }),
      http.api.metricClientError({ ...ofHttp, label: '4xx' }),
      http.api.metricServerError({ ...ofHttp, label: '5xx' }),
    ]),
    // Messages count in both directions: from clients and to clients.
    graph(3, 'WebSocket API: connections and pushes', [ofSocket('ConnectCount')], [ofSocket('MessageCount')]),
    graph(3, 'WebSocket API: errors', ['ClientError', 'IntegrationError', 'ExecutionError'].map(ofSocket)),
  ];
}
