import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eraseBuried } from '../../shared/agent/entrypoints/erase.ts';
import { erasePeople, requestErasure } from '../../shared/agent/entrypoints/erase-person.ts';
import { GRAVE_MS } from '../../shared/agent/entrypoints/graves.ts';
import { stateOf } from '../../shared/agent/entrypoints/people.ts';
import { newDestination } from '../../shared/agent/outbound/destination.ts';
import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createGraves } from '../../shared/aws/graves.ts';
import { createListed } from '../../shared/aws/listed.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { createMemories } from '../../shared/aws/memories.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createPeople } from '../../shared/aws/people.ts';
import { createUploadsOfPeople } from '../../shared/aws/people-uploads.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { createSchedules } from '../../shared/aws/schedules.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createUploads } from '../../shared/aws/uploads.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { signedFetch } from '../support/signed.ts';
import { openAwsStores } from './aws-stores.ts';
import { aFrame, anEvent, aResult, aSession, aSlot, claimed, key, now, restOf } from './harness.ts';
import { peopleContract } from './people.ts';
import { aSchedule } from './schedules.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

peopleContract('aws', async () => createPeople(createDynamo(aws.clients.dynamo(), await aws.createTable())));

test('aws: after the deletion of a person no row and no object holds their planted words, nor their name', async () => {
  const { bucket, s3 } = await aws.withBucket();
  const stores = await openAwsStores({ ...aws, bucket });
  const client = aws.clients.dynamo();
  const dynamo = createDynamo(client, stores.tableName);
  const blobs = createBlobs(aws.clients.s3(), bucket);
  const time = { at: now, now: () => time.at, sleep: async () => undefined };
  const purge = createPurge(s3, bucket);
  const io = {
    ...{ clock: time, sessions: stores.sessions, queue: { send: async () => undefined } as never },
    ...{
      graves: createGraves(dynamo, purge),
      people: createPeople(dynamo),
      memories: createMemories(dynamo),
    },
    ...{ uploads: createUploadsOfPeople(dynamo, time, purge), listed: createListed(dynamo) },
    limits: { forget: async () => undefined },
    schedules: createSchedules(dynamo, time),
  };
  const rows = async () => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: stores.tableName }));
    return Items.map((item) => unmarshall(item)).map(({ pk, sk, ...item }) => ({
      name: `${pk} ${sk}`,
      text: JSON.stringify({ pk, sk, ...item }, (_, value) => (value instanceof Set ? [...value] : value)),
    }));
  };
  const objects = async () => {
    const xml = await (await signedFetch('s3', `${s3.endpoint}/${bucket}?list-type=2`)).text();
    const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, one = '']) => one);
    const texts = keys.map(async (name) => ({ name, text: (await blobs.get(name)) ?? '' }));
    return Promise.all(texts);
  };
  const holding = async (words: string) =>
    [...(await rows()), ...(await objects())]
      .filter(({ text }) => text.includes(words))
      .map(({ name }) => name);

  /** All that may be stored of a person: their words are in each part of it. */
  const live = async (user: string, words: string, sessionId: string) => {
    const own = { ...key, sessionId };
    await stores.sessions.create(aSession({ key: own, user }));
    await stores.inbox.accept(own, anEvent('e1', { text: words }), now);
    const { totals } = aSession();
    const standing = { agent: 'triage', state: 'completed', steps: 1, totals, at: now, order: 2 } as const;
    const naming = { title: words, source: 'http', user, metadata: { words } };
    await createListings(dynamo).moved(own, standing, naming);
    const view = await claimed(stores, 'a', { key: own });
    await stores.sessions.putSlot(own, 1, aSlot(0, words));
    await stores.sessions.putResult(own, 1, aResult('c1', words));
    await stores.sessions.putPack(own, 'p1', [aSlot(0, words)]);
    await stores.log.append(own, [aFrame(1, words)]);
    await stores.sessions.commit(restOf(view, { tail: [aFrame(2, words)] }));
    await blobs.put(blobKey('acme', sessionId, 'content', 'h'), words);
    await blobs.put(blobKey(`acme#${sessionId}`, 'x'), words);
    const place = { team: 'T1', channel: 'C1', thread: '1.2' };
    await createOutbound(dynamo).put(own, newDestination('slack', 'slack', { place, user: 'U0', words }));
    await createSlackStore(dynamo, time).noteSession('acme', 'T1', 'U0', {
      ...{ sessionId, place, title: words, at: now },
    });
    const { schedule, ...course } = aSchedule(`of-${sessionId}`);
    const theirs = { ...schedule, name: words, message: words, speaker: { by: user }, user };
    await io.schedules.create({ ...course, schedule: theirs });
    await io.memories.save(
      { tenant: 'acme', user },
      { id: `u${sessionId}`, text: words, at: now, sessionId, by: [user] },
    );
    await io.memories.save(
      { tenant: 'acme' },
      { id: `t${sessionId}`, text: words, at: now, sessionId, by: [user] },
    );
    await createUploads(dynamo, time).announce('acme', {
      id: `u${sessionId}`,
      name: `${words}.pdf`,
      by: user,
    });
    await blobs.put(`_uploads/acme/u${sessionId}`, words);
  };
  await live('user:ada', 'PLANTED-BY-ADA', 's1');
  await live('user:bob', 'PLANTED-BY-BOB', 's2');
  const planted = await holding('PLANTED-BY-ADA');
  expect(planted.length).toBeGreaterThanOrEqual(11);
  const his = await holding('PLANTED-BY-BOB');

  const ada = { tenant: 'acme', user: 'user:ada' };
  const state = async () => {
    const record = await io.people.read(ada);
    return record && stateOf(record);
  };
  const sweep = async () => {
    await erasePeople(io);
    await eraseBuried(io);
    time.at += 60_000;
  };
  await requestErasure(ada, time.at, io.people);
  for (let i = 0; i < 3; i++) await sweep();
  expect(await state()).toBe('erased');
  expect(await holding('PLANTED-BY-ADA')).toEqual([]);

  // A process that was given up for dead writes once more.
  await blobs.put('acme/s1/content/late', 'PLANTED-BY-ADA');
  await io.memories.save(ada, { id: 'u9', text: 'PLANTED-BY-ADA', at: now, sessionId: 's1', by: [ada.user] });
  time.at += GRAVE_MS;
  for (let i = 0; i < 3; i++) await sweep();
  expect(await state()).toBe('done');
  expect(await holding('PLANTED-BY-ADA')).toEqual([]);
  expect(await holding('user:ada')).toEqual([]);
  expect(await holding('PLANTED-BY-BOB')).toEqual(his);
}, 60_000);
