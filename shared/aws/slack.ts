import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../agent/ports/ports.ts';
import type { SlackPlace } from '../slack/place.ts';
import type { SlackStore, UserSession } from '../slack/store.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { endOf, slackHomeKey, slackHomePk, slackWorkspaceKey, slackWorkspacePk, ttlFrom } from './layout.ts';

const MINUTE = 60;
/** Seconds for one pass through Slack's consent page. */
const STATE_LIFETIME = 10 * MINUTE;
/** Seconds for which the handling of a message is remembered. */
const ONCE_LIFETIME = 2 * 24 * 60 * MINUTE;
/** Seconds for which turns of bots are counted: longer than Slack repeats an event, and than bots wait for each other. */
const TURNS_LIFETIME = 2 * 24 * 60 * MINUTE;
/** Seconds for which the App Home remembers a session. */
const HOME_LIFETIME = 90 * 24 * 60 * MINUTE;

/**
 * Slack's side of the table: installations by workspace (no tenant's key, because the workspace tells the tenant),
 * states of the install flow, which channels are shared, the sessions of each workspace, and for each user the sessions
 * that their App Home lists.
 */
export function createSlackStore(dynamo: Dynamo, clock: Pick<Clock, 'now'>): SlackStore {
  return {
    async installation(team) {
      const item = await dynamo.get(installationKey(team));
      if (!item) return undefined;
      const { tenant, orgWide, enterprise, botUser, secretId, url, installedAt } = item;
      return { team, tenant, orgWide, enterprise, botUser, secretId, url, installedAt };
    },

    async install(installation) {
      const { team, tenant } = installation;
      const isFreeOrTheTenants = 'attribute_not_exists(#pk) OR #tenant = :tenant';
      const item = { ...installationKey(team), ...installation };
      const written = await dynamo.put(item, [isFreeOrTheTenants], { tenant });
      return written.kind === 'written' ? 'installed' : 'taken';
    },

    async uninstall(team, before) {
      const isOlder = '#installedAt < :before';
      const written = await dynamo.remove(installationKey(team), [isOlder], { before });
      return written.kind === 'written' || written.item === undefined ? 'uninstalled' : 'kept';
    },

    async claimRenewal(team, expiresAt, until) {
      const now = clock.now();
      const isFree = 'attribute_not_exists(#of) OR #of < :of OR (#of = :of AND #until <= :now)';
      const written = await dynamo.update({
        key: renewalKey(team),
        set: ['#of = :of', '#until = :until', '#ttl = :ttl'],
        when: [isFree],
        values: { of: expiresAt, until, now, ttl: ttlFrom(now, ONCE_LIFETIME) },
      });
      return written.kind === 'written';
    },

    async issueState(tenant) {
      const state = randomBytes(32).toString('base64url');
      const now = clock.now();
      const expiresAt = now + STATE_LIFETIME * 1000;
      await dynamo.put({ ...stateKey(state), tenant, expiresAt, ttl: ttlFrom(now, STATE_LIFETIME) });
      return state;
    },

    async redeemState(state) {
      // DynamoDB deletes expired items days late, so the condition looks at the time itself.
      const inTime = '#expiresAt > :now';
      const redeemed = await dynamo.remove(stateKey(state), [inTime], { now: clock.now() });
      return redeemed.kind === 'written' ? redeemed.item.tenant : undefined;
    },

    async once(team, name, value) {
      const isNew = 'attribute_not_exists(#pk)';
      const item = { ...onceKey(team, name), value, ttl: ttlFrom(clock.now(), ONCE_LIFETIME) };
      const written = await dynamo.put(item, [isNew]);
      return written.kind === 'written'
        ? { value, isNew: true }
        : { value: written.item?.value ?? value, isNew: false };
    },

    async noteShared(team, channel, shared) {
      await dynamo.put({ ...channelKey(team, channel), shared, ttl: ttlFrom(clock.now(), HOME_LIFETIME) });
    },

    async isShared(team, channel) {
      const item = await dynamo.get(channelKey(team, channel));
      return item?.shared;
    },

    async noteTurn(place, ts, by, most) {
      const key = turnsKey(place);
      const ttl = ttlFrom(clock.now(), TURNS_LIFETIME);
      if (by === 'person') {
        // An update must set something.
        await dynamo.update({ key, set: ['#ttl = :ttl'], remove: ['#turns'], when: [], values: { ttl } });
        return 0;
      }
      const room = 'attribute_not_exists(#turns) OR size(#turns) < :most OR contains(#turns, :ts)';
      const written = await dynamo.update({
        key,
        set: ['#ttl = :ttl'],
        add: ['#turns :turn'],
        when: [room],
        values: { ttl, most, ts, turn: new Set([ts]) },
      });
      // A repetition takes its own place in the row again.
      return written.kind === 'written' ? [...written.item.turns].sort().indexOf(ts) + 1 : most + 1;
    },

    async linkThread(place, { tenant, sessionId }) {
      const ttl = ttlFrom(clock.now(), HOME_LIFETIME);
      await dynamo.update({
        key: threadKey(place),
        set: ['#tenant = :tenant', '#sessionId = :sessionId', '#ttl = :ttl'],
        when: [],
        values: { tenant, sessionId, ttl },
      });
    },

    async linkedTo(place) {
      const item = await dynamo.get(threadKey(place));
      return item && { tenant: item.tenant, sessionId: item.sessionId };
    },

    async noteSession(tenant, team, user, { sessionId, place, title, at }) {
      const ttl = ttlFrom(at, HOME_LIFETIME);
      await Promise.all([
        // Records whose App Home lists it, for the process that deletes the session (`graves.ts`).
        dynamo.update({
          key: slackWorkspaceKey(tenant, place.team, sessionId),
          set: ['#ttl = :ttl'],
          add: ['#homes :homes'],
          when: [],
          values: { ttl, homes: new Set([JSON.stringify([team, user])]) },
        }),
        dynamo.update({
          key: slackHomeKey(tenant, team, user, sessionId),
          set: ['#place = :place', '#at = :at', '#title = if_not_exists(#title, :title)', '#ttl = :ttl'],
          when: [],
          values: { place, at, title, ttl },
        }),
      ]);
    },

    async sessionsIn(tenant, team, after, limit) {
      const found: string[] = [];
      // A key ends at the first character that no id has.
      const from = after === '' ? 'S#' : `S#${after} `;
      for await (const { sk } of dynamo.range(slackWorkspacePk(tenant, team), from, endOf('S#'), { limit })) {
        if (found.push(sk.slice('S#'.length)) === limit) break;
      }
      return found;
    },

    async sessionsOf(tenant, team, user) {
      const found: UserSession[] = [];
      for await (const item of dynamo.range(slackHomePk(tenant, team, user), 'S#', endOf('S#')))
        found.push(toUserSession(item));
      return found.sort((a, b) => b.at - a.at);
    },
  };
}

const toUserSession = ({ sk, place, title, at }: Item): UserSession => ({
  sessionId: sk.slice('S#'.length),
  place,
  title,
  at,
});

// No tenant's name starts with `_`, so these keys belong to no tenant.
const installationKey = (team: string) => ({ pk: `_slack#${team}`, sk: 'INSTALLATION' });
const renewalKey = (team: string) => ({ pk: `_slack#${team}`, sk: 'RENEWAL' });
const turnsKey = ({ team, channel, thread }: Required<SlackPlace>) => ({
  pk: `_slack#${team}`,
  sk: `TURNS#${channel}#${thread}`,
});

const threadKey = ({ team, channel, thread }: Required<SlackPlace>) => ({
  pk: `_slack#${team}`,
  sk: `THREAD#${channel}#${thread}`,
});

const channelKey = (team: string, channel: string) => ({ pk: `_slack#${team}`, sk: `CHANNEL#${channel}` });
const onceKey = (team: string, name: string) => ({ pk: `_slackonce#${team}#${name}`, sk: 'ONCE' });
const stateKey = (state: string) => ({
  pk: `_slackstate#${createHash('sha256').update(state).digest('hex')}`,
  sk: 'STATE',
});
