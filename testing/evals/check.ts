/** Finds errors in evals before any is played: names that do not exist. Pure. */

import type { Agent } from '../../shared/agent/define/agent.ts';
import { nearest } from '../../shared/agent/plain/nearest.ts';
import { separator } from '../../shared/agent/tools/source.ts';
import { teamOf } from '../team.ts';
import { type Eval, type EvalCase, fakesOf } from './define.ts';

/** A case with its eval and its agent, ready to be played. */
export interface Playable {
  readonly of: Eval;
  readonly case: EvalCase;
  readonly agent: Agent;
  /** Agents of the definition, for handoffs to those that it only names. */
  readonly others: readonly Agent[];
  /** `eval / case`. */
  readonly id: string;
}

/**
 * All cases of some evals. Throws with a line for each wrong name: an agent that the definition does not have, a tool
 * that the agent does not have, an eval name that is used twice.
 *
 * @param agents those that an eval may name
 */
export function playable(evals: readonly Eval[], agents: readonly Agent[]): Playable[] {
  const wrong: string[] = [];
  const twice = evals.find(({ name }, i) => evals.findIndex((one) => one.name === name) < i);
  if (twice) wrong.push(`Two evals are named ${twice.name}: give one another "name".`);
  const all = evals.flatMap((of) => {
    const agent = agentOf(of, agents);
    if (typeof agent === 'string') {
      wrong.push(`eval ${of.name}: ${agent}`);
      return [];
    }
    return of.cases.map((one) => {
      for (const unknown of unknownTools(of, one, agent, agents))
        wrong.push(`eval ${of.name}, ${one.name}: ${unknown}`);
      return { of, case: one, agent, others: agents, id: `${of.name} / ${one.name}` };
    });
  });
  if (wrong.length > 0) throw new Error([...new Set(wrong)].join('\n'));
  return all;
}

/** The agent, or an error sentence. */
function agentOf({ agent }: Eval, agents: readonly Agent[]): Agent | string {
  if (typeof agent !== 'string') return agent;
  const found = agents.find(({ name }) => name === agent);
  if (found) return found;
  const names = agents.map(({ name }) => name);
  return `the definition has no agent ${agent}. ${guessing(agent, names)}`;
}

/**
 * Sentences about tools that are named and that the agent does not have. Tools of sources are not known before a
 * session begins, so they are not checked.
 */
function unknownTools(of: Eval, one: EvalCase, agent: Agent, agents: readonly Agent[]): string[] {
  const team = teamOf(agent, agents);
  const known = team.flatMap(({ tools }) => tools.map(({ name }) => name));
  const sources = team.flatMap(({ toolSources }) => toolSources.map(({ name }) => `${name}${separator}`));
  const isKnown = (name: string) => known.includes(name) || sources.some((source) => name.startsWith(source));
  const spokenOf = [
    ...Object.keys(fakesOf(of, one)),
    ...(of.real ?? []),
    ...(one.real ?? []),
    ...[...(of.expect ?? []), ...(one.expect ?? [])].flatMap(({ tools = [] }) => tools),
  ];
  return [...new Set(spokenOf)]
    .filter((name) => !isKnown(name))
    .map((name) => `the agent ${agent.name} has no tool ${name}. ${guessing(name, known)}`);
}

function guessing(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  if (guess) return `Is ${guess} meant?`;
  return known.length > 0 ? `There are: ${known.join(', ')}.` : 'It has none.';
}
