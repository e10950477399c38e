import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDestination } from '../../shared/agent/outbound/destination.ts';
import { createAges } from '../../shared/aws/ages.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createGraves } from '../../shared/aws/graves.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import { createListed } from '../../shared/aws/listed.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { signedFetch } from '../support/signed.ts';
import { openAwsLater, openAwsStores } from './aws-stores.ts';
import { type GraveStores, gravesContract } from './graves.ts';
import { aSession, key, now, restingSession } from './harness.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

async function open(): Promise<GraveStores & { readonly tableName: string }> {
  const { bucket, s3 } = await aws.withBucket();
  const stores = await openAwsStores({ ...aws, bucket });
  const client = aws.clients.dynamo();
  const dynamo = createDynamo(client, stores.tableName);
  const named = async ({ tenant, sessionId }: SessionKey) => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: stores.tableName }));
    const word = new RegExp(`(?<![\\w-])${sessionId}(?![\\w-])`);
    const ofTenant = (text: string) => text.includes(tenant) && word.test(text);
    const items = Items.map((item) => unmarshall(item)).filter((item) =>
      ofTenant(JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value))),
    );
    return { items, objects: (await keysIn(`${s3.endpoint}/${bucket}`)).filter(ofTenant) };
  };
  return {
    ...stores,
    outbound: createOutbound(dynamo),
    later: openAwsLater({ ...aws, bucket }, client, stores.tableName),
    listings: createListings(dynamo),
    listed: createListed(dynamo),
    graves: createGraves(dynamo, createPurge(s3, bucket)),
    ages: createAges(client, stores.tableName, dynamo),
    async left(of) {
      const { items, objects } = await named(of);
      const isTombstone = ({ sk }: (typeof items)[number]) => sk === 'HEAD' || sk === 'LISTED';
      return [
        ...items.filter((item) => !isTombstone(item)).map(({ pk, sk }) => `${pk} ${sk}`),
        ...objects,
      ].sort();
    },
    hasTombstone: async (of) => (await named(of)).items.length > 0,
  };
}

/** All keys of a bucket. */
async function keysIn(url: string): Promise<string[]> {
  const xml = await (await signedFetch('s3', `${url}?list-type=2`)).text();
  return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
}

gravesContract('aws', open);

test('aws: a tombstone holds no conversation text, and no expiry time for DynamoDB', async () => {
  const stores = await open();
  await restingSession(stores);
  await stores.listings.moved(
    key,
    { agent: 'triage', state: 'completed', steps: 1, totals: aSession().totals, at: now, order: 2 },
    { title: 'A secret', source: 'http', user: 'ada' },
  );
  await stores.graves.bury(key, now);
  const { Items = [] } = await aws.clients.dynamo().send(new ScanCommand({ TableName: stores.tableName }));
  const tombstones = Items.map((item) => unmarshall(item)).filter(
    ({ sk }) => sk === 'HEAD' || sk === 'LISTED',
  );
  expect(tombstones).toEqual([
    { pk: 'acme#s1', sk: 'HEAD', buriedAt: now, sweepAt: now, dueShard: 'buried' },
    { pk: 'acme#s1', sk: 'LISTED', order: Number.MAX_SAFE_INTEGER },
  ]);
});

test('aws: Slack’s list entries of a session are deleted with it, also late ones and those from before homes were recorded', async () => {
  const stores = await open();
  const dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
  const slack = createSlackStore(dynamo, { now: () => now });
  const place = { team: 'T1', channel: 'C1', thread: '1.2' };
  const note = (sessionId: string, user: string) =>
    slack.noteSession('acme', user === 'U2' ? 'T2' : 'T1', user, { sessionId, place, title: 'A', at: now });
  await restingSession(stores);
  await stores.outbound.put(key, newDestination('slack', 'slack', { place, user: 'U0' }));
  // An entry from before homes were recorded.
  await aws.clients.dynamo().send(
    new PutItemCommand({
      TableName: stores.tableName,
      Item: marshall({ pk: 'acme#slack#T1#U0', sk: 'S#s1', place, title: 'A', at: now }),
    }),
  );
  for (const user of ['U1', 'U2']) await note('s1', user);
  await note('s2', 'U1');
  await stores.graves.bury(key, now);
  const grave = { key, buriedAt: now, at: now };
  await stores.graves.erase(grave);
  expect(await stores.left(key)).toEqual([]);
  expect(await slack.sessionsIn('acme', 'T1', '', 10)).toEqual(['s2']);
  expect((await slack.sessionsOf('acme', 'T1', 'U1')).map(({ sessionId }) => sessionId)).toEqual(['s2']);
  await note('s1', 'U1');
  await stores.graves.erase(grave);
  expect(await stores.left(key)).toEqual([]);
});

test('aws: a deleted session is not counted as running', async () => {
  const stores = await open();
  const dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
  const numbers = { messagesPerMinute: 100, sessionsAtOnce: 300 };
  const limits = createLimits(dynamo, { clock: { now: () => now }, ids: { random: () => 0 } }, numbers);
  await limits.session(key);
  await limits.session({ ...key, sessionId: 's2' });
  await limits.forget(key);
  await limits.forget(key);
  expect(await stores.left(key)).toEqual([]);
  expect(await stores.left({ ...key, sessionId: 's2' })).toHaveLength(1);
});
