import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { cancel } from '../../shared/agent/entrypoints/accept.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { own } from '../../shared/agent/plain/merge.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import { MAX_RUN_INPUT_BYTES } from '../../shared/contract/ag-ui-input.ts';
import { newState } from '../../shared/contract/chat/book.ts';
import { ChatInput } from '../../shared/contract/chat/input.ts';
import { ChatResume, type ChatState } from '../../shared/contract/chat/state.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { AgentName } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody, rawBody } from '../middleware/request.ts';
import type { Answer } from '../middleware/stream-response.ts';
import { arrivalOf } from './chat-arrivals.ts';
import { readHistory } from './chat-history.ts';
import { chatTeller } from './chat-teller.ts';
import { noSuchSession } from './context.ts';
import { nothing, type PageContext, sessionOf } from './page-arrivals.ts';
import { requireSeen } from './seen.ts';
import { streamSession } from './stream-session.ts';

/** The header by which AI SDK clients recognize the stream. */
const headers = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** The parsed request. Only `say` has no chat in its path. */
type Target =
  | { readonly what: 'say'; readonly agent?: string }
  | { readonly what: 'stream' | 'stop' | 'messages' | 'waits'; readonly chatId: string };

/**
 * `/chat`: a session as `useChat` of Vercel's AI SDK expects it. The chat is the session. `POST /chat[/{agent}]` takes in what is
 * new and streams the answer. Below `/chat/{chatId}` are `GET stream`, which streams the current run, `POST stream`, which
 * continues an answer that had to end, `POST stop`, `GET messages`, and `GET waits`, by which a page that waits learns of decisions
 * made elsewhere.
 *
 * @param deadlineAt epoch ms by which the answer must have ended
 */
export async function serveChat(
  event: APIGatewayProxyEventV2,
  caller: Identity,
  deadlineAt: number,
  context: PageContext,
): Promise<Answer> {
  const { io, watchMs } = context;
  const { method } = event.requestContext.http;
  const target = targetOf(event.rawPath, method);
  const keyOf = async (id: string) => ({ tenant: caller.tenant, sessionId: await sessionOf(id) });

  if (target.what === 'say') {
    const input = jsonBody(event, ChatInput, MAX_RUN_INPUT_BYTES);
    const key = await keyOf(input.id);
    const arrival = await arrivalOf(key, input, target.agent, caller, context);
    const asked = { key, threadId: input.id, endsAt: deadlineAt, headers, ...arrival };
    return streamSession(asked, caller, context);
  }
  const key = await keyOf(target.chatId);
  await requireSeen(key, caller, io);
  const show = (state: ChatState, after?: number) =>
    streamSession(
      {
        ...{ key, threadId: target.chatId, headers },
        endsAt: Math.min(deadlineAt, io.clock.now() + watchMs),
        take: async () => nothing,
        ...defined({ after }),
        teller: async () => chatTeller(key, state, [], context),
      },
      caller,
      context,
    );
  switch (target.what) {
    case 'stream': {
      if (method === 'POST') {
        const { after, state } = jsonBody(event, ChatResume, MAX_RUN_INPUT_BYTES);
        return show(state, after);
      }
      // The SDK takes 204 to mean that nothing is running.
      if ((await io.sessions.read(key))?.dueAt === undefined) return whole({ statusCode: 204 });
      return show(newState('answer', { splits: true }));
    }
    case 'stop': {
      // The body is not used, but its size limit still applies.
      rawBody(event, MAX_RUN_INPUT_BYTES);
      const stopped = await cancel(key, io);
      if (stopped === 'unknown') throw noSuchSession();
      return whole(json(202, { stopped: stopped === 'cancelled' }));
    }
    case 'messages':
      return whole(json(200, { messages: await readHistory(key, context) }));
    case 'waits': {
      const view = await io.sessions.read(key);
      const isGoing = view?.dueAt !== undefined;
      return whole(json(200, { isGoing, waits: isGoing || !view ? [] : openIn(view) }));
    }
    default:
      return target satisfies never;
  }
}

/** Ids of everything that the run still waits for. */
const openIn = ({ fence, session: { batch } }: SessionView): string[] => [
  ...(batch?.waits ?? []).map(({ id }) => id).filter((id) => fence.pending.includes(id)),
  ...(batch?.asks ?? []).map(({ id }) => id),
];

const whole = (response: Extract<Answer, { kind: 'whole' }>['response']): Answer => ({
  kind: 'whole',
  response,
});

const below: Readonly<Record<string, readonly string[]>> = {
  GET: ['stream', 'messages', 'waits'],
  POST: ['stream', 'stop'],
};

function targetOf(path: string, method: string): Target {
  const parts = path.split('/').filter((part) => part !== '');
  const [, ...rest] = parts.map(decoded);
  const last = rest.at(-1);
  const isAgent = (name: string | undefined) => name === undefined || AgentName.safeParse(name).success;
  if (method === 'POST' && rest.length <= 1 && isAgent(last)) {
    return { what: 'say', ...defined({ agent: last }) };
  }
  // A page whose base address names the agent puts these paths below it.
  const [chatId, ...more] = rest.slice(0, -1).toReversed();
  if (
    chatId !== undefined &&
    more.length <= 1 &&
    more.every(isAgent) &&
    own(below, method)?.includes(last ?? '')
  ) {
    return { what: last as 'stream' | 'stop' | 'messages' | 'waits', chatId };
  }
  throw new Refusal(404, 'No such route', {
    detail:
      'POST /chat, POST /chat/{agent}, GET or POST /chat/{chatId}/stream, POST /chat/{chatId}/stop, or GET /chat/{chatId}/messages or …/waits.',
  });
}

/** A decoded part of a path; unchanged if its encoding is invalid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
