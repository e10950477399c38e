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
const width = () =>
  z
    .int()
    .min(1)
    .max(
      MAX_ALIVE,
      `at most ${MAX_ALIVE} agents of one tree are alive at the same time, so a wider shape can never be had`,
    );
const several = () => width().min(2);
const chars = () => z.int().min(1_000).max(200_000);

/** Characters of a report: the asking agent reads up to 50,000 of a result when it does not say otherwise. */
const REPORT_CHARS = 40_000;

/**
 * An agent that gives each item of a list to another agent, `width` at once (8 when absent, at most 32), and reports all answers in the
 * order of the items, as JSON of at most `reportChars` characters (40,000 when absent). The list has up to 1,000 items: a JSON array, or one item
 * a line. A calling model gives `{ items, task }`. Throws if a value is not valid.
 *
 * @example
 * const researchAll = map({ name: 'research_all', agent: researcher, width: 20 });
 */
export function map({
  agent,
  budget,
  expiresAfterSeconds,
  width: wide = 8,
  reportChars = REPORT_CHARS,
  ...options
}: ShapeOptions &
  ShapeAgent & {
    /** Agents at work at the same time. */
    readonly width?: number;
    /** Characters of the report. The longest answers are cut until it fits. */
    readonly reportChars?: number;
  }): Agent {
  check(options.name, { width: width(), reportChars: chars() }, { width: wide, reportChars });
  const tool = toolFor(agent);
  return shape(
    options,
    { shape: 'map', agent: tool, width: wide, reportChars },
    { [tool]: { agent, budget, expiresAfterSeconds } },
    {
      maxToolOutputChars: Math.min(20_000, reportChars),
    },
  );
}

/**
 * An agent that gives the same task to several agents, and reports their answers as a JSON object with the names of `agents`. Throws if a
 * value is not valid.
 */
export function parallel({
  agents,
  reportChars = REPORT_CHARS,
  ...options
}: ShapeOptions & {
  /** The agents, by the names of their answers. */
  readonly agents: Readonly<Record<string, ShapeAgent>>;
  /** Characters of the report. */
  readonly reportChars?: number;
}): Agent {
  const names = Object.keys(agents);
  check(options.name, { agents: several(), reportChars: chars() }, { agents: names.length, reportChars });
  return shape(options, { shape: 'parallel', agents: names, width: names.length, reportChars }, agents);
}

/**
 * An agent that gives a task to one agent after the other: from the second on, each reads the task and the answer of the one before. The
 * last answer is its own. Throws if a value is not valid.
 */
export function pipeline({
  agents,
  ...options
}: ShapeOptions & {
  /** The agents in their order. One agent may stand in it several times. */
  readonly agents: readonly (ShapeAgent | Agent)[];
}): Agent {
  check(options.name, { agents: z.int().min(2).max(100) }, { agents: agents.length });
  const { names, entries } = named(agents);
  return shape(options, { shape: 'pipeline', agents: names, width: 1 }, entries);
}

/**
 * An agent that has a task done `n` times, and has `judge` choose the best answer or put the best parts together. The judge's answer is its
 * own. Throws if a value is not valid.
 */
export function vote({
  agent,
  budget,
  expiresAfterSeconds,
  n,
  judge,
  ...options
}: ShapeOptions &
  ShapeAgent & {
    /** Answers to choose from, 2 to 32. */
    readonly n: number;
    /** The agent that chooses: it reads the task and all answers. */
    readonly judge: ShapeAgent | Agent;
  }): Agent {
  check(options.name, { n: several() }, { n });
  const { names, entries } = named([{ agent, budget, expiresAfterSeconds }, judge]);
  const [candidate = '', chooser = ''] = names;
  return shape(options, { shape: 'vote', agent: candidate, n, judge: chooser, width: n }, entries);
}

/**
 * An agent that gives the same task to several agents, or `n` times to one. The first answer is its own, and the others are stopped. An
 * agent that fails gives no answer. Throws if a value is not valid.
 */
export function race(
  options: ShapeOptions &
    (
      | { readonly agents: readonly (ShapeAgent | Agent)[] }
      | (ShapeAgent & {
          /** How often it is asked, 2 to 32. */
          readonly n: number;
        })
    ),
): Agent {
  if ('n' in options) {
    const { agent, budget, expiresAfterSeconds, n, ...rest } = options;
    check(rest.name, { n: several() }, { n });
    const tool = toolFor(agent);
    return shape(
      rest,
      { shape: 'race', agents: Array.from({ length: n }, () => tool), width: n },
      { [tool]: { agent, budget, expiresAfterSeconds } },
    );
  }
  const { agents, ...rest } = options;
  check(rest.name, { agents: several() }, { agents: agents.length });
  const { names, entries } = named(agents);
  return shape(rest, { shape: 'race', agents: names, width: names.length }, entries);
}

/** The definition of a shape: an agent whose replies follow from its request. */
function shape(
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

const toolFor = (agent: ShapeAgent['agent']): string => agent?.name ?? 'agent';

/** Tools for agents in an order: the names of the agents, with a number if a name is there already. */
function named(agents: readonly (ShapeAgent | Agent)[]) {
  const asked = agents.map((one): ShapeAgent => ('agent' in one ? one : { agent: one }));
  const names = asked.map(({ agent }, i) => {
    const name = toolFor(agent);
    const before = asked.slice(0, i).filter((one) => toolFor(one.agent) === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
  return { names, entries: Object.fromEntries(names.map((name, i) => [name, asked[i] as ShapeAgent])) };
}

function check(name: string, of: Readonly<Record<string, z.ZodType>>, values: object): void {
  const schema = z.object(of);
  const parsed = schema.safeParse(values, once);
  if (!parsed.success) throw new Error(`agent ${name}:\n${explain(parsed.error, schema)}`);
}
