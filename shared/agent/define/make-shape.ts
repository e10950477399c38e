import * as z from 'zod';
import { SHAPE, type Shape } from '../config/shape.ts';
import { explain } from '../plain/explain.ts';
import { once } from '../plain/once.ts';
import { MAX_ALIVE } from '../session/parent.ts';
import { type Agent, type AgentDefinition, defineAgent } from './agent.ts';
import { quietRules } from './shape-rules.ts';

/** An agent that a shape asks. */
export type ShapeAgent = Pick<
  NonNullable<AgentDefinition['agents']>[string],
  'agent' | 'budget' | 'expiresAfterSeconds'
>;

/** Options of every shape (docs/shapes.md). */
export interface ShapeOptions
  extends Pick<AgentDefinition, 'policy' | 'policyBy' | 'approvals' | 'mayDecide'> {
  readonly name: string;
  /** Shown to operators; `1` when absent. */
  readonly version?: string;
  /** Limits of its run, with all that its agents use. At one of them it reports what it has. */
  readonly limits?: Pick<
    NonNullable<AgentDefinition['limits']>,
    'timeoutSeconds' | 'tokenBudget' | 'costLimitUsd'
  >;
}

/** Schemas of the options, made when a shape is declared: functions without shapes do not hold them. */
export const width = () =>
  z
    .int()
    .min(1)
    .max(
      MAX_ALIVE,
      `at most ${MAX_ALIVE} agents of one tree are alive at the same time, so a wider shape can never be had`,
    );
export const several = () => width().min(2);
export const chars = () => z.int().min(1_000).max(200_000);

/** The definition of a shape: an agent whose replies follow from its request. */
export function shape(
  { name, version = '1', limits, ...options }: ShapeOptions,
  how: Shape,
  agents: Readonly<Record<string, ShapeAgent>>,
  more: NonNullable<AgentDefinition['limits']> = {},
): Agent {
  const { rules, model } = quietRules;
  return defineAgent({
    ...{ name, version, ...options },
    system: `A shape (${how.shape}): its replies are computed, not written by a model.`,
    model: { provider: SHAPE, name: how.shape, ...model, request: { ...how } },
    agents: Object.fromEntries(
      Object.entries(agents).map(([tool, entry]) => [
        tool,
        { when: `A part of the task of ${name}.`, ...given(entry) },
      ]),
    ),
    ...rules,
    limits: { ...rules.limits, ...more, ...limits },
  });
}

const given = ({ agent, budget, expiresAfterSeconds }: ShapeAgent): ShapeAgent => ({
  agent,
  ...(budget && { budget }),
  ...(expiresAfterSeconds !== undefined && { expiresAfterSeconds }),
});

/** The tool with which a shape asks an agent. */
export const toolFor = (agent: ShapeAgent['agent']): string => agent?.name ?? 'agent';

/** Tools for agents in an order: the names of the agents, with a number if a name is there already. */
export function named(agents: readonly (ShapeAgent | Agent)[]) {
  const asked = agents.map((one): ShapeAgent => ('agent' in one ? one : { agent: one }));
  const names = asked.map(({ agent }, i) => {
    const name = toolFor(agent);
    const before = asked.slice(0, i).filter((one) => toolFor(one.agent) === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
  return { names, entries: Object.fromEntries(names.map((name, i) => [name, asked[i] as ShapeAgent])) };
}

/** Throws if an option is not valid, and names every wrong one. */
export function check(name: string, of: Readonly<Record<string, z.ZodType>>, values: object): void {
  const schema = z.object(of);
  const parsed = schema.safeParse(values, once);
  if (!parsed.success) throw new Error(`agent ${name}:\n${explain(parsed.error, schema)}`);
}
