/**
 * A server that gives blocks in its replies and refuses every request that contains one of them, that starts to refuse a
 * tool, and that refuses all requests of some runs.
 */

import type { ModelRequest } from '../../shared/agent/ports/provider.ts';
import type { Failure } from '../../shared/agent/session/reply.ts';
import type { Block } from '../../shared/agent/session/slots.ts';
import { spare } from './tools.ts';
import type { World } from './world.ts';

/** The message of its refusals to such a run. */
export const STUBBORN = 'stubborn';

export const isOdd = ({ type }: Block): boolean => type === 'odd';

/** Blocks of a reply that its server will not accept back. */
export const oddBlocks = ({ workload, scheduler }: World, bought: string): readonly Block[] =>
  workload.odd && scheduler.random.chance(workload.odd) ? [{ type: 'odd', of: bought }] : [];

/** Why a request of a run is refused. The server names the place, or does not. */
export function oddIn(world: World, { messages }: ModelRequest, runId: string): Failure | undefined {
  const { workload, scheduler } = world;
  if (!workload.odd) return undefined;
  if (isStubborn(world, runId))
    return { kind: 'fatal', code: 'invalid_request_error', message: STUBBORN, malformed: {} };
  const message = messages.findIndex(({ content }) => content.some(isOdd));
  if (message < 0) return undefined;
  const block = messages[message]?.content.findIndex(isOdd) ?? 0;
  const malformed = scheduler.random.chance(0.4) ? { message, block } : {};
  return { kind: 'fatal', code: 'invalid_request_error', message: 'odd', malformed };
}

/** Whether the server refuses each request of a run, so that no try of it proves anything. */
function isStubborn({ stubborn, scheduler }: World, runId: string): boolean {
  const known = stubborn.get(runId) ?? scheduler.random.chance(0.05);
  stubborn.set(runId, known);
  return known;
}

/** The tools of a request without the one that the server may refuse. These must not change in a session. */
export const withoutSpare = ({ tools }: ModelRequest): ModelRequest['tools'] =>
  tools.filter(({ name }) => name !== spare.name);

/** The server refuses the declaration of a tool, by its name or its place. */
export function spareIn({ workload, scheduler }: World, { tools }: ModelRequest): Failure | undefined {
  const index = tools.findIndex(({ name }) => name === spare.name);
  if (!workload.odd || index < 0 || !scheduler.random.chance(0.3)) return undefined;
  const tool = scheduler.random.chance(0.5) ? { index } : { name: spare.name };
  return { kind: 'fatal', code: 'invalid_request_error', message: 'spare', tool };
}
