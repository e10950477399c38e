import { defineAgent } from 'steploop';
import { analyst } from './analyst.ts';

export const writer = defineAgent({
  name: 'writer',
  version: '1',
  model: { name: 'claude-sonnet-5-5', maxTokens: 4096 },
  system: `You write the daily report of a shop.

Ask for an analysis of the sales and one of the support, both at once. Then write the report: a headline, a line for each area, and what to look into today. Use only what the analyses say. If one is missing, say so.`,
  // Each call begins a session of the analyst, which ends with this one and shares its budget.
  agents: {
    analyse: { agent: analyst, when: 'Analyse one area: sales or support.', budget: { usd: 0.1 } },
  },
  limits: { maxSteps: 8, timeoutSeconds: 600, costLimitUsd: 0.5 },
});
