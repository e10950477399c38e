import * as z from 'zod';
import type { Limits } from '../config/limits.ts';
import { MAX_ITEMS, type Shape, shapeOf } from '../config/shape.ts';
import { defineTool } from './tool.ts';

/** An agent that another one may ask, as far as that one knows it. */
export interface DelegateInput {
  readonly name: string;
  readonly version: string;
  readonly limits: Limits;
  readonly model?: Parameters<typeof shapeOf>[0];
}

/** Whether an agent takes a list of tasks. */
const isMap = ({ model }: DelegateInput): boolean => shapeOf(model)?.shape === 'map';

export const delegate = z.custom<DelegateInput>(
  (value) => typeof value === 'object' && value !== null && 'limits' in value,
  'use defineAgent',
);

/** Agents that an agent may ask, by the name under which its model calls them (docs/children.md). */
export const Delegates = z.record(
  z.string(),
  z
    .strictObject({
      /** The agent that works on the task, in a session of its own. It is one of the deployment's agents too. */
      agent: delegate,
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
      /**
       * Whether the call returns at once and the agent works in the background: its report comes as a message when its run has
       * ended. A session that works for another one waits for the answer all the same.
       */
      background: z.boolean().default(false),
      /** Seconds until its answer no longer counts, and it is stopped. */
      expiresAfterSeconds: z.int().min(1).max(2_592_000).default(86_400),
      /**
       * The messages of the conversation that it reads with its task: none (`fresh`), all (`fork`), or the last ones. As quoted
       * text, without calls and results, and at most 60,000 characters.
       */
      context: z
        .union([z.enum(['fresh', 'fork']), z.strictObject({ messages: z.int().min(1).max(1_000) })])
        .default('fresh'),
    })
    .refine((entry) => entry.context === 'fresh' || !isMap(entry.agent), {
      path: ['context'],
      error:
        'a map reads only its list: leave context out, and say in task what is to be done with each item',
    }),
);

const said = {
  waits:
    'Another agent does the task, and its answer is the result. Agents that you ask in one reply work at the same time.',
  background:
    'Another agent does the task in the background: the call returns at once, and its report comes later, as a message. Go on with other work meanwhile, or end your turn; do not wait for it or ask again.',
  fresh: 'The task, with everything that is needed for it: nothing of this conversation is read.',
  items:
    'The items: each is the task of one agent, which reads nothing but its item, and `task` if it is given.',
  each: 'What is to be done with each item. It stands before each.',
  quoted: 'The task. The last messages of this conversation come with it, without the results of your calls.',
};

const inputOf = (isFresh: boolean) =>
  z.object({
    task: z
      .string()
      .min(1)
      .max(100_000)
      .describe(isFresh ? said.fresh : said.quoted),
  });

/** Characters of a list as JSON: those of a message. */
export const MAX_LIST_CHARS = 100_000;

const itemsInput = () =>
  z
    .object({
      items: z.array(z.string().min(1)).min(1).max(MAX_ITEMS).describe(said.items),
      task: z.string().min(1).optional().describe(said.each),
    })
    .refine((list) => JSON.stringify(list).length <= MAX_LIST_CHARS, {
      error: `at most ${MAX_LIST_CHARS} characters together: ask several times`,
    });

/** How a shape asks; nothing for a model. */
const asks = (shape: Shape | undefined) =>
  shape ? { shape: { width: shape.width, ...(shape.shape === 'race' && { races: true as const }) } } : {};

const quoted = (context: 'fresh' | 'fork' | { readonly messages: number }) =>
  context === 'fresh' ? {} : { messages: context === 'fork' ? Number.MAX_SAFE_INTEGER : context.messages };

/**
 * The tools with which a model asks other agents, one for each.
 *
 * @param by the shape that makes the calls in place of a model
 */
export const toolsFor = (delegates: z.output<typeof Delegates>, by?: Shape) =>
  Object.entries(delegates).map(([name, { agent: asked, when, budget: cap, ...how }]) => {
    const { expiresAfterSeconds, context, background } = how;
    // A shape gives other shapes their task as a text.
    const takesItems = !by && isMap(asked);
    return Object.freeze({
      ...defineTool({
        name,
        description: `${when}\n\n${background ? said.background : said.waits}`,
        // The same call begins the same session, so it may be made again.
        effect: 'idempotent',
        touches: () => [],
        input: takesItems ? itemsInput() : inputOf(context === 'fresh'),
        run: () => undefined,
      }),
      delegates: {
        ...{ agent: asked.name, cap, expiresAfterSeconds, ...quoted(context) },
        ...(background && { background: true as const }),
        ...(takesItems && { takesItems: true as const }),
        ...asks(by),
      },
    });
  });
