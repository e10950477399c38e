import { defineAgent, defineTool } from 'steploop';
import * as z from 'zod';

/** Sample orders. Query your own system instead. */
const orders: Record<string, { state: string; placed: string }> = {
  '1001': { state: 'sent', placed: '2026-11-02' },
  '1002': { state: 'being packed', placed: '2026-11-20' },
};

const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Finds one order by its number.',
  // It changes nothing, so it may run twice, and in parallel with other calls.
  effect: 'read',
  input: z.object({ orderId: z.string().regex(/^\d{1,10}$/) }),
  run: ({ orderId }) => orders[orderId] ?? { error: `There is no order ${orderId}.` },
});

export const support = defineAgent({
  name: 'support',
  version: '1',
  model: { name: 'claude-sonnet-5-5', maxTokens: 4096 },
  system: `You help the customers of a shop with their orders.

Look an order up before you say anything about it, and say so when there is none. Be brief and friendly.`,
  tools: [lookupOrder],
  // Budgets of one run.
  limits: { maxSteps: 10, timeoutSeconds: 300, costLimitUsd: 0.5 },
});
