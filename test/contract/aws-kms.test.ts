import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalKms, startKms } from '../../local/stack/services/kms.ts';
import type { Kms } from '../../shared/aws/kms.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { signedFetch } from '../support/signed.ts';
import { kmsAt } from './aws-keys.ts';

const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
const otherArn = 'arn:aws:kms:us-east-1:000000000000:key/1a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
const acme = { 'steploop:tenant': 'acme' };

let local: LocalKms;
let kms: Kms;
beforeAll(async () => {
  local = await startKms(undefined);
  kms = kmsAt(local.endpoint, keyArn);
});
afterAll(() => local.stop());

test('a data key is wrapped, and unwrapped in its context', async () => {
  const { plain, wrapped } = await kms.generate(acme);
  expect(plain).toHaveLength(32);
  expect(Buffer.from(wrapped).includes(Buffer.from(plain))).toBe(false);
  expect(await kms.unwrap(wrapped, acme)).toEqual(plain);
  expect((await kms.generate(acme)).plain).not.toEqual(plain);
});

describe('what KMS refuses', () => {
  test.each<[string, Record<string, string>]>([
    ['another tenant', { 'steploop:tenant': 'globex' }],
    ['no context', {}],
    ['a context with more', { ...acme, more: 'x' }],
  ])('%s', async (_what, context) => {
    const { wrapped } = await kms.generate(acme);
    await expect(kms.unwrap(wrapped, context)).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
      $metadata: { httpStatusCode: 400 },
    });
  });

  test('a wrapped key that was changed', async () => {
    const { wrapped } = await kms.generate(acme);
    wrapped[wrapped.length - 1] = (wrapped.at(-1) ?? 0) ^ 1;
    await expect(kms.unwrap(wrapped, acme)).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
    await expect(kms.unwrap(new Uint8Array([1, 2]), acme)).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    });
  });

  test('a key that another KMS key has wrapped', async () => {
    const { wrapped } = await kmsAt(local.endpoint, otherArn).generate(acme);
    await expect(kms.unwrap(wrapped, acme)).rejects.toMatchObject({ name: 'IncorrectKeyException' });
  });

  test('a request that is not signed, and one that another secret has signed', async () => {
    const unsigned = await fetch(local.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'TrentService.DescribeKey' },
      body: JSON.stringify({ KeyId: keyArn }),
    });
    expect(unsigned.status).toBe(400);
    expect(await unsigned.json()).not.toHaveProperty('KeyMetadata');
    const wrong = kmsAt(local.endpoint, keyArn, 'other');
    await expect(wrong.generate(acme)).rejects.toMatchObject({ name: 'InvalidSignatureException' });
  });

  test('is no outage', async () => {
    const error = await kms.unwrap(new Uint8Array([1]), acme).catch((error: unknown) => error);
    expect(isOutage(error)).toBe(false);
  });
});

test('a service that cannot be reached is an outage', async () => {
  const gone = kmsAt('http://127.0.0.1:9', keyArn);
  await expect(gone.generate(acme)).rejects.toThrow();
});

test('the embedded KMS describes its keys, and refuses names that are none', async () => {
  const describe = (KeyId: string) =>
    signedFetch('kms', local.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'TrentService.DescribeKey' },
      body: JSON.stringify({ KeyId }),
    });
  expect(await (await describe(keyArn)).json()).toMatchObject({
    KeyMetadata: { Arn: keyArn, Enabled: true, KeyState: 'Enabled' },
  });
  expect(await (await describe('alias/nothing')).json()).toMatchObject({ __type: 'NotFoundException' });
});
