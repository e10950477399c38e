import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { defineAgent, defineTool } from 'steploop';
import * as z from 'zod';

const read = async (Bucket: string, Key: string) => {
  const { Body } = await new S3Client({}).send(new GetObjectCommand({ Bucket, Key }));
  return Body?.transformToString();
};

const keepOrder = defineTool({
  name: 'keep_order',
  description: 'Keeps an order, and says what is kept.',
  effect: 'idempotent',
  settings: ['ORDERS_BUCKET'],
  input: z.object({ order: z.string() }),
  async run({ order }, { setting }) {
    const Bucket = setting('ORDERS_BUCKET');
    await new S3Client({}).send(new PutObjectCommand({ Bucket, Key: 'last', Body: order }));
    return `kept: ${await read(Bucket, 'last')}`;
  },
});

const openVault = defineTool({
  name: 'open_vault',
  description: 'Reads what it may not.',
  effect: 'read',
  settings: ['VAULT_BUCKET'],
  input: z.object({}),
  run: (_input, { setting }) => read(setting('VAULT_BUCKET'), 'secret'),
});

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  effect: 'read',
  settings: ['CURRENCY'],
  secrets: ['SHOP_TOKEN'],
  input: z.object({}),
  run: async (_input, { setting, secret }) =>
    `version one, ${setting('CURRENCY')}, a token of ${(await secret('SHOP_TOKEN')).length} letters`,
});

export const keeper = defineAgent({
  name: 'keeper',
  version: '1',
  model: { name: 'claude-sonnet-5-5', maxTokens: 1024 },
  system: 'You keep a shop.',
  tools: [keepOrder, openVault, greet],
});
