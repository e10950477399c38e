import type { Agent } from '../define/agent.ts';
import type { BeginChild, Children, NewChild } from '../ports/children.ts';
import type { Ports } from '../ports/ports.ts';
import type { PriceOf } from '../session/pinned.ts';
import { accept, openSession, storedDefinition } from './accept.ts';

/** The only event that a child gets from its parent. */
const TASK = 'task';

/**
 * Begins children as any other session is begun: an idempotent creation, then an idempotent event. A process that dies between
 * the two leaves a session that has not begun, which its parent's next attempt goes on with.
 */
export function childrenOver(
  io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'listings'>,
  agentOf: (name: string) => Agent | undefined,
  priceOf: PriceOf,
): Children {
  return {
    async begin(child) {
      const agent = agentOf(child.agent);
      return agent ? begin(child, agent, priceOf, io) : 'no_agent';
    },
    async define(tenant, name, first) {
      const agent = agentOf(name);
      if (!agent) return undefined;
      const definition = await storedDefinition(tenant, agent, priceOf, io, first);
      return { agent: name, definition, ...(agent.mode === 'plan' && { mode: agent.mode }) };
    },
  };
}

async function begin(
  { key, parent, task, speakers, user, mode }: NewChild,
  agent: Agent,
  priceOf: PriceOf,
  io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'listings'>,
): Promise<BeginChild> {
  const [first = {}, ...others] = speakers;
  const opened = await openSession(key, agent, priceOf, io, {
    ...{ parent, user, mode },
    first: { at: io.clock.now(), ...first },
  });
  if (opened === 'gone') return 'gone';
  const accepted = await accept(key, { ...first, eventId: TASK, text: task, carries: others }, io);
  // It was begun, with another reading of the same arguments, or people have filled its inbox since.
  return accepted === 'unknown_session' ? 'gone' : 'begun';
}
