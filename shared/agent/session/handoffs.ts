/** A session that one agent has given to another (docs/handoffs.md). */

import type { Handoff } from './handed-over.ts';
import type { Run, Session } from './session.ts';
import type { ToolResult } from './slots.ts';

/** Handoffs of one run, so that agents do not pass a request back and forth. */
export const MAX_HANDOFFS = 5;
/** Earlier agents that a session remembers: its first one, and the last ones. */
const MAX_REMEMBERED = 8;

/** The agent with which the session was begun: keys and URLs that belong to it still lead here. */
export const firstAgent = ({ agent, handoffs = [] }: Pick<Session, 'agent' | 'handoffs'>): string =>
  handoffs[0]?.from ?? agent;

/** Whether a request that names an agent may mean this session. */
export const isOf = (session: Pick<Session, 'agent' | 'handoffs'>, agent: string): boolean =>
  session.agent === agent || firstAgent(session) === agent;

/** First slot of the agent that has the session now. */
export const ownSince = ({ handoffs = [] }: Pick<Session, 'handoffs'>): number => handoffs.at(-1)?.below ?? 0;

/** The agent that had the session at a slot, and its definition then. Absent if it is the one of now. */
export const holderAt = ({ handoffs = [] }: Pick<Session, 'handoffs'>, slot: number): Handoff | undefined =>
  handoffs.find(({ below }) => slot < below);

/**
 * The session after a batch, given to another agent if one of its calls has asked for that. Its limits, its guards' states and its
 * totals go on. Permissions for later calls end, since they were given for the tools of the agent before; so do the states of
 * that agent's own guards, and its choice among its models.
 *
 * @param below first slot after the batch
 * @param guards names of the own guards of the agent before
 */
export function withHandoff(
  session: Session,
  results: readonly Pick<ToolResult, 'handedTo'>[],
  below: number,
  guards: readonly string[],
): Session {
  const to = results.find(({ handedTo }) => handedTo)?.handedTo;
  if (!to) return session;
  const { grants: _, agent: from, definition, handoffs = [], metadata, run, ...rest } = session;
  const [first, ...others] = [...handoffs, { from, definition, below }];
  const kept = others.slice(1 - MAX_REMEMBERED);
  const states = Object.entries(metadata.guardrails).filter(([name]) => !guards.includes(name));
  return {
    ...rest,
    ...to,
    handoffs: first ? [first, ...kept] : kept,
    metadata: { guardrails: Object.fromEntries(states) },
    ...(run && { run: handedOver(run) }),
  };
}

function handedOver({ fallback: _, ...run }: Run): Run {
  return { ...run, handoffs: (run.handoffs ?? 0) + 1 };
}
