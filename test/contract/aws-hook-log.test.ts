import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { createHookLog, type HookLog } from '../../shared/aws/hook-log.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { virtualClock } from '../support/virtual-clock.ts';

describe('aws hook log', () => {
  let aws: EmbeddedAws;
  let dynamo: Dynamo;
  let log: HookLog;
  const clock = virtualClock();
  const bytes = (text: string) => Buffer.from(text);
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
  beforeEach(async () => {
    dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
    log = createHookLog(dynamo, clock);
  });

  test('a delivery is new once; the same bytes are known, others a conflict', async () => {
    expect(await log.note('acme', 'stripe', 'evt_1', bytes('{}'))).toBe('new');
    expect(await log.note('acme', 'stripe', 'evt_1', bytes('{}'))).toBe('known');
    expect(await log.note('acme', 'stripe', 'evt_1', bytes('{ }'))).toBe('conflict');
    expect(await log.note('acme', 'stripe', 'evt_1', bytes('{}'))).toBe('known');
  });

  test('ids are the sender’s own: another source, another tenant, any characters', async () => {
    await log.note('acme', 'stripe', 'a#b', bytes('1'));
    expect(await log.note('acme', 'github', 'a#b', bytes('2'))).toBe('new');
    expect(await log.note('other', 'stripe', 'a#b', bytes('2'))).toBe('new');
    expect(await log.note('acme', 'stripe', `a#b${'x'.repeat(5000)}`, bytes('2'))).toBe('new');
  });

  test('is kept for 30 days, longer than any sender tries again', async () => {
    await log.note('acme', 'stripe', 'evt_1', bytes('{}'));
    const pk = `acme#hook#stripe#${createHash('sha256').update('evt_1').digest('hex')}`;
    const items = [];
    for await (const item of dynamo.range(pk, 'A', 'Z')) items.push(item);
    expect(items).toMatchObject([{ ttl: Math.floor(clock.now() / 1000) + 30 * 24 * 3600 }]);
  });
});
