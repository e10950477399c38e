import definition from '#definition';
import type { Days } from '../../shared/agent/entrypoints/days/store.ts';
import type { Graves } from '../../shared/agent/entrypoints/graves.ts';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import type { BudgetOptions } from '../../shared/aws/budgets.ts';
import { clients } from '../../shared/aws/clients.ts';
import { createDeadDeliveries } from '../../shared/aws/dead-deliveries.ts';
import type { Dynamo } from '../../shared/aws/dynamo.ts';
import { createLinks } from '../../shared/aws/links.ts';
import { once } from '../../shared/aws/once.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { createTickets } from '../../shared/aws/tickets.ts';
import { createUploads } from '../../shared/aws/uploads.ts';
import { createCallbacks } from '../../shared/callbacks/callbacks.ts';
import { noCallbacks } from '../../shared/callbacks/none.ts';
import type { BudgetAccounts } from '../../shared/edge/budgets.ts';
import type { ListedSessions } from '../../shared/edge/listed.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { openCredentials } from '../middleware/credentials.ts';
import { optionalEnv, readEnv, s3Endpoint, tenantLimits } from '../middleware/environment.ts';
import type { RouteContext } from '../routes/context.ts';
import { outboundPorts } from './edge.ts';
import { feedbackOf } from './feedback.ts';
import { openLimits } from './limits.ts';
import { openPace } from './pace.ts';
import { sealedLinks } from './sealed-links.ts';
import { tenantKeysOf } from './tenant-keys.ts';

/** Loaded with the first request that lists sessions. */
function listedOf(dynamo: Dynamo): ListedSessions {
  const open = once(() =>
    import('../../shared/aws/listed.ts').then(({ createListed }) => createListed(dynamo)),
  );
  return {
    page: async (...args) => (await open()).page(...args),
    read: async (key) => (await open()).read(key),
    rename: async (...args) => (await open()).rename(...args),
  };
}

/** Loaded with the first request that deletes a session. This function may not delete what is stored of it. */
function gravesOf(dynamo: Dynamo): Pick<Graves, 'bury'> {
  const open = once(() =>
    import('../../shared/aws/graves.ts').then(({ createGraves }) => createGraves(dynamo)),
  );
  return { bury: async (...args) => (await open()).bury(...args) };
}

/** Loaded with the first request to delete a person's data. The sweeper deletes it. */
function peopleOf(dynamo: Dynamo): RouteContext['people'] {
  const open = once(() =>
    import('../../shared/aws/people.ts').then(({ createPeople }) => createPeople(dynamo)),
  );
  return {
    begin: async (...args) => (await open()).begin(...args),
    move: async (...args) => (await open()).move(...args),
    read: async (person) => (await open()).read(person),
  };
}

/** Loaded with the first request for a schedule. */
function schedulesOf(dynamo: Dynamo, clock: Pick<Clock, 'now'>): RouteContext['schedules'] {
  const open = once(() =>
    import('../../shared/aws/schedules.ts').then(({ createSchedules }) => createSchedules(dynamo, clock)),
  );
  return {
    create: async (stored) => (await open()).create(stored),
    read: async (key) => (await open()).read(key),
    write: async (to) => (await open()).write(to),
    remove: async (key) => (await open()).remove(key),
    page: async (...args) => (await open()).page(...args),
    count: async (...args) => (await open()).count(...args),
    records: async (...args) => (await open()).records(...args),
  };
}

/** Loaded with the first request for a budget. */
function budgetsOf(items: BudgetOptions): BudgetAccounts {
  const open = once(() =>
    import('../../shared/aws/budget-accounts.ts').then(({ createBudgetAccounts }) =>
      createBudgetAccounts(items),
    ),
  );
  return {
    own: async (tenant) => (await open()).own(tenant),
    set: async (...args) => (await open()).set(...args),
    used: async (...args) => (await open()).used(...args),
  };
}

/** Loaded with the first request for a history of days. */
function daysOf(dynamo: Dynamo): Pick<Days, 'begin' | 'read'> {
  const open = once(() => import('../../shared/aws/days.ts').then(({ createDays }) => createDays(dynamo)));
  return {
    begin: async (...args) => (await open()).begin(...args),
    read: async (...args) => (await open()).read(...args),
  };
}

/** The ports of the HTTP API, and the accepted credentials. */
export function httpPorts() {
  const { agents, webhooks, slack } = definition;
  const env = readEnv('TABLE_NAME', 'STEP_QUEUE_URL', 'BLOB_BUCKET');
  const signing = optionalEnv('CALLBACK_SIGNING_SECRET_ID');
  const socketUrl = optionalEnv('SOCKET_URL');
  const deliveries = optionalEnv('DELIVERY_QUEUE_URL');
  const { io, dynamo } = outboundPorts({
    ...env,
    ...(socketUrl && { SOCKET_URL: socketUrl }),
    ...(deliveries && { DELIVERY_QUEUE_URL: deliveries }),
  });
  const keys = createApiKeys(dynamo, io.clock);
  const context: RouteContext = {
    io,
    uploads: createUploads(dynamo, io.clock),
    links: sealedLinks(
      createLinks({ identity: clients.dynamo().config, endpoint: s3Endpoint() }, env.BLOB_BUCKET),
      io.blobs,
    ),
    tenantKeys: tenantKeysOf(),
    tickets: createTickets(dynamo, io.clock),
    keys,
    limits: openLimits(dynamo, io),
    agents,
    priceOf,
    callbacks: signing
      ? createCallbacks({
          allowLoopback: optionalEnv('CALLBACK_LOOPBACK') === 'allow',
          masters: () => io.secrets.get(signing),
        })
      : noCallbacks,
    webhooks,
    hasSlack: slack !== undefined,
    listed: listedOf(dynamo),
    feedback: feedbackOf(dynamo),
    graves: gravesOf(dynamo),
    schedules: schedulesOf(dynamo, io.clock),
    people: peopleOf(dynamo),
    budgets: budgetsOf({ dynamo, clock: io.clock }),
    days: daysOf(dynamo),
    tenantLimits: tenantLimits(),
    dead: createDeadDeliveries(dynamo, createBodies(io.blobs), io.clock),
  };
  const credentials = openCredentials({ keys, secrets: io.secrets });
  return { context, credentials, pace: openPace(dynamo, io.clock), isOutage };
}
