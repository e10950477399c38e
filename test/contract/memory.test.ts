import { createAges } from '../../shared/memory/ages.ts';
import { createApiKeys } from '../../shared/memory/api-keys.ts';
import { createConnections } from '../../shared/memory/connections.ts';
import { createActivity, createDays } from '../../shared/memory/days.ts';
import { createDeadDeliveries } from '../../shared/memory/dead-deliveries.ts';
import { createFeedback } from '../../shared/memory/feedback.ts';
import { createHookLog } from '../../shared/memory/hook-log.ts';
import { createLimits } from '../../shared/memory/limits.ts';
import { createLinks } from '../../shared/memory/links.ts';
import { createMailStore } from '../../shared/memory/mail.ts';
import { createPeople } from '../../shared/memory/people.ts';
import { createRequestCounts } from '../../shared/memory/request-counts.ts';
import { createSchedules } from '../../shared/memory/schedules.ts';
import { createSecrets } from '../../shared/memory/secrets.ts';
import { createSlackStore } from '../../shared/memory/slack.ts';
import { createSlackTokens } from '../../shared/memory/slack-tokens.ts';
import { createStreams } from '../../shared/memory/streams.ts';
import { createTickets } from '../../shared/memory/tickets.ts';
import { createUploads } from '../../shared/memory/uploads.ts';
import { memoryWorld } from '../../testing/memory-world.ts';
import { apiKeysContract } from './api-keys.ts';
import { blobsContract } from './blobs.ts';
import { connectionsContract } from './connections.ts';
import { activityContract, daysContract } from './days.ts';
import { deadDeliveriesContract } from './dead-deliveries.ts';
import { eventLogContract } from './event-log.ts';
import { feedbackContract } from './feedback.ts';
import { gravesContract } from './graves.ts';
import type { OpenStores } from './harness.ts';
import { hookLogContract } from './hook-log.ts';
import { inboxStoreContract } from './inbox-store.ts';
import { laterContract } from './later.ts';
import { limitsContract } from './limits.ts';
import { linksContract } from './links.ts';
import { listingsContract } from './listings.ts';
import { mailStoreContract } from './mail-store.ts';
import { memoriesContract } from './memories.ts';
import { outboundContract } from './outbound.ts';
import { peopleContract } from './people.ts';
import { queueContract } from './queue.ts';
import { requestCountsContract } from './request-counts.ts';
import { schedulesContract } from './schedules.ts';
import { secretsContract, slackTokensContract } from './secrets.ts';
import { servicesContract } from './services.ts';
import { sessionStoreContract } from './session-store.ts';
import { signsContract } from './signs.ts';
import { slackStoreContract } from './slack-store.ts';
import { socketsContract } from './sockets.ts';
import { streamsContract } from './streams.ts';
import { tenantBudgetsContract } from './tenant-budgets.ts';
import { ticketsContract } from './tickets.ts';
import { uploadsContract } from './uploads.ts';

const openWithLater = async () => {
  let next: (() => Promise<void>) | undefined;
  const world = memoryWorld({
    async betweenWrites() {
      const act = next;
      next = undefined;
      await act?.();
    },
  });
  return {
    ...world,
    duringNextAccept(act: () => Promise<void>) {
      next = act;
    },
  };
};
const open: OpenStores = openWithLater;

sessionStoreContract('memory', open);
daysContract('memory', async () => createDays());
activityContract('memory', async () => {
  const { listings } = memoryWorld();
  return { listings, activity: createActivity(listings) };
});
laterContract('memory', openWithLater);
outboundContract('memory', async () => memoryWorld().outbound);
inboxStoreContract('memory', open);
eventLogContract('memory', open);
blobsContract('memory', open);
servicesContract('memory', open);
memoriesContract('memory', async () => memoryWorld().memories);
gravesContract('memory', async () => {
  const world = memoryWorld();
  const { graves, listings } = world;
  return {
    ...world,
    duringNextAccept: () => undefined,
    listed: listings,
    ages: createAges(listings),
    left: async (of) => graves.left(of).filter((name) => name !== 'graves'),
    hasTombstone: async (of) => graves.left(of).includes('graves'),
  };
});
listingsContract('memory', async () => memoryWorld().listings);
signsContract('memory', async () => memoryWorld().signs);
tenantBudgetsContract('memory', async (limits = {}) => memoryWorld({ limitsOfTenants: limits }).budgetStore);

queueContract('memory', async () => {
  const { queue, clock } = memoryWorld({ queue: { visibilityMs: 2000, maxReceiveCount: 3 } });
  return {
    queue,
    receive: async () => queue.receive(),
    receiveDelivery: async () => queue.deliveries.receive()?.wake,
    delete: async (handle) => queue.delete(handle),
    dead: async () => queue.takeDeadLetter(),
    calls: async () => {
      const call = queue.calls.receive();
      return call && { call: call.wake, messageId: call.handle.messageId };
    },
    pass: (ms) => clock.advance(ms),
  };
});

socketsContract('memory', async () => {
  const { sockets } = memoryWorld();
  const answers = {
    there: 'sent',
    gone: 'gone',
    throttled: 'slow',
    hanging: 'slow',
    broken: 'failed',
  } as const;
  return {
    sockets,
    client: (connectionId, is) => sockets.answer(connectionId, answers[is]),
    received: (id) => sockets.sent.filter(({ connectionId }) => connectionId === id).map(({ data }) => data),
    stop: async () => undefined,
  };
});
feedbackContract('memory', async () => createFeedback(memoryWorld().table));
mailStoreContract('memory', async () => createMailStore());
slackStoreContract('memory', async (clock) => createSlackStore(clock));
hookLogContract('memory', async () => createHookLog());
deadDeliveriesContract('memory', async () => createDeadDeliveries());
peopleContract('memory', async () => createPeople());
schedulesContract('memory', async () => createSchedules());
uploadsContract('memory', async (clock) => createUploads(clock));
linksContract('memory', async () => {
  const { blobs, clock } = memoryWorld();
  const links = createLinks(blobs, clock);
  return { links, blobs, fetch: links.fetch, pass: async (seconds) => clock.advance(seconds * 1000) };
});
ticketsContract('memory', async (clock) => createTickets(clock));
connectionsContract('memory', async (clock) => createConnections(clock));
apiKeysContract('memory', async (clock) => createApiKeys(clock));
streamsContract('memory', async (clock, atOnce) => createStreams(clock, atOnce));
limitsContract('memory', async (clock, options) => {
  const { table, sessions, inbox } = memoryWorld();
  return { limits: createLimits(table, clock, options), sessions, inbox };
});
requestCountsContract('memory', async () => createRequestCounts());
slackTokensContract('memory', async () => ({ tokens: createSlackTokens(), stop: async () => undefined }));
secretsContract('memory', async () => {
  const values: Record<string, string> = {};
  return {
    secrets: createSecrets(values),
    async set(id, value) {
      values[id] = value;
    },
    stop: async () => undefined,
  };
});
