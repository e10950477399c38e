import * as z from 'zod';
import { type Agent, defineAgent } from '../../shared/agent/define/agent.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';

/** An agent whose one tool answers with 1 KB after a delay. */
export const worker = (sleep: (ms: number) => Promise<void>, toolMs: number): Agent =>
  defineAgent({
    name: 'worker',
    version: '1',
    model: { name: 'bench-model' },
    system: 'You look at pages.',
    tools: [
      defineTool({
        name: 'leaf',
        description: 'Shows a page.',
        input: z.object({ n: z.number() }),
        effect: 'read',
        async run({ n }) {
          await sleep(toolMs);
          return `${n}: `.padEnd(1024, 'y');
        },
      }),
    ],
    limits: { maxSteps: 1000, maxToolCalls: 10_000 },
  });
