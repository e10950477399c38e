import { Model } from '../config/model.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { type Recent, recent } from '../plain/recent.ts';
import { UnusableFacts } from '../plain/unusable-facts.ts';
import type { FirstMessage } from '../session/session.ts';
import type { Agent } from './agent.ts';
import type { FromFacts, SessionFacts } from './first-facts.ts';

/** Characters of instructions that a function may return: the system prompt is stored, and sent with each request. */
const MAX_SYSTEM = 200_000;

/**
 * Agents of sessions that were begun here, by what their functions returned. Equal results share a definition, which is made
 * once.
 */
const begun = new WeakMap<Agent, Recent<Agent>>();

/** The agent as one session has it. Throws {@link UnusableFacts}. */
export function agentFrom(agent: Agent, tenant: string, first: FirstMessage): Agent {
  const { fromFacts } = agent;
  if (!fromFacts) return agent;
  const { at, by, caller, metadata = {} } = first;
  const facts: SessionFacts = Object.freeze({
    tenant,
    at,
    zone: caller?.zone ?? agent.context.zone,
    source: caller?.channel ?? 'http',
    ...(by && { user: by }),
    ...(caller?.name && { name: caller.name }),
    roles: caller?.roles ?? [],
    metadata,
  });
  const system = fromFacts.system ? systemFrom(agent, fromFacts.system, facts) : agent.system;
  const model = fromFacts.model ? modelFrom(agent, fromFacts.model, facts) : agent.model;
  const known = begun.get(agent) ?? recent<Agent>(20);
  begun.set(agent, known);
  const key = hash(canonicalJson([system, model]));
  const made = known.get(key) ?? Object.freeze({ ...agent, system, model });
  known.set(key, made);
  return made;
}

function systemFrom(agent: Agent, make: NonNullable<FromFacts['system']>, facts: SessionFacts): string {
  const system: unknown = called(agent, 'system', () => make(facts));
  if (typeof system === 'string' && system.trim() !== '' && system.length <= MAX_SYSTEM)
    return system.toWellFormed();
  throw new UnusableFacts(
    `The agent ${agent.name} cannot begin a session: its function system must return a text of 1 to ${MAX_SYSTEM} characters.`,
  );
}

/** Only for the listed models are servers and prices known at deployment, so the function chooses one of these. */
function modelFrom(agent: Agent, choose: NonNullable<FromFacts['model']>, facts: SessionFacts) {
  const chosen = Model.safeParse(called(agent, 'model', () => choose(facts)));
  const wanted = chosen.success ? canonicalJson(chosen.data) : undefined;
  const model = agent.models.find((one) => canonicalJson(one) === wanted);
  if (model) return model;
  throw new UnusableFacts(
    `The agent ${agent.name} cannot begin a session: its function model must return one of its models.`,
  );
}

function called(agent: Agent, name: string, run: () => unknown): unknown {
  try {
    const made = run();
    // An asynchronous function is refused below, and its later rejection must not end the process.
    if (made instanceof Promise) made.catch(() => undefined);
    return made;
  } catch (cause) {
    throw new UnusableFacts(
      `The agent ${agent.name} cannot begin a session: its function ${name} threw an error.`,
      { cause },
    );
  }
}
