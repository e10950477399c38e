import * as z from 'zod';
import type { Limits } from '../config/limits.ts';
import { defineTool } from './tool.ts';

/** An agent that another one may ask, as far as that one knows it. */
export interface DelegateInput {
  readonly name: string;
  readonly version: string;
  readonly limits: Limits;
}

const agent = z.custom<DelegateInput>(
  (value) => typeof value === 'object' && value !== null && 'limits' in value,
  'use defineAgent',
);

/** Agents that an agent may ask, by the name under which its model calls them (docs/children.md). */
export const Delegates = z.record(
  z.string(),
  z.strictObject({
    /** The agent that works on the task, in a session of its own. It is one of the deployment's agents too. */
    agent,
    /** When to ask it: the description by which the model decides. */
    when: z.string().min(1),
    /** The most that one task may use. It never gets more than its share of what its parent has left. */
    budget: z
      .strictObject({
        /** Input + output tokens. */
        tokens: z.int().min(1).optional(),
        usd: z.number().positive().optional(),
      })
      .default({}),
    /** Seconds until its answer no longer counts, and it is stopped. */
    expiresAfterSeconds: z.int().min(1).max(2_592_000).default(86_400),
  }),
);

const input = z.object({
  task: z
    .string()
    .min(1)
    .max(100_000)
    .describe('The task, with everything that is needed for it: nothing of this conversation is read.'),
});

/** The tools with which a model asks other agents, one for each. */
export const toolsFor = (delegates: z.output<typeof Delegates>) =>
  Object.entries(delegates).map(([name, { agent: asked, when, budget: cap, expiresAfterSeconds }]) =>
    Object.freeze({
      ...defineTool({
        name,
        description: `${when}\n\nAnother agent does the task, and its answer is the result. Agents that you ask in one reply work at the same time.`,
        // The same call begins the same session, so it may be made again.
        effect: 'idempotent',
        touches: () => [],
        input,
        run: () => undefined,
      }),
      delegates: { agent: asked.name, cap, expiresAfterSeconds },
    }),
  );
