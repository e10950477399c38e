import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { userMessageId } from '../../shared/agent/events/snapshot.ts';
import type { SessionView } from '../../shared/agent/ports.ts';
import { shownTo } from '../../shared/contract/ag-ui.ts';
import { MAX_RUN_INPUT_BYTES, RunAgentInput } from '../../shared/contract/ag-ui-input.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { AgentName, SessionId } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { jsonBody } from '../middleware/request.ts';
import type { Answer, Out } from '../middleware/stream-response.ts';
import { type AguiContext, eventIdOf, nothing, type Target, takeIn } from './agui-arrivals.ts';
import { takePlace } from './agui-place.ts';
import { type Reader, readMessages, tellRest, tellUntilRest } from './agui-stream.ts';
import { requireSeen } from './seen.ts';

const sse = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

/**
 * `POST /agui[/{agent}][/connect]`: a session as AG-UI's stock `HttpAgent` wants it. The thread is the session. What is
 * new in the input (its last user message, its answers to interrupts) is taken in before the answer begins, so a
 * refusal still has its status.
 *
 * @param deadlineAt epoch ms at which the answer must have ended
 */
export async function serveAgui(
  event: APIGatewayProxyEventV2,
  caller: Identity,
  deadlineAt: number,
  context: AguiContext,
): Promise<Answer> {
  const { io, isOutage, links, streams, watchMs } = context;
  const target = targetOf(event.rawPath);
  const input = jsonBody(event, RunAgentInput, MAX_RUN_INPUT_BYTES);
  const { threadId } = input;
  const key = { tenant: caller.tenant, sessionId: await sessionOf(threadId) };
  const endsAt = target.connect ? Math.min(deadlineAt, io.clock.now() + watchMs) : deadlineAt;
  await requireSeen(key, caller, io);
  const place = await takePlace({ ...key, id: io.ids.next() }, endsAt, streams);
  try {
    // Read before anything is sent: what happens from here on is shown.
    const before = await io.sessions.read(key);
    const taken = target.connect ? nothing : await takeIn(key, input, target, caller, context);
    const shown = shownTo({ runId: input.runId, own: ownIds(input), late: taken.late });
    const body = async (out: Out) => {
      const reader: Reader = { key, threadId, deadlineAt: endsAt, shown, links, out, mayStay: place.mayStay };
      try {
        await tell(reader, taken.news, taken.news ? before : await io.sessions.read(key), {
          ...io,
          isOutage,
        });
      } finally {
        await place.leave();
      }
    };
    return { kind: 'stream', headers: sse, body };
  } catch (error) {
    await place.leave();
    throw error;
  }
}

/** Tells what there is to tell: what comes, or how the session stands at rest. */
async function tell(
  reader: Reader,
  news: boolean,
  view: SessionView | undefined,
  io: AguiContext['io'] & Pick<AguiContext, 'isOutage'>,
): Promise<void> {
  const run = view?.dueAt !== undefined && view.session.run?.ended === false ? view.session.run : undefined;
  const told =
    (news || view?.dueAt !== undefined) &&
    (await tellUntilRest(
      reader,
      view?.session.eventSeq ?? 0,
      {
        ...(run && { runId: run.id }),
        ...(!news && view && { messages: await readMessages(view, io) }),
      },
      io,
    ));
  // A message or a decision that was sent before has had its run already.
  if (!told) await tellRest(reader, await io.sessions.read(reader.key), io);
}

/** A thread id that can name a session does; any other leads to the same session each time. */
const sessionOf = async (threadId: string): Promise<string> =>
  SessionId.safeParse(threadId).success ? threadId : sessionIdFor('agui', threadId);

/** The client's own ids of its messages, by ours. */
const ownIds = ({ messages }: RunAgentInput): Map<string, string> =>
  new Map(
    messages.flatMap(({ id, role }) =>
      role === 'user' ? [[userMessageId(eventIdOf(id)), id] as const] : [],
    ),
  );

function targetOf(path: string): Target {
  const [first, ...rest] = path.split('/').filter((part) => part !== '');
  const connect = rest.at(-1) === 'connect';
  const [agent, ...more] = connect ? rest.slice(0, -1) : rest;
  if (first !== 'agui' || more.length > 0 || (agent !== undefined && !AgentName.safeParse(agent).success)) {
    throw new Refusal(404, 'No such route', { detail: 'POST /agui, /agui/{agent}, or these with /connect.' });
  }
  return { connect, ...(agent !== undefined && { agent }) };
}
