import { whyMayNotDecide } from '../../shared/agent/define/may-decide.ts';
import { blobsOf } from '../../shared/agent/lineage/blobs.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { callingOf } from '../../shared/agent/session/made.ts';
import { callsOf } from '../../shared/agent/session/reply.ts';
import { approvalId } from '../../shared/agent/step/batch/waits.ts';
import { describeCall } from '../../shared/agent/tools/asking.ts';
import { readInput } from '../../shared/agent/tools/reading.ts';
import { toolsOf } from '../../shared/agent/tools/toolset.ts';
import type { WaitDetails } from '../../shared/contract/http.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { waitInfo } from './reads.ts';
import { isSeenBy } from './seen.ts';

/** Characters of a call that are shown. A reply has at most some hundred thousand; an answer of a Lambda function may have 6 MB. */
const MAX_WHOLE = 1_500_000;

/**
 * `GET /sessions/{sessionId}/waits/{waitId}`: one thing that a run waits for, with the full arguments of its call, since approval
 * requests cut long values. Each person who may decide it can see it, also in a session of another owner.
 */
export const readWait: Route = async (event, caller, { io, agents }) => {
  const { key, view } = await askingSession(sessionKeyOf(event, caller), event.pathParameters?.waitId, io);
  const { batch, agent: name } = view.session;
  const wait = batch?.waits.find(({ id }) => id === event.pathParameters?.waitId);
  const agent = agents.find((one) => one.name === name);
  const isSeen =
    isSeenBy(caller, view.session) ||
    (wait && whyMayNotDecide(caller, wait, view.session, agent) === undefined);
  if (!isSeen) throw noSuchSession();
  if (!batch || !wait) throw noSuchWait();
  const slots = await io.sessions.slots(key, batch.slot);
  const slot = slots.find((stored) => stored.slot.n === batch.slot)?.slot;
  const calling = callingOf(slot);
  const call = callsOf(calling).find(({ id }) => id === wait.callId);
  const pinned = await io.sessions.definition(key.tenant, view.session.definition);
  const tools = pinned ? await toolsOf(agent, pinned) : [];
  if (calling?.by === 'plan') {
    const { wholePlan } = await import('./plan.ts');
    return answer({
      ...waitInfo(wait),
      ...(await wholePlan(key, calling, tools, MAX_WHOLE, { blobs: blobsOf(view.session, io.blobs) })),
    });
  }
  const tool = tools.find((one) => one.name === wait.tool);
  const reading = call && tool ? readInput(call, tool) : undefined;
  if (!call || !reading || reading.kind === 'wrong') return answer({ ...waitInfo(wait), isAsAsked: false });

  const { message, cut } = describeCall(call.name, reading, MAX_WHOLE, MAX_WHOLE);
  return answer({
    ...waitInfo(wait),
    whole: message,
    isWhole: !cut,
    sent: call.input,
    isAsAsked: wait.kind !== 'approval' || wait.id === approvalId(key, batch.slot, call, tool),
  });
};

/** The session that waits for it: this one, or one below it. */
async function askingSession(
  key: SessionKey,
  waitId: string | undefined,
  { sessions }: Pick<Ports, 'sessions'>,
) {
  const view = await sessions.read(key);
  if (!view) throw noSuchSession();
  const ask = view.session.batch?.asks?.find(({ id }) => id === waitId);
  if (!ask) return { key, view };
  const below = { tenant: key.tenant, sessionId: ask.child };
  return { key: below, view: (await sessions.read(below)) ?? view };
}

const answer = (details: WaitDetails) => json(200, details);

const noSuchWait = () =>
  new Refusal(404, 'No such wait', {
    detail: 'It has ended, or never existed. GET /sessions/{sessionId} lists what the run waits for.',
  });
