import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { hookLogContract } from './hook-log.ts';

let aws: EmbeddedAws;
const clock = virtualClock();
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

const openTable = async () => createDynamo(aws.clients.dynamo(), await aws.createTable());

hookLogContract('aws', async () => createHookLog(await openTable(), clock));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('aws: ids and signed bodies are kept for 30 days, longer than any sender retries', async () => {
  const dynamo = await openTable();
  const delivery = { tenant: 'acme', source: 'github', id: 'd1', body: Buffer.from('{}') };
  await createHookLog(dynamo, clock).note({ ...delivery, signed: delivery.body });
  const ttl = Math.floor(clock.now() / 1000) + 30 * 24 * 3600;
  for (const text of ['d1', '{}']) {
    const items = [];
    for await (const item of dynamo.range(`acme#hook#github#${sha256(text)}`, 'A', 'Z')) items.push(item);
    expect(items).toMatchObject([{ ttl }]);
  }
});

test('aws: a delivery whose function died between the two writes counts as the sender’s own retry', async () => {
  const dynamo = await openTable();
  let writes = 0;
  const dying = createHookLog(
    {
      ...dynamo,
      put: async (...args) => {
        if (++writes === 2) throw new Error('died');
        return dynamo.put(...args);
      },
    },
    clock,
  );
  const note = (log: typeof dying, id: string) =>
    log.note({ tenant: 'acme', source: 'github', id, body: Buffer.from('{}'), signed: Buffer.from('{}') });
  await expect(note(dying, 'd1')).rejects.toThrow('died');
  expect(await note(dying, 'd1')).toBe('known');
  expect(await note(createHookLog(dynamo, clock), 'd2')).toBe('replay');
});
