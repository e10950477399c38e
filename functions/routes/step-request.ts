import { requestMessages } from '../../shared/agent/context/request.ts';
import { readable } from '../../shared/agent/events/steps.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import type { Message } from '../../shared/agent/ports/provider.ts';
import { modelAt } from '../../shared/agent/session/pinned.ts';
import { isFold, type ModelSlot, type Slot } from '../../shared/agent/session/slots.ts';
import { toolsSent } from '../../shared/agent/session/tools-sent.ts';
import { maySeeAll } from '../../shared/contract/identity.ts';
import type { StepRequest } from '../../shared/contract/steps.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { between, type SlotSource } from './slots.ts';
import { cutToFit } from './steps-cut.ts';

/**
 * `GET /sessions/{sessionId}/steps/{slot}/request`: the full model request of a step. It is rebuilt from what is stored, exactly
 * as the step built it, since history is byte-stable.
 */
export const readStepRequest: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  if (!maySeeAll(caller))
    throw new Refusal(403, 'Not allowed', {
      detail: 'Only callers who may see all sessions of the tenant may see the prompts of its agents.',
    });
  const { version, definition } = view.session;
  const n = Number(/^\d{1,10}$/.exec(event.pathParameters?.slot ?? '')?.[0] ?? Number.NaN);
  const place = { sessions: io.sessions, session: view.session };
  const [asked] = n < version ? await between(place, n, n + 1) : [];
  if (asked?.kind !== 'model' || asked.made || asked.fold)
    throw new Refusal(404, 'No such step', {
      detail:
        'Name the first slot of a step that called its model: kind "model" of GET /sessions/{sessionId}/steps.',
    });
  const [pinned, before] = await Promise.all([
    io.sessions.definition(key.tenant, definition),
    contextOf(place, asked),
  ]);
  if (!pinned) throw new Error(`${key.sessionId}: its definition is missing`);
  const { reply, input } = asked;
  const fallback = reply?.fallback ?? 0;
  const fold = before.findLast(isFold)?.n;
  const reading = {
    fallback,
    ...defined({ fold, told: pinned.context }),
  };
  const { model, maxTokens, request } = modelAt(pinned, fallback);
  const answer: StepRequest = {
    ...{ model, maxTokens, options: request, system: pinned.system },
    tools: toolsSent(pinned).map(({ name, description, input_schema }) => ({
      name,
      description,
      input_schema,
    })),
    messages: requestMessages(before, input, reading, pinned.tools.length > 0).map(shown),
  };
  return json(200, cutToFit(answer));
};

/** The slots that the model of a step has read: from the start of its fold, or all before it. */
async function contextOf(place: SlotSource, { n, reply }: ModelSlot): Promise<Slot[]> {
  const [folded] = reply?.fold === undefined ? [] : await between(place, reply.fold, reply.fold + 1);
  return between(place, folded && isFold(folded) ? folded.fold.start : 0, n);
}

/** Leaves out content that only the model's server reads. */
const shown = ({ role, content }: Message): StepRequest['messages'][number] => ({
  role,
  content: content.map(readable),
});
