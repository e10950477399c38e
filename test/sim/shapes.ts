import type { Agent } from '../../shared/agent/define/agent.ts';
import { map, parallel, pipeline, race, vote } from '../../shared/agent/define/shapes.ts';

/** Shapes of a simulated family. */
export type ShapeName = 'map' | 'parallel' | 'pipeline' | 'race' | 'vote';

/** The name of the shape's agent. */
export const SHAPE_AGENT = 'shape';

/** Agents that one reply of it asks. */
export const WIDTH = 3;

/** A shape of an agent. */
export function shapeOver(shape: ShapeName, agent: Agent, expiresAfterSeconds: number): Agent {
  const name = SHAPE_AGENT;
  const one = { agent, expiresAfterSeconds };
  switch (shape) {
    case 'map':
      return map({ name, ...one, width: WIDTH });
    case 'parallel':
      return parallel({ name, agents: { one, two: one } });
    case 'pipeline':
      return pipeline({ name, agents: [one, one] });
    case 'race':
      return race({ name, ...one, n: WIDTH });
    case 'vote':
      return vote({ name, ...one, n: 2, judge: one });
    default:
      return shape satisfies never;
  }
}
