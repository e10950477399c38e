/** Plays one case once, and scores it. */

import { type Effect, rulesOfEffect } from '../../shared/agent/config/effects.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { separator } from '../../shared/agent/tools/source.ts';
import type { FakeTool } from '../rehearsal.ts';
import { rehearse } from '../rehearse.ts';
import type { Answering } from '../scripted-model.ts';
import { eachOf } from '../team.ts';
import type { Playable } from './check.ts';
import { fakesOf } from './define.ts';
import type { Play, Scored } from './result.ts';
import type { Scorer, Scoring } from './scorer.ts';
import { ends } from './scorers/run.ts';

/** The environment in which cases are played. */
export interface Stage extends Pick<Scoring, 'priced'> {
  /** Asks the model of an agent: a real one, or the rules in its place. */
  readonly answer: Answering;
  /** Whether the model is a real one. */
  readonly isReal: boolean;
  /** Values for tools that run their own code; those of evals and cases take precedence. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** The folder of the definition, which the folder of its skills stands in; the working directory if absent. */
  readonly project?: string;
}

/** Plays a case once. Never rejects: an error of the play itself is its `error`. */
export async function play({ of, case: one, agent, others }: Playable, stage: Stage): Promise<Play> {
  const lacking = new Set<string>();
  const real = [...(of.real ?? []), ...(one.real ?? [])];
  const user = typeof one.user === 'string' ? [one.user] : one.user;
  const { script, memory, workspace, answersLater } = one;
  const { isReal, answer, priced } = stage;
  try {
    const may = (name: string, effect: Effect) => !rulesOfEffect(effect).changes || real.includes(name);
    const harmless = (member: Agent) => careful(member, may, lacking);
    const played = await rehearse(eachOf(agent, harmless), {
      agents: others.map((other) => eachOf(other, harmless)),
      user,
      model: isReal || !script ? answer : script,
      tools: fakesOf(of, one),
      settings: { ...stage.settings, ...of.settings, ...one.settings },
      secrets: { ...stage.secrets, ...of.secrets, ...one.secrets },
      ...{ memory, workspace, answersLater },
      ...defined({ project: stage.project }),
      internet: one.internet ?? of.internet ?? ((request) => fetch(request, { redirect: 'manual' })),
      decides: one.decides ?? of.decides,
      caller: one.caller ?? of.caller,
    });
    const scoring: Scoring = { agent, user, model: isReal ? answer : undefined, priced };
    const scores = await Promise.all(scorersOf(of, one).map((by) => scored(by, played, scoring)));
    const all = [...scores, ...lackingFakes(lacking)];
    const counted = all.filter(({ skipped }) => !skipped);
    return {
      passed: counted.every(({ passed }) => passed),
      score: counted.reduce((sum, { score }) => sum + score, 0) / Math.max(1, counted.length),
      scores: all,
      state: played.state,
      ...defined({ reason: played.reason, message: played.message, answer: played.answer }),
      calls: played.calls.map(({ name, input, outcome }) => ({ name, input, outcome })),
      steps: played.steps,
      tokens: played.totals.input + played.totals.output,
      costUsd: played.totals.costUsd,
      scoringUsd: all.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    };
  } catch (error) {
    return { ...nothing, error: error instanceof Error ? error.message : String(error) };
  }
}

const nothing = {
  passed: false,
  score: 0,
  scores: [],
  calls: [],
  steps: 0,
  tokens: 0,
  costUsd: 0,
  scoringUsd: 0,
};

function scorersOf(of: Playable['of'], one: Playable['case']): Scorer[] {
  const given = [...(of.expect ?? []), ...(one.expect ?? [])];
  return given.some(({ judgesEnding }) => judgesEnding) ? given : [ends('completed'), ...given];
}

async function scored(by: Scorer, ...of: Parameters<Scorer['score']>): Promise<Scored> {
  try {
    return { by: by.name, ...(await by.score(...of)) };
  } catch (error) {
    const why = `It threw: ${error instanceof Error ? error.message : error}`;
    return { by: by.name, score: 0, passed: false, why };
  }
}

/**
 * The agent, with tools that answer with an error instead of changing something; `lacking` collects the names of those
 * that were called.
 */
function careful(agent: Agent, may: (name: string, effect: Effect) => boolean, lacking: Set<string>): Agent {
  const refusing =
    (name: string): FakeTool =>
    () => {
      lacking.add(name);
      throw new Error(`${name} is not run in an eval: it would change something.`);
    };
  return {
    ...agent,
    tools: agent.tools.map((tool) =>
      may(tool.name, tool.effect) ? tool : { ...tool, run: refusing(tool.name) },
    ),
    toolSources: agent.toolSources.map((source) => ({
      ...source,
      get(tool) {
        const name = `${source.name}${separator}${tool.name}`;
        return may(name, tool.effect) ? source.get(tool) : refusing(name);
      },
    })),
  };
}

const lackingFakes = (lacking: ReadonlySet<string>): Scored[] =>
  [...lacking].map((name) => ({
    by: 'fakes',
    score: 0,
    passed: false,
    why: `${name} changes something, and has no fake: give one in "tools", or name it in "real".`,
  }));
