/**
 * One plain stack for all files of a process that need nothing special of theirs: a stack, and the cold starts of its functions, take
 * two seconds of CPU. Each file gets it as it was at first: without sessions, messages and invocations. Warm environments
 * stay, as on AWS. A stack that does not come to rest is stopped, and the next file starts another.
 */

import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Counterpart, type Engine, type EngineOptions, local, startEngine } from './engine.ts';
import { canBeFronted, type ModelFronts, startModelFronts } from './model-fronts.ts';

/** A lease of the shared stack. */
export interface Lease {
  readonly engine: Engine;
  end(): Promise<void>;
}

interface Shared {
  readonly engine: Engine;
  readonly fronts: ModelFronts;
  /** Invocations that have not ended. */
  running: number;
  isLeased: boolean;
}

/** Names of the model servers that the agents of the tests know. */
const MODELS = ['primary', 'secondary', 'bedrock', 'google'];

/** How long a stack may take to come to rest, in ms. */
const REST_MS = 2_000;

let shared: Shared | undefined;

/** Whether the shared stack can reach these model servers. */
export const canShare = (modelUrls: EngineOptions['modelUrls']): boolean =>
  Object.entries(modelUrls).every(([name, url]) => MODELS.includes(name) && canBeFronted(url));

/** Leases the stack of this process, and starts one if there is none, or if another lease of it has not ended. */
export async function lease(
  options: Pick<EngineOptions, 'assembly' | 'leaseSeconds'>,
  modelUrls: EngineOptions['modelUrls'],
  counterpart: Counterpart,
): Promise<Lease> {
  // The file that has it failed before its end, or has two. Then it is that file's own.
  if (shared?.isLeased) shared = undefined;
  shared ??= await start(options);
  const mine = shared;
  mine.isLeased = true;
  mine.fronts.leadTo(modelUrls);
  mine.engine.serve(observing(mine, counterpart));
  let ended: Promise<void> | undefined;
  return {
    engine: mine.engine,
    end() {
      ended ??= giveBack(mine);
      return ended;
    },
  };
}

async function giveBack(mine: Shared): Promise<void> {
  mine.fronts.leadTo({});
  mine.engine.serve(observing(mine, {}));
  if (mine === shared && (await rests(mine))) {
    mine.isLeased = false;
    return;
  }
  if (mine === shared) shared = undefined;
  await mine.engine.stop();
}

async function start(options: Pick<EngineOptions, 'assembly' | 'leaseSeconds'>): Promise<Shared> {
  const fronts = await startModelFronts(MODELS);
  const observed = { running: 0 };
  const engine = await startEngine({ ...options, modelUrls: fronts.urls }, observing(observed, {}));
  return Object.assign(observed, { engine, fronts, isLeased: false });
}

const observing = (counted: { running: number }, counterpart: Counterpart): Counterpart => ({
  ...counterpart,
  onInvocation(event) {
    counted.running += event.kind === 'start' ? 1 : -1;
    counterpart.onInvocation?.(event);
  },
});

/** Empties the stack. Resolves with whether it has come to rest. */
async function rests(mine: Shared): Promise<boolean> {
  const { endpoints, outputs } = mine.engine.stack;
  const sqs = new SQSClient({ ...local, endpoint: endpoints.sqs });
  const dynamo = new DynamoDBClient({ ...local, endpoint: endpoints.dynamodb });
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const purge = () => Promise.all(QueueUrls.map((QueueUrl) => sqs.send(new PurgeQueueCommand({ QueueUrl }))));
  const end = Date.now() + REST_MS;
  await purge();
  while (mine.running > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  await purge();
  await empty(dynamo, outputs.TableName ?? '');
  sqs.destroy();
  dynamo.destroy();
  return mine.running === 0;
}

/** Most items of a batch. */
const BATCH = 25;

/** Warm environments remember which definitions are stored, and on AWS they stay. */
const stays = ({ pk }: Record<string, AttributeValue>): boolean => pk?.S?.includes('#definition#') === true;

async function empty(dynamo: DynamoDBClient, TableName: string): Promise<void> {
  const wanted = { TableName, ProjectionExpression: 'pk, sk' };
  let from: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamo.send(
      new ScanCommand({ ...wanted, ExclusiveStartKey: from }),
    );
    const items = Items.filter((item) => !stays(item));
    for (let at = 0; at < items.length; at += BATCH) {
      const deletes = items.slice(at, at + BATCH).map((Key) => ({ DeleteRequest: { Key } }));
      await dynamo.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: deletes } }));
    }
    from = LastEvaluatedKey;
  } while (from);
}
