import { expect, test } from 'vitest';
import { Sha256 } from '../../../shared/aws/sha256.ts';
import { type SignedRequest, signerOf } from '../../../shared/aws/signer.ts';
import { modelRequestSigner } from '../../../shared/models/bedrock/sign.ts';

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'c2VjcmV0', sessionToken: 'session-token' };
const identity = {
  credentials: async () => keys,
  region: async () => 'us-east-1',
  sha256: Sha256,
};
const path = `/model/${encodeURIComponent('eu.anthropic.claude-test-v1:0')}/converse-stream`;
const unsigned = (host: string) => ({
  method: 'POST' as const,
  url: new URL(`https://${host}${path}`),
  headers: { 'content-type': 'application/json' },
  body: '{"messages":[]}',
});

test('the signature is that of an independent signer, with the path encoded twice and in the region of the host', async () => {
  const host = 'bedrock-runtime.eu-central-1.amazonaws.com';
  const sent = await modelRequestSigner(identity)(unsigned(host));
  const at = sent['x-amz-date'] ?? '';
  const signingDate = new Date(at.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const { authorization: _, ...headers } = sent;
  const signer = await signerOf({
    ...{ credentials: async () => keys, region: async () => 'eu-central-1', signingName: 'bedrock' },
  })();
  const again = await signer.sign<SignedRequest>(
    { method: 'POST', path, headers: { ...headers, host }, body: '{"messages":[]}' },
    { signingDate },
  );
  expect(sent.authorization).toContain('/eu-central-1/bedrock/aws4_request');
  expect(sent.authorization).toBe(again.headers.authorization);
  expect(sent).toMatchObject({ 'content-type': 'application/json', 'x-amz-security-token': 'session-token' });
  expect(sent).not.toHaveProperty('host');
});

test('another host is signed for the region of the function', async () => {
  const sent = await modelRequestSigner(identity)(unsigned('vpce-1.example.com'));
  expect(sent.authorization).toContain('/us-east-1/bedrock/aws4_request');
});
