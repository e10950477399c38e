import * as z from 'zod';
import { type Agent, defineAgent } from '../../shared/agent/define/agent.ts';
import { DESK, OVER, systemOf } from './desk.ts';
import { GRANT } from './invariants/run-budgets.ts';
import { MAX_REPLY_TOKENS } from './served.ts';
import { shapeOver } from './shapes.ts';
import { SKILL } from './skills.ts';
import { SUMMARIZER } from './summaries.ts';
import { limits, server, spare, tools } from './tools.ts';
import { verifier } from './verifier.ts';
import { isRepinned, type RunBudget, type Workload } from './workloads.ts';
import type { World } from './world.ts';

/** The simulator keeps its books at these prices (`served.ts`): USD per million tokens. */
const price = { input: 1, output: 5 };

/** The agent as it is deployed now: code that is the same in all simulations, plus the settings of the workload. */
export function deployedIn({ workload, deployed }: Pick<World, 'workload' | 'deployed'>): Agent {
  const { listing, skills, context, maxOutput, runBudget, room, answers, proves, plans, odd, family } =
    workload;
  const { assesses, shape } = workload;
  const kind = JSON.stringify([
    deployed,
    listing,
    skills,
    context,
    maxOutput,
    runBudget,
    room,
    answers,
    proves,
    plans,
    odd !== undefined,
    family,
    shape,
    assesses,
    workload.handsOver,
    worksOutside(workload),
  ]);
  const make = deployed === 0 ? first : second;
  const known = agents.get(kind) ?? make(workload);
  if (workload.handsOver && !desks.has(known)) desks.set(known, make(workload, DESK));
  agents.set(kind, known);
  return known;
}

const agents = new Map<string, Agent>();

/** If tools are listed or skills pinned again, the run does not know which tools a dead attempt had, so its estimates leave them out. */
const first = (workload: Workload, name = 'sim'): Agent =>
  agent(workload, '1', systemOf(name, 'Be brief.'), 300, !isRepinned(workload), 0, name);
const second = (workload: Workload, name = 'sim'): Agent =>
  agent(workload, '2', systemOf(name, 'Be long.'), 7_200, false, 0, name);

/** The agents to which those of `deployedIn` hand over. */
const desks = new WeakMap<Agent, Agent>();

/** An agent, those that it may ask, and the one that it may hand over to. */
export const agentsOf = (agent: Agent): readonly Agent[] => [
  agent,
  ...(desks.has(agent) ? [desks.get(agent) as Agent] : []),
  ...Object.values(agent.agents).flatMap(({ agent: asked }) => agentsOf(asked as Agent)),
];

/** Whether calls begin work outside that can be stopped. */
const worksOutside = ({ tools: drawn }: Workload): boolean =>
  tools.some(({ name, stop }) => stop && drawn.some((one) => one === name));

/** The names of the agents of a family, the root's first. Each may ask the next one. */
const FAMILY = ['sim', 'child', 'grandchild'] as const;

function agent(
  workload: Workload,
  version: string,
  system: string,
  expireAfterSeconds: number,
  chargeLostAttempts: boolean,
  level = 0,
  name: string = FAMILY[level] ?? 'sim',
): Agent {
  const { listing, skills, context, maxOutput, runBudget, room, answers, proves, plans, odd, family } =
    workload;
  const model = {
    price,
    ...(context ? { window: context.window, maxTokens: 400 } : { maxTokens: MAX_REPLY_TOKENS }),
  };
  const agentBelow = () =>
    agent(workload, version, system, expireAfterSeconds, chargeLostAttempts, level + 1);
  return defineAgent({
    name,
    version,
    model: {
      ...model,
      name: 'sim',
      ...(context?.summarizer && { summarizer: { ...model, name: SUMMARIZER } }),
    },
    system,
    ...(answers && { answer: answerOf(version) }),
    // The tools of other workloads leave no room in the smallest windows.
    tools: [
      ...tools.filter(({ stop }) => !stop || worksOutside(workload)),
      ...(proves ? [verifier(proves)] : []),
      ...(odd ? [spare] : []),
    ],
    toolSources: listing ? [server] : [],
    skills: skills ? [SKILL] : [],
    limits: {
      ...limits,
      ...(runBudget && { tokenBudget: runBudget.tokens, costLimitUsd: runBudget.usd }),
      ...(room && { workspace: room }),
      toolTimeoutSeconds: 20,
      maxToolOutputChars: maxOutput,
      // People with a long time to decide imply a long time to work, so that the sweeper does not look that late after
      // everything is there.
      queuedCallSeconds: expireAfterSeconds + 100,
    },
    guardrails: {
      ...(proves && { verify: { command: 'verify' } }),
      budget: { chargeLostAttempts, ...(runBudget && budgetOf(runBudget)) },
      ...(context && { context: contextOf(context) }),
      ...(workload.assesses && { progress: { enabled: true, every: workload.assesses } }),
    },
    approvals: { expireAfterSeconds },
    ...(plans && { mode: 'plan' as const }),
    ...(workload.handsOver && { handoffs: overTo(name === DESK ? 'sim' : DESK) }),
    ...(family && level + 1 < FAMILY.length && { agents: asking(agentBelow, family, level, workload.shape) }),
  });
}

/** The object that its runs answer with. The later version asks for more; running sessions are not held to that. */
const answerOf = (version: string) => z.object({ said: z.string(), ...(version === '2' && { n: z.int() }) });

/** It says all that it wants until its limit is reached. */
const budgetOf = ({ recover, onExceeded }: RunBudget) => ({
  recover,
  recoverGrant: GRANT,
  onExceeded,
  forceTextAt: 0,
});

const contextOf = ({ strategy, reserve, maxChars }: NonNullable<Workload['context']>) => ({
  strategy,
  reserve,
  workLogTokens: 100,
  summary: { maxChars, leastChars: Math.min(maxChars, 200) },
});

const overTo = (agent: string) => ({ [OVER]: { agent, when: 'For what it knows better.' } });

/** The agents that it may ask. Those of a shape ask no others. */
function asking(
  below: () => Agent,
  family: NonNullable<Workload['family']>,
  level: number,
  shape: Workload['shape'],
): Readonly<Record<string, { agent: Agent; when: string }>> {
  if (shape && level > 0) return {};
  const agent = shape ? shapeOver(shape, below(), family.expiresAfterSeconds) : below();
  return { team: { agent, when: 'For parts of the work.', ...family } };
}
