/**
 * Plays a session of an agent without a model, without AWS and without waiting: the real loop on stores in memory, a
 * script in the model's place, and virtual time, which skips waits.
 */

import type { Agent } from '../shared/agent/define/agent.ts';
import type { AnswerOf } from '../shared/agent/define/answer.ts';
import { defined } from '../shared/agent/plain/defined.ts';
import { callerFacts } from '../shared/agent/session/caller.ts';
import { priceOf } from '../shared/models/prices.ts';
import { skillsIn } from '../shared/skills/project.ts';
import { type AgentWorld, agentWorld } from './agent-world.ts';
import { comeToRest, MOST_TURNS } from './come-to-rest.ts';
import { killAfter, killBefore } from './faults.ts';
import type { CrashPoint, Rehearsal, Rehearsed, ToolStart } from './rehearsal.ts';
import { resultOf } from './rehearsed.ts';
import { rememberBefore, rememberedNow } from './remembered.ts';
import { type Answering, answeringModel, type Scripted, scriptedModel } from './scripted-model.ts';
import { eachOf } from './team.ts';
import { aMomentFor, counted, watched, watchedSource } from './watched-tools.ts';

/**
 * Plays a session until it rests. Rejects if the model is asked more often than its script says, and with errors of the
 * core itself.
 *
 * @example
 * const run = await rehearse(support, {
 *   user: 'Where is order 7?',
 *   model: [calls(['lookup_order', { orderId: '7' }]), says('It is on its way.')],
 *   tools: { lookup_order: () => ({ state: 'sent' }) },
 * });
 * expect(run.answer).toBe('It is on its way.');
 */
export async function rehearse<A extends Agent>(
  agent: A,
  rehearsal: Rehearsal,
): Promise<Rehearsed<AnswerOf<A>>> {
  const {
    user,
    model: script,
    settings,
    secrets,
    internet,
    workspace,
    project = '.',
    crash,
    decides = () => undefined,
  } = rehearsal;
  const { answersLater = () => undefined } = rehearsal;
  const { subject = 'user:rehearsal', kind = 'jwt', roles, channel = 'http' } = rehearsal.caller ?? {};
  const starts: ToolStart[] = [];
  const going = new Set<Promise<unknown>>();
  const model =
    typeof script === 'function'
      ? answeringModel((asked) => counted(going, Promise.resolve(script(asked))))
      : scriptedModel(...script);
  const realTime = () => aMomentFor(going);
  const rehearsed = (one: Agent): Agent => ({
    ...one,
    tools: one.tools.map((tool) => ({
      // A fake answers in place of another agent.
      ...(rehearsal.tools?.[tool.name] ? { ...tool, delegates: undefined, handsOffTo: undefined } : tool),
      run: watched(tool.name, rehearsal.tools?.[tool.name] ?? tool.run, starts, going, () => world),
    })),
    toolSources: one.toolSources.map((source) =>
      watchedSource(source, rehearsal.tools, starts, going, () => world),
    ),
  });
  const world: AgentWorld = agentWorld(eachOf(agent, rehearsed), model, {
    agents: (rehearsal.agents ?? []).map((one) => eachOf(one, rehearsed)),
    settings,
    secrets,
    internet,
    workspace,
    realTime,
    // A model without a price is nothing to log in a test: the budget guard says so if the agent limits dollars.
    priceOf: (name) => priceOf(name, true),
    skillsOf: (names) => counted(going, skillsIn(project)(names)),
  });
  const by = { tenant: world.key.tenant, subject };
  await rememberBefore(rehearsal.memory ?? {}, by, world.memories, world.clock.now());
  if (crash) world.faults.atAny(crash.when === 'before' ? killBefore : killAfter, crash.nth);
  for (const text of typeof user === 'string' ? [user] : user) {
    await world.say(text, undefined, subject, callerFacts({ kind, ...defined({ roles }) }, channel));
    await comeToRest(world, decides, answersLater, realTime);
  }
  const memory = await rememberedNow(by, world.memories);
  const came: Rehearsed = { ...(await resultOf(world, model.requests, model.left(), starts)), memory };
  // The agent's schema has parsed it.
  return came as Rehearsed<AnswerOf<A>>;
}

/**
 * Plays the rehearsal once as it is, then once for every place where a worker can die in it, and returns the results. A
 * tool is safe if its `starts` show it: `once` tools start at most once for each `idempotencyKey`.
 */
export async function rehearseCrashes<A extends Agent>(
  agent: A,
  rehearsal: Omit<Rehearsal, 'crash'>,
): Promise<readonly (Rehearsed<AnswerOf<A>> & { readonly crash: CrashPoint })[]> {
  const { outside } = await rehearse(agent, rehearsal);
  const played: (Rehearsed<AnswerOf<A>> & { crash: CrashPoint })[] = [];
  for (let nth = 1; nth <= outside; nth++)
    for (const when of ['before', 'after'] as const) {
      const crash = { nth, when };
      played.push({
        ...(await rehearse(agent, { ...rehearsal, model: repeating(rehearsal.model), crash })),
        crash,
      });
    }
  return played;
}

/**
 * The script for a model that is asked again after a crash: the same request gets the same reply, and the script never
 * runs out.
 */
function repeating(script: Rehearsal['model']): Scripted[] | Answering {
  const listed = typeof script === 'function' ? [script] : script;
  const left = [...listed];
  const known = new Map<string, Scripted>();
  const answer: Answering = async (asked) => {
    const request = JSON.stringify(asked.request.messages);
    const scripted = known.get(request) ?? left.shift() ?? listed.at(-1);
    if (!scripted) throw new Error('the script has no answers');
    const outcome = typeof scripted === 'function' ? await scripted(asked) : scripted;
    // A retry after a failure gets the next answer.
    if (outcome.kind === 'reply') known.set(request, outcome);
    return outcome;
  };
  return typeof script === 'function' ? answer : Array.from({ length: MOST_TURNS }, () => answer);
}
