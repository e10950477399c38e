import * as z from 'zod';
import type { Agent } from './agent.ts';
import {
  chars,
  check,
  named,
  type ShapeAgent,
  type ShapeOptions,
  several,
  shape,
  toolFor,
  width,
} from './make-shape.ts';

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
