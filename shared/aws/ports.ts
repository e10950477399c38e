import { randomBytes } from 'node:crypto';
import { type Amount, isNothing, nothing } from '../agent/budgets/amount.ts';
import { noBudgets } from '../agent/budgets/none.ts';
import type { TenantBudgets } from '../agent/budgets/reservation.ts';
import type { Memories } from '../agent/memories/store.ts';
import type { Egress } from '../agent/ports/egress.ts';
import type { Listings } from '../agent/ports/listings.ts';
import type { Ids, Ports } from '../agent/ports/ports.ts';
import type { Secrets } from '../edge/secrets.ts';
import type { SignStore } from '../edge/signs.ts';
import { wallClock } from '../wall-clock.ts';
import { createBlobs } from './blobs.ts';
import { createBodies } from './bodies.ts';
import type { BudgetOptions } from './budgets.ts';
import { type Clients, clients as sharedClients } from './clients.ts';
import { createConfig } from './config.ts';
import { createDynamo, type Dynamo } from './dynamo.ts';
import { createInbox } from './inbox.ts';
import { openLater } from './later.ts';
import { createLog } from './log.ts';
import { meter } from './meter.ts';
import { once } from './once.ts';
import { createQueue } from './queue.ts';
import { resources } from './resources.ts';
import type { Sealing } from './sealing.ts';
import { createSecrets } from './secrets.ts';
import { createSessions } from './sessions.ts';
import { createSockets } from './sockets.ts';
import { bill } from './spent.ts';

export interface AwsOptions {
  readonly tableName: string;
  /** The step queue, or one for each lane; absent in functions that wake no session. */
  readonly stepQueueUrls?: readonly string[];
  /** The tool queue; absent in functions that send no calls. */
  readonly toolQueueUrl?: string | undefined;
  /** The queue whose messages the function hides while it works on them; absent in those that hide none. */
  readonly consumedQueueUrl?: string;
  /** The queue of deliveries; absent in functions that commit nothing. */
  readonly deliveryQueueUrl?: string | undefined;
  /** The queue of deliveries to Slack, if it has its own. */
  readonly slackDeliveryQueueUrl?: string | undefined;
  /** `wss://…/stage` of the WebSocket API; absent in functions that push nothing. */
  readonly socketUrl?: string | undefined;
  readonly bucket: string;
  /** Base URL of the HTTP API, where calls are answered later; absent in functions that run no tools. */
  readonly httpUrl?: string | undefined;
  /** Another S3 endpoint than AWS's, as `AWS_ENDPOINT_URL_S3` names it. */
  readonly s3Endpoint?: string;
  /** Limits of every tenant for a UTC day; 0 or absent = unlimited. */
  readonly tenantLimits?: Amount;
  /** The settings that tools may ask for, by name. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** For the laptop: tools may fetch from this machine. */
  readonly fetchLoopback?: boolean;
  /** Secrets Manager ids, by the setting that holds them. */
  readonly secretIds?: Readonly<Record<string, string | undefined>>;
  /** Data keys of tenants; undefined if the deployment has none. */
  readonly sealing?: Sealing | undefined;
  /** Clients to use in place of this environment's own. */
  readonly clients?: Clients;
}

/** All ports on AWS except the model's, and what adapters need: secrets, and signs of rate limits. */
export type AwsPorts = Omit<Ports, 'provider'> & { readonly secrets: Secrets; readonly signs: SignStore };

/**
 * Composes the adapters. Nothing is sent, and nothing is loaded except the clients of the hot path, before it is used.
 */
export function awsPorts(options: AwsOptions): AwsPorts {
  const { tableName, stepQueueUrls, toolQueueUrl, consumedQueueUrl, deliveryQueueUrl } = options;
  const { socketUrl, bucket } = options;
  const { settings = {}, secretIds = {} } = options;
  const { clients = sharedClients, sealing } = options;
  const [table, s3] = [createDynamo(clients.dynamo(), tableName), clients.s3(options.s3Endpoint)];
  const dynamo = sealing?.table(table) ?? table;
  const blobs = createBlobs(sealing?.objects(s3) ?? s3, bucket);
  const items = { dynamo, bodies: createBodies(blobs), clock: wallClock };
  const secrets = secretsOf(clients);
  return {
    clock: wallClock,
    ids,
    secrets,
    sessions: createSessions(items),
    inbox: createInbox(items),
    listings: listingsOf(dynamo),
    log: createLog(items),
    blobs,
    egress: egressOf(options.fetchLoopback ?? false),
    memories: memoriesOf(dynamo),
    schedules: schedulesOf(dynamo),
    signs: signsOf(dynamo),
    queue: createQueue(clients.sqs(), {
      steps: stepQueueUrls,
      tools: toolQueueUrl,
      deliveries: deliveryQueueUrl,
      slackDeliveries: options.slackDeliveryQueueUrl,
      consumed: consumedQueueUrl,
      // Its messages would hold slots in the clear.
      ...(sealing && { withoutSlots: true }),
    }),
    sockets: socketUrl ? createSockets(() => clients.sockets(socketUrl)) : noSockets,
    config: createConfig({ settings, secretIds, secrets }),
    resources,
    meter,
    bill,
    budgets: budgetsOf(options.tenantLimits ?? nothing, items),
    later: openLater(options.httpUrl, items),
  };
}

/** Loaded with the first reservation, and not at all where nothing is limited. */
function budgetsOf(limits: Amount, items: BudgetOptions): TenantBudgets {
  if (isNothing(limits)) return noBudgets;
  const open = once(() =>
    import('./tenant-budgets.ts').then(({ openBudgets }) => openBudgets(limits, items)),
  );
  return {
    reserve: async (...args) => (await open()).reserve(...args),
    settle: async (...args) => (await open()).settle(...args),
  };
}

/** Loaded with the first fetch of a tool. */
function egressOf(allowLoopback: boolean): Egress {
  const open = once(() =>
    import('./egress.ts').then(({ guardedEgress, httpSend }) =>
      guardedEgress({ send: httpSend({ allowLoopback }), clock: wallClock, allowLoopback }),
    ),
  );
  return { fetch: async (...args) => (await open()).fetch(...args) };
}

/** Loaded with the first call that saves or searches memories. */
function memoriesOf(dynamo: Dynamo): Memories {
  const open = once(() => import('./memories.ts').then(({ createMemories }) => createMemories(dynamo)));
  return {
    save: async (...args) => (await open()).save(...args),
    all: async (...args) => (await open()).all(...args),
    forget: async (...args) => (await open()).forget(...args),
  };
}

/** Loaded with the first call that sets or lists reminders. */
function schedulesOf(dynamo: Dynamo): Ports['schedules'] {
  const open = once(() =>
    import('./schedules.ts').then(({ createSchedules }) => createSchedules(dynamo, wallClock)),
  );
  return {
    create: async (...args) => (await open()).create(...args),
    read: async (...args) => (await open()).read(...args),
    count: async (...args) => (await open()).count(...args),
    page: async (...args) => (await open()).page(...args),
    records: async (...args) => (await open()).records(...args),
    remove: async (...args) => (await open()).remove(...args),
  };
}

/** Loaded with the first session that begins, waits or ends. */
function listingsOf(dynamo: Dynamo): Listings {
  const open = once(() => import('./listings.ts').then(({ createListings }) => createListings(dynamo)));
  return { moved: async (...args) => (await open()).moved(...args) };
}

/** Loaded when a model's server first refuses a request. */
function signsOf(dynamo: Dynamo): SignStore {
  const open = once(() => import('./signs.ts').then(({ createSigns }) => createSigns(dynamo)));
  return {
    read: async (of) => (await open()).read(of),
    put: async (...args) => (await open()).put(...args),
  };
}

const noSockets: Ports['sockets'] = { post: async () => 'failed' };

/** Random ids of 26 letters and digits. */
export const ids: Ids = {
  next: () =>
    BigInt(`0x${randomBytes(17).toString('hex')}`)
      .toString(36)
      .padStart(27, '0')
      .slice(-26),
  random: Math.random,
};

const secretsByClients = new WeakMap<Clients, Secrets>();

/** One cache of secrets per environment, however often ports are composed. */
function secretsOf(clients: Clients): Secrets {
  const secrets = secretsByClients.get(clients) ?? createSecrets(clients.secretsManager, wallClock);
  secretsByClients.set(clients, secrets);
  return secrets;
}
