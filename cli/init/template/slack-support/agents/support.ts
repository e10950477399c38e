import { defineAgent, defineTool } from 'steploop';
import * as z from 'zod';

/** Sample orders. Query your own system instead. */
const orders: Record<string, { state: string; placed: string; cents: number }> = {
  '1001': { state: 'sent', placed: '2026-11-02', cents: 4_900 },
  '1002': { state: 'being packed', placed: '2026-11-20', cents: 12_000 },
};

const orderId = z.string().regex(/^\d{1,10}$/);

const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Finds one order by its number.',
  effect: 'read',
  input: z.object({ orderId }),
  run: ({ orderId }) => orders[orderId] ?? { error: `There is no order ${orderId}.` },
});

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refunds one order. Look it up first. A person is asked before it happens.',
  // It never starts twice, whatever crashes.
  effect: 'once',
  // Buttons appear in the thread.
  approval: 'always',
  input: z.object({ orderId, cents: z.int().positive(), reason: z.string().min(1).max(500) }),
  // Call your payment provider here, with `idempotencyKey` of the second argument.
  run: ({ orderId, cents }) => ({ orderId, refundedCents: cents }),
});

export const support = defineAgent({
  name: 'support',
  version: '1',
  model: { name: 'claude-sonnet-5-5', maxTokens: 4096 },
  system: `You help a support team with the orders of a shop, in Slack.

Look an order up before you say anything about it, and say so when there is none. Refund at most what the order cost, and only when you are asked to. Answer in one to three sentences.`,
  tools: [lookupOrder, refundOrder],
  limits: { maxSteps: 12, timeoutSeconds: 300, costLimitUsd: 0.5 },
});
