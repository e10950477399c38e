import { readingOf } from '../../context/reading.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { Failure, Malformed } from '../../session/reply.ts';
import { runOf } from '../../session/session.ts';
import type { ModelSlot } from '../../session/slots.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import type { RefusedRequest } from './refused-request.ts';
import type { Turn } from './turn.ts';

/** Loads the search for the part of a request that a server does not accept: few requests are refused. */
export const readOmitting = readOnce(() => import('./omit-part.ts'));
export const readOmittingTools = readOnce(() => import('./omit-tool.ts'));

/**
 * The turn for another try after its server has refused the request: without the tool that the server names, or without the
 * next part of the conversation that may be the cause. Undefined if there is nothing left to try.
 *
 * @param asked the turn as the request had it
 * @param turn the turn as it continues
 */
export async function withoutRefusedPart<T extends Turn>(
  step: SessionPart & Pick<Step, 'atCommit' | 'io'>,
  asked: Turn,
  turn: T,
  { tool, malformed, message }: Extract<Failure, { kind: 'fatal' }>,
): Promise<(T & Pick<ModelSlot, 'omitted'>) | undefined> {
  if (tool) {
    const { withoutTool } = await readOmittingTools();
    const session = await withoutTool(step, turn.session, tool, message);
    return session && { ...turn, session };
  }
  const { nextOmission } = await readOmitting();
  const omitted = nextOmission(refusedRequest(step, asked, malformed));
  return omitted && { ...turn, omitted };
}

const refusedRequest = (
  { session, history, loaded }: Pick<Step, 'session' | 'history' | 'loaded'>,
  { input }: Turn,
  malformed: Malformed | undefined,
): RefusedRequest => ({
  history,
  input,
  n: session.version,
  runId: runOf(session).id,
  reading: readingOf(session, loaded.pinned),
  hasTools: loaded.pinned.tools.length > 0,
  malformed,
});
