import { defineAgent, defineTool } from 'steploop';
import * as z from 'zod';

/** Sample figures of the last two days. Query your own systems instead. */
const figures = {
  sales: { yesterday: 184, dayBefore: 171 },
  support: { yesterday: 37, dayBefore: 22 },
};

const readFigures = defineTool({
  name: 'read_figures',
  description: 'Reads the figures of one area: sales (orders) or support (tickets).',
  effect: 'read',
  input: z.object({ area: z.enum(['sales', 'support']) }),
  run: ({ area }) => figures[area],
});

/** Looks at one area. It is asked by the writer, and works in a session of its own. */
export const analyst = defineAgent({
  name: 'analyst',
  version: '1',
  model: { name: 'claude-haiku-4-5', maxTokens: 2048 },
  system: `You look at the figures of one area, and answer in one or two sentences: the figure, its change, and whether it needs a look. Use only figures that you have read.`,
  tools: [readFigures],
  limits: { maxSteps: 6, costLimitUsd: 0.1 },
});
