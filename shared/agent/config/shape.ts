/** The provider of shapes: agents whose replies are computed instead of bought (docs/shapes.md). It has no server and no price. */
export const SHAPE = 'shape';

/** Items of one map. */
export const MAX_ITEMS = 1_000;

/** A shape as a definition pins it, in `model.request`. Agents are named by their tools; one may stand in a list several times. */
export type Shape = {
  /** Agents that one reply may ask. */
  readonly width: number;
} & (
  | {
      /** One task for each item of a list. */
      readonly shape: 'map';
      readonly agent: string;
      /** Characters of the report. */
      readonly reportChars: number;
    }
  | {
      /** The same task for each agent, and one report of all answers. */
      readonly shape: 'parallel';
      readonly agents: string[];
      readonly reportChars: number;
    }
  /** Each agent reads the task, and the answer of the one before. */
  | { readonly shape: 'pipeline'; readonly agents: string[] }
  /** Several answers to one task, and an agent that chooses among them. */
  | { readonly shape: 'vote'; readonly agent: string; readonly n: number; readonly judge: string }
  /** The first good answer counts. */
  | { readonly shape: 'race'; readonly agents: string[] }
);

/** The part of a definition that says whether it is a shape. */
interface HasModel {
  readonly provider: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The shape of an agent; undefined for an agent with a model. Only the functions that make shapes make such definitions. */
export const shapeOf = (model: HasModel | undefined): Shape | undefined =>
  model?.provider === SHAPE && typeof model.request?.width === 'number'
    ? (model.request as unknown as Shape)
    : undefined;
