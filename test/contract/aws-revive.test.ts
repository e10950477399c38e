import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reviveSessions } from '../../local/revive.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { type AwsStores, openAwsStores } from './aws-stores.ts';
import { claimed, claimedSession, commitOf, key, leaseMs, minutes, now, restOf } from './harness.ts';

describe('sessions after the start was killed', () => {
  let aws: EmbeddedAws;
  let stores: AwsStores;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
  beforeEach(async () => {
    stores = await openAwsStores(aws);
  });

  const revive = async () => {
    const { protocol, hostname, port } = (await aws.clients.dynamo().config.endpoint?.()) ?? {};
    return reviveSessions(`${protocol}//${hostname}:${port}`, stores.tableName);
  };
  const claim = () =>
    stores.sessions.claim({ key, invocationId: 'next', messageId: 'm2', now: now + 1_000, leaseMs });

  test('can be claimed at once, as another attempt', async () => {
    await claimedSession(stores);
    expect(await claim()).toMatchObject({ kind: 'leased' });
    expect(await revive()).toEqual([key.sessionId]);
    expect(await claim()).toMatchObject({ kind: 'claimed', view: { attempts: 2 } });
  });

  test('lose their dead owner, which can no longer commit', async () => {
    const dead = await claimedSession(stores);
    await revive();
    await claimed(stores, 'next', { at: now + 1_000 });
    expect(await stores.sessions.commit(commitOf(dead))).toMatchObject({ kind: 'superseded' });
  });

  test('restart queued calls whose workers are dead', async () => {
    const view = await claimedSession(stores);
    const next = { kind: 'wait_for_calls', until: now + 60 * minutes } as const;
    await stores.sessions.commit(commitOf(view, { next, waits: ['w1'] }));
    const begin = (invocationId: string) =>
      stores.sessions.beginCall(key, 'w1', { invocationId, until: now + 15 * minutes }, true, now + 1_000);
    expect(await begin('dead')).toEqual({ kind: 'begun' });
    expect(await begin('next')).toMatchObject({ kind: 'running' });
    await revive();
    expect(await begin('next')).toEqual({ kind: 'begun' });
  });

  test('stay as they are if they are at rest', async () => {
    const view = await claimedSession(stores);
    await stores.sessions.commit(restOf(view));
    expect(await revive()).toEqual([]);
    expect(await claim()).toMatchObject({ kind: 'rest' });
  });
});
