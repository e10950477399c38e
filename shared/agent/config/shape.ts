import * as z from 'zod';
import { isRecord } from '../plain/merge.ts';

/** The provider of shapes: agents whose replies are computed instead of bought (docs/shapes.md). It has no server and no price. */
export const SHAPE = 'shape';

/** Items of one map. */
export const MAX_ITEMS = 1_000;

const tool = z.string().min(1);
const width = z.int().min(1);
const reportChars = z.int().min(1_000).max(200_000);

/** A shape as a definition pins it, in `model.request`. Agents are named by their tools. */
export const Shape = z.discriminatedUnion('shape', [
  /** One task for each item of a list. */
  z.strictObject({ shape: z.literal('map'), agent: tool, width, reportChars }),
  /** The same task for each agent, and one report of all answers. */
  z.strictObject({ shape: z.literal('parallel'), agents: z.array(tool).min(1), width, reportChars }),
  /** Each agent reads the task, and the answer of the one before. */
  z.strictObject({ shape: z.literal('pipeline'), agents: z.array(tool).min(1), width }),
  /** Several answers to one task, and an agent that chooses among them. */
  z.strictObject({ shape: z.literal('vote'), agent: tool, n: z.int().min(1), judge: tool, width }),
  /** The first good answer counts. An agent may run more than once. */
  z.strictObject({ shape: z.literal('race'), agents: z.array(tool).min(1), width }),
]);
export type Shape = z.output<typeof Shape>;

/** The part of a definition that says whether it is a shape. */
interface HasModel {
  readonly provider: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The shape of an agent; undefined for an agent with a model. */
export function shapeOf(model: HasModel | undefined): Shape | undefined {
  if (model?.provider !== SHAPE || !isRecord(model.request)) return undefined;
  return Shape.safeParse(model.request).data;
}
