import { userMessageId } from '../../shared/agent/events/snapshot.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { Wait } from '../../shared/agent/session/waits.ts';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import { newState } from '../../shared/contract/chat/book.ts';
import { answerIdOf, lastOfUser, resultIdOf } from '../../shared/contract/chat/ids.ts';
import {
  answersIn,
  type ChatAnswer,
  type ChatInput,
  callsIn,
  contentIn,
} from '../../shared/contract/chat/input.ts';
import type { ChatState } from '../../shared/contract/chat/state.ts';
import type { AgUiEvent, SnapshotMessage } from '../../shared/contract/events.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { offerOf, type PageAnswer } from '../../shared/contract/page.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { chatTeller } from './chat-teller.ts';
import { type Arrived, eventIdIn, nothing, type PageContext, type Taken, takeIn } from './page-arrivals.ts';
import { retried } from './retry.ts';
import { readMessages } from './session-stream.ts';
import type { Streamed } from './stream-session.ts';

type Message = ChatInput['messages'][number];
type Arrival = Pick<Streamed, 'take' | 'teller'>;

/** The input of a page: a message of the user's, or answers inside a message of the assistant's. */
export async function arrivalOf(
  key: SessionKey,
  input: ChatInput,
  agent: string | undefined,
  caller: Identity,
  context: PageContext,
): Promise<Arrival> {
  const arrived: Omit<Arrived, 'decisions'> = {
    ...{
      threadId: input.id,
      channel: 'chat',
      mode: input.mode,
      zone: input.zone,
      page: offerOf({ tools: input.tools }),
      agent: agent ?? input.agent,
    },
    sayAgent: 'Name one in the path, POST /chat/{agent}, or as agent in the body',
  };
  const answered = input.messages.find(({ id, role }) => role === 'assistant' && id === input.messageId);
  const last = input.messages.at(-1);
  if (!answered && last?.role === 'user') {
    const eventId = await eventIdIn(key, last.id, context);
    return saying(key, last, eventId, input, arrived, caller, context);
  }
  const message = answered ?? last;
  if (message?.role !== 'assistant') {
    throw new Refusal(400, 'Unusable message', {
      detail: 'The last message must be the user’s or the assistant’s.',
    });
  }
  return answering(key, message, arrived, caller, context);
}

/** A message of the user's. A known one is not accepted again: the caller gets the answer that it has. */
function saying(
  key: SessionKey,
  message: Message,
  eventId: string,
  input: ChatInput,
  arrived: Omit<Arrived, 'decisions'>,
  caller: Identity,
  context: PageContext,
): Arrival {
  const { io } = context;
  const own = userMessageId(eventId);
  return {
    async take() {
      const [known] = await io.inbox.read(key, [eventId]);
      const again = known ? await sentAgain(key, own, input, context) : undefined;
      if (again?.kind === 'stands') return { ...nothing, stands };
      if (again?.kind === 'retry') {
        const asked = { eventId: again.eventId, caller, channel: arrived.channel };
        return { news: (await retried(key, asked, context)) === 'accepted', late: [] };
      }
      if (known && message.id === own) return nothing;
      const content = contentIn(message.parts);
      return takeIn(
        key,
        { ...arrived, decisions: [], message: { id: message.id, content } },
        caller,
        context,
      );
    },
    async teller({ news, stands: refusal }, before) {
      // Until the message is read, the session's activity belongs to the previous turn.
      const until = news && before && isBusy(before) ? { until: own } : {};
      // A page that asks for another answer has already dropped what it had of the failed one.
      const first: AgUiEvent[] =
        news && before && input.trigger === 'regenerate-message'
          ? [{ type: 'MESSAGES_SNAPSHOT', messages: await readMessages(before, io) }]
          : [];
      return chatTeller(key, newState(answerIdOf(own), { own, ...until }), first, context, refusal);
    },
  };
}

const isBusy = ({ dueAt, fence }: SessionView): boolean => dueAt !== undefined || fence.pending.length > 0;

/** The request behind a known message: another try at its run, or an answer in place of the one that it has. */
type Again =
  /** The id of the event that retries the run. */
  | { readonly kind: 'retry'; readonly eventId: string }
  /** The answer was given, and cannot be regenerated. The page has dropped it, so it is sent again. */
  | { readonly kind: 'stands' };

/**
 * Checks a message that the session knows. Refuses one that was edited, or that is not the latest. Undefined if the page only
 * sends it again.
 */
async function sentAgain(
  key: SessionKey,
  own: string,
  { trigger, messageId }: ChatInput,
  { io }: PageContext,
): Promise<Again | undefined> {
  const view = await io.sessions.read(key);
  if (!view) return undefined;
  const isAgain = trigger === 'regenerate-message';
  const unread = view.fence.inbox.map(userMessageId);
  const isLast = unread.length > 0 ? unread.includes(own) : lastOfUser(await readMessages(view, io)) === own;
  if (isAgain && !isLast) return { kind: 'stands' };
  if (!isLast || (messageId === own && !isAgain)) throw changed();
  const { run, state } = view.session;
  if (!isAgain || view.dueAt !== undefined || run?.ended === false) return undefined;
  return !run || state === 'completed'
    ? { kind: 'stands' }
    : { kind: 'retry', eventId: `retry-of-${run.id}` };
}

const instead = 'Send a new message, or edit the message in a fork (POST /sessions/{sessionId}/edit).';

const stands = `A given answer cannot be regenerated, so it stands. ${instead}`;

const changed = (): Refusal =>
  new Refusal(409, 'A sent message cannot be changed', {
    detail: `A sent message cannot be changed. ${instead}`,
  });

/** The answers of a page: approvals and questions. */
function answering(
  key: SessionKey,
  message: Message,
  arrived: Omit<Arrived, 'decisions'>,
  caller: Identity,
  context: PageContext,
): Arrival {
  const { io } = context;
  return {
    async take() {
      const view = await io.sessions.read(key);
      const said = answersIn(message.parts);
      const waits = view ? waitsIn(view) : [];
      const answers = pageAnswersIn(said, waits);
      const decisions = answers.length > 0 ? [] : decisionsIn(said, waits);
      if (decisions.length + answers.length === 0) {
        throw new Refusal(400, 'Nothing new', {
          detail: 'The last message is the assistant’s, and answers nothing that the run waits for.',
        });
      }
      return takeIn(key, { ...arrived, decisions, answers }, caller, context);
    },
    async teller({ late }: Taken, before) {
      const messages = before ? await readMessages(before, io) : [];
      const first: AgUiEvent[] = [
        { type: 'MESSAGES_SNAPSHOT', messages },
        ...late.map((value): AgUiEvent => ({ type: 'CUSTOM', name: 'steploop.decided_before', value })),
      ];
      return chatTeller(key, stateOf(message, messages), first, context);
    },
  };
}

/** The waits of the session, and the requests of sessions below it. */
const waitsIn = ({ session: { batch } }: SessionView) => [...(batch?.waits ?? []), ...(batch?.asks ?? [])];

/** The page's answers to calls that wait for it. People are asked before any of these calls begins, so there are no decisions beside them. */
const pageAnswersIn = (
  answers: readonly ChatAnswer[],
  waits: readonly Pick<Wait, 'kind' | 'callId'>[],
): PageAnswer[] =>
  answers.flatMap((said): PageAnswer[] => {
    if (said.kind === 'approval') return [];
    const { toolCallId, approved, output, note } = said;
    const isOpen = waits.some(({ kind, callId }) => kind === 'page' && callId === toolCallId);
    return isOpen ? [{ toolCallId, answer: approved ? { result: output } : { error: note } }] : [];
  });

/** The page's decisions on open requests. If none of them is open, its decisions on approvals, so that it learns what became of them. */
function decisionsIn(
  answers: readonly ChatAnswer[],
  waits: readonly Pick<Wait, 'id' | 'kind' | 'callId'>[],
): Decision[] {
  const decisions = answers.flatMap((answer): (Decision & { isOpen: boolean })[] => {
    const { approved, note } = answer;
    if (answer.kind === 'approval') {
      const isOpen = waits.some(({ id }) => id === answer.id);
      return [{ id: answer.id, approved, isOpen, ...(note && !approved && { note }) }];
    }
    const wait = waits.find(({ kind, callId }) => kind === 'question' && callId === answer.toolCallId);
    return wait ? [{ id: wait.id, approved, note, isOpen: true }] : [];
  });
  const open = decisions.filter(({ isOpen }) => isOpen);
  return (open.length > 0 ? open : decisions.slice(-1)).map(({ isOpen: _, ...decision }) => decision);
}

/** The state of the answer that the page continues: the text so far, and the calls that it shows. */
function stateOf({ id, parts }: Message, messages: readonly SnapshotMessage[]): ChatState {
  const calls = callsIn(parts).flatMap(({ id: call, isDone }) => [
    call,
    ...(isDone ? [resultIdOf(call)] : []),
  ]);
  const said = messages.flatMap((message) => (message.role === 'tool' ? [] : [message.id]));
  const asked = answersIn(parts).flatMap((answer) => (answer.kind === 'approval' ? [answer.id] : []));
  return newState(id, { told: [...said, ...calls], asked });
}
