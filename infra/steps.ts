/** The loop itself: the function that runs one step, and the one that handles dead letters. */

import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { budgetEnvironment } from './budget-environment.ts';
import { declaredFor } from './definition-environment.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { stepsOfLane } from './lanes.ts';
import { onBlobs, onTable, pushTo, sendTo } from './permissions.ts';
import type { Senders } from './queues.ts';
import { runAlarms } from './run-alarms.ts';
import type { SocketApi } from './socket-api.ts';
import { timeout } from './step-queue.ts';
import { mayExport, telemetryFor } from './telemetry.ts';
import type { ToolQueue } from './tools.ts';

export interface StepsProps extends Ground {
  socket: SocketApi;
  /** Base URL of the HTTP API. */
  httpUrl: string;
  /** The queue of queued calls; undefined if no tool is queued. */
  tools: ToolQueue | undefined;
  /** The queue of outside deliveries; undefined if there are no listeners. */
  deliveries: Senders | undefined;
}

export class Steps extends Construct {
  readonly step: Handler;
  readonly deadLetter: Handler;

  constructor(scope: Construct, id: string, props: StepsProps) {
    super(scope, id);
    this.step = this.stepHandler(props);
    this.deadLetter = this.deadLetterHandler(props);
    mayExport(props.config, this.step, this.deadLetter);
    runAlarms(this, props.config);
    alarm(this, 'DeadLettersArrive', {
      // Not the depth of the queue: its consumer empties it faster than the metric is sampled.
      metric: this.deadLetter.fn.metricInvocations({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'A wake or a queued call failed too often. Its session was woken again, the call was given up, or its run was ended with an error.',
      runbook: 'dead-letters',
    });
  }

  private stepHandler(props: StepsProps): Handler {
    const { config, code, steps, table, runsOn } = props;
    const declared = declaredFor('step', props);
    const step = new Handler(this, 'Step', {
      config,
      description: 'Runs one step of one run: one model call and its tools.',
      code: code('step'),
      timeout: timeout.step,
      ...runsOn('step'),
      sendsSteps: true,
      runsTools: true,
      failing: {
        says: 'Steps crash, run out of memory or time out. Each is retried; in the end its run ends as crash_loop.',
        runbook: 'steps-fail',
      },
      environment: {
        ...this.environment(props),
        FETCH_LOOPBACK: 'refuse',
        HTTP_URL: props.httpUrl,
        ...budgetEnvironment(config),
        ...declared.environment,
      },
      may: [
        // It deletes the overflow entries of events that get into the inbox, and nothing else.
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        ...this.may(props),
        ...(steps.lanes.length > 1 ? [steps.consuming()] : []),
        ...declared.may,
      ],
    });
    const mapping = {
      batchSize: 1,
      reportBatchItemFailures: true,
      // The cap is here and not in reserved concurrency. Below the cap SQS waits instead of being throttled, and a throttled wake
      // counts as received; but a reservation must leave the account 10 (or 100) unreserved, so on a new account, whose limit is
      // 10, the stack would not deploy. If other functions share your account, reserve at least `concurrency.steps` for this one
      // (docs/operating.md#concurrency).
      maxConcurrency: stepsOfLane(config.concurrency.steps, config),
    };
    step.invoked.addEventSource(new SqsEventSource(steps.queue, mapping));
    // Low-level mappings, because an event source would name each lane in the role's policy.
    steps.lanes.slice(1).forEach(({ queueArn }, i) => {
      step.invoked.addEventSourceMapping(`Lane${i + 1}`, { eventSourceArn: queueArn, ...mapping });
    });
    return step;
  }

  private deadLetterHandler(props: StepsProps): Handler {
    const { config, code, steps, tools, table } = props;
    const deadLetter = new Handler(this, 'DeadLetter', {
      config,
      description:
        'Wakes a dead-lettered session again, or ends its run with an error; gives up queued calls.',
      code: code('dead-letter'),
      timeout: timeout.deadLetter,
      memorySize: 512,
      sendsSteps: true,
      environment: this.environment(props),
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        ...this.may(props),
      ],
    });
    for (const queue of [steps.deadLetters, ...(tools ? [tools.deadLetters] : [])]) {
      deadLetter.fn.addEventSource(
        new SqsEventSource(queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 2 }),
      );
    }
    return deadLetter;
  }

  private environment({ config, table, blobs, steps, tools, deliveries, socket }: StepsProps) {
    return {
      TABLE_NAME: table.tableName,
      ...steps.environment,
      ...telemetryFor(this, config),
      BLOB_BUCKET: blobs.bucketName,
      SOCKET_URL: socket.url,
      STEP_LEASE_SECONDS: String(config.stepLeaseSeconds),
      ...(tools && { TOOL_QUEUE_URL: tools.queue.queueUrl }),
      ...deliveries?.environment,
    };
  }

  private may({ blobs, steps, tools, deliveries, socket }: StepsProps) {
    return [
      onBlobs(blobs, 'GetObject', 'PutObject'),
      steps.sending(),
      ...(tools ? [sendTo(tools.queue)] : []),
      ...(deliveries?.sending() ?? []),
      pushTo(socket.api),
    ];
  }
}
