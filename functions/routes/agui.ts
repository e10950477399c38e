import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { resultMessageId, userMessageId } from '../../shared/agent/events/snapshot.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { pageAnswersIn, shownTo, toDecision, toolMessagesIn } from '../../shared/contract/ag-ui.ts';
import { MAX_RUN_INPUT_BYTES, RunAgentInput } from '../../shared/contract/ag-ui-input.ts';
import { hasAttachments } from '../../shared/contract/ag-ui-parts.ts';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { offerOf } from '../../shared/contract/page.ts';
import type { StateEvent } from '../../shared/contract/page-state.ts';
import { AgentName, type SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { jsonBody } from '../middleware/request.ts';
import type { Answer } from '../middleware/stream-response.ts';
import { sharingWith } from './agui-state.ts';
import { type Arrived, eventIdOf, nothing, type PageContext, sessionOf, takeIn } from './page-arrivals.ts';
import { streamSession } from './stream-session.ts';

/** The parsed path: `/agui[/{agent}]` runs; with `/connect` after it, the request only follows the session. */
interface Target {
  readonly agent?: string;
  readonly connect: boolean;
}

/**
 * `POST /agui[/{agent}][/connect]`: a session as AG-UI's stock `HttpAgent` expects it. The thread is the session. New input (the
 * last user message, answers to interrupts) is accepted before the response begins, so a refusal still has its status.
 *
 * @param deadlineAt epoch ms by which the response must have ended
 */
export async function serveAgui(
  event: APIGatewayProxyEventV2,
  caller: Identity,
  deadlineAt: number,
  context: PageContext,
): Promise<Answer> {
  const { io, watchMs } = context;
  const target = targetOf(event.rawPath);
  const input = jsonBody(event, RunAgentInput, MAX_RUN_INPUT_BYTES);
  const { threadId, runId } = input;
  const key = { tenant: caller.tenant, sessionId: await sessionOf(threadId) };
  const endsAt = target.connect ? Math.min(deadlineAt, io.clock.now() + watchMs) : deadlineAt;
  return streamSession(
    {
      ...{ key, threadId, endsAt },
      take: async () => (target.connect ? nothing : takeIn(key, arrivedIn(input, target), caller, context)),
      async teller({ late }, before) {
        const sharing = await sharingWith(sideOf(input, target, context), before, context);
        const shown = shownTo({ runId, own: ownIds(input), late, tools: namesOf(input), ...sharing });
        const asParts = async (one: AgUiEvent | StateEvent) =>
          one.type === 'STATE_SNAPSHOT' || one.type === 'STATE_DELTA' ? one : asShown(one, key, context);
        return { shown: (one) => Promise.all(shown(one).map(asParts)), closes: true };
      },
    },
    caller,
    context,
  );
}

function arrivedIn(
  { threadId, messages, resume = [], forwardedProps, ...shown }: RunAgentInput,
  { agent }: Target,
): Arrived {
  const message = messages.at(-1);
  const answers = pageAnswersIn(messages);
  return {
    ...{ threadId, channel: 'agui', mode: forwardedProps?.mode, zone: forwardedProps?.zone },
    decisions: resume.map(toDecision),
    answers,
    page: offerOf(shown),
    message: message?.role === 'user' ? message : undefined,
    agent: agent ?? forwardedProps?.agent,
    sayAgent: 'Name one in the path, POST /agui/{agent}, or in forwardedProps.agent',
  };
}

const asShown = async (event: AgUiEvent, key: SessionKey, { links }: PageContext): Promise<object> =>
  hasAttachments(event) ? (await import('./agui-shown.ts')).withLinks(event, key, links) : event;

const sideOf = (
  { state, forwardedProps }: RunAgentInput,
  { agent, connect: connects }: Target,
  { agents }: PageContext,
) => ({
  agent: agent ?? forwardedProps?.agent ?? (agents.length === 1 ? agents[0]?.name : undefined),
  ...{ state, connects },
});

const namesOf = ({ tools }: RunAgentInput): ReadonlySet<string> =>
  new Set(offerOf({ tools })?.tools.map(({ name }) => name));

/** The client's ids of its messages, and of its answers to calls, by our ids. */
const ownIds = ({ messages }: RunAgentInput): Map<string, string> =>
  new Map([
    ...messages.flatMap(({ id, role }) =>
      role === 'user' ? [[userMessageId(eventIdOf(id)), id] as const] : [],
    ),
    ...toolMessagesIn(messages).map(({ id, toolCallId }) => [resultMessageId(toolCallId), id] as const),
  ]);

function targetOf(path: string): Target {
  const [first, ...rest] = path.split('/').filter((part) => part !== '');
  const connect = rest.at(-1) === 'connect';
  const [agent, ...more] = connect ? rest.slice(0, -1) : rest;
  if (first !== 'agui' || more.length > 0 || (agent !== undefined && !AgentName.safeParse(agent).success)) {
    throw new Refusal(404, 'No such route', { detail: 'POST /agui, /agui/{agent}, or these with /connect.' });
  }
  return { connect, ...defined({ agent }) };
}
