/**
 * Deletes sessions from the table and the bucket. The functions that delete sessions load it, and so does the sweeper.
 */

import type { Burial, Grave, Graves } from '../agent/entrypoints/graves.ts';
import { blobKey } from '../agent/plain/blob-key.ts';
import type { SessionKey } from '../contract/session.ts';
import { duePages } from './due-index.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';
import { sorted } from './head.ts';
import { isLiving } from './heads.ts';
import {
  buriedShard,
  destinationPrefix,
  grantKey,
  headKey,
  listingKey,
  pkOf,
  sessionKeyOf,
  slackHomeKey,
  slackWorkspaceKey,
  tokenPrefix,
} from './layout.ts';
import type { Purge } from './purge.ts';

/** Tombstones on one page. */
const PAGE = 20;
/** Items that are deleted at once. */
const AT_ONCE = 25;
/** Higher than the order of any standing, so that every later write to the lists is refused. */
const LAST_ORDER = Number.MAX_SAFE_INTEGER;
const isBuried = 'attribute_exists(#buriedAt)';

/**
 * Deleting in DynamoDB and S3. The tombstone of HEAD records when the session was deleted, when a sweep is to look
 * after it, and the Slack workspaces that note it. The tombstone of `LISTED` has only an order. Neither keeps any of
 * the conversation.
 *
 * @param purge deletes objects; absent in functions that only bury
 */
export function createGraves(dynamo: Dynamo, purge: Purge = cannotPurge): Graves {
  return {
    async bury(key, now, { seen, origin } = {}) {
      const rests = ['attribute_not_exists(#dueAt)', 'attribute_not_exists(#sweepAt)'];
      const nobodyOwnsIt = 'attribute_not_exists(#owner)';
      const nothingIsPending = 'attribute_not_exists(#pending)';
      const nobodyHasForkedIt = 'attribute_not_exists(#forks)';
      const isAsSeen = seen ? ['#epoch = :epoch', '#inboxSeq = :inboxSeq'] : [];
      const written = await dynamo.put(
        { ...headKey(key), buriedAt: now, dueShard: buriedShard, sweepAt: now, ...(origin && { origin }) },
        [isLiving, ...rests, nobodyOwnsIt, nothingIsPending, nobodyHasForkedIt, ...isAsSeen],
        seen && { epoch: seen.epoch, inboxSeq: seen.inboxSeq },
      );
      const burial: Burial =
        written.kind === 'written' ? { kind: 'buried' } : whyNotBuried(written.item, now);
      if (burial.kind === 'buried') await unlist(dynamo, key);
      return burial;
    },

    async read(key) {
      const head = await dynamo.get(headKey(key));
      return head?.buriedAt === undefined ? undefined : toGrave(head);
    },

    async *due(now) {
      for await (const { items } of duePages(dynamo, buriedShard, now, PAGE)) {
        if (items.length === 0) continue;
        const heads = await dynamo.getAll(items.map(({ pk, sk }) => ({ pk, sk })));
        yield heads.filter(({ buriedAt, sweepAt }) => buriedAt !== undefined && sweepAt <= now).map(toGrave);
      }
    },

    async move({ key, at: before }, at) {
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#sweepAt = :at'],
        when: [isBuried, '#sweepAt = :before'],
        values: { at, before },
      });
      return written.kind === 'written' ? toGrave(written.item) : undefined;
    },

    async erase({ key }) {
      await unlist(dynamo, key);
      await eraseItems(dynamo, key);
      await forgetInSlack(dynamo, key);
      const { tenant, sessionId } = key;
      await purge(`${blobKey(tenant, sessionId)}/`);
      await purge(`${blobKey(pkOf(key))}/`);
    },

    async close({ key, at }) {
      const isTombstone = '#order = :last';
      await dynamo.remove(listingKey(key), [isTombstone], { last: LAST_ORDER });
      await dynamo.remove(headKey(key), [isBuried, '#sweepAt = :at'], { at });
    },
  };
}

/** Makes HEAD a tombstone whatever its state: for a session that can no longer be read (`removed-tenants.ts`). */
export async function buryUnread(dynamo: Dynamo, key: SessionKey, now: number): Promise<void> {
  const isNotBuried = 'attribute_not_exists(#buriedAt)';
  await dynamo.put({ ...headKey(key), buriedAt: now, dueShard: buriedShard, sweepAt: now }, [isNotBuried]);
  await unlist(dynamo, key);
}

/** Takes the session off the lists, even if it was never on one. */
const unlist = (dynamo: Dynamo, key: SessionKey) => dynamo.put({ ...listingKey(key), order: LAST_ORDER });

const cannotPurge: Purge = () => Promise.reject(new Error('this function deletes no objects'));

function whyNotBuried(head: Item | undefined, now: number): Burial {
  // An earlier try was applied and its answer lost.
  if (head?.buriedAt === now) return { kind: 'buried' };
  if (head?.epoch === undefined) return { kind: 'unknown' };
  const rests = head.dueAt === undefined && head.sweepAt === undefined;
  return head.forks && rests ? { kind: 'forked', forks: sorted(head.forks) } : { kind: 'busy' };
}

const toGrave = ({ pk, buriedAt, sweepAt, origin }: Item): Grave => ({
  key: sessionKeyOf(pk),
  buriedAt,
  at: sweepAt,
  ...(origin && { origin }),
});

/** All items of the session's partition except both tombstones, and the items that only they lead to. */
async function eraseItems(dynamo: Dynamo, key: SessionKey): Promise<void> {
  const stay = [headKey(key).sk, listingKey(key).sk];
  let some: ItemKey[] = [];
  const flush = async () => {
    const now = some;
    some = [];
    await Promise.all(now.map((item) => dynamo.remove(item, [])));
  };
  // Every sort key lies between these two.
  for await (const { pk, sk, kind, config } of dynamo.range(pkOf(key), '!', '~')) {
    if (stay.includes(sk)) continue;
    if (sk.startsWith(tokenPrefix)) await dynamo.remove(grantKey(sk.slice(tokenPrefix.length)), []);
    if (sk.startsWith(destinationPrefix) && kind === 'slack') await noteWorkspace(dynamo, key, config);
    some.push({ pk, sk });
    if (some.length === AT_ONCE) await flush();
  }
  await flush();
}

/** The tombstone keeps the workspace that notes the session until it is removed, because a note may be written late. */
async function noteWorkspace(dynamo: Dynamo, key: SessionKey, config: string): Promise<void> {
  const { place, user } = JSON.parse(config);
  await dynamo.update({
    key: headKey(key),
    add: ['#slack :noted'],
    when: [isBuried],
    values: { noted: new Set([JSON.stringify([place.team, user])]) },
  });
}

/** The session's entries in Slack's lists: an item of its workspace, and one of each person who has spoken in it. */
async function forgetInSlack(dynamo: Dynamo, key: SessionKey): Promise<void> {
  const { tenant, sessionId } = key;
  const head = await dynamo.get(headKey(key));
  for (const noted of sorted(head?.slack)) {
    const [team, user] = JSON.parse(noted);
    const workspace = slackWorkspaceKey(tenant, team, sessionId);
    const { homes } = (await dynamo.get(workspace)) ?? {};
    const people = [[team, user], ...sorted(homes).map((home) => JSON.parse(home))];
    await Promise.all(people.map(([of, who]) => dynamo.remove(slackHomeKey(tenant, of, who, sessionId), [])));
    await dynamo.remove(workspace, []);
  }
}
