import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Agent } from '../../shared/agent/define/agent.ts';
import type { Decider } from '../../shared/agent/define/may-decide.ts';
import { outcomesOf } from '../../shared/agent/events/wait-outcomes.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { isApproved, type Wait } from '../../shared/agent/session/waits.ts';
import { type DecisionLink, readLink } from '../../shared/channels/links.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { decideAs } from '../middleware/decide.ts';
import { rawBody } from '../middleware/request.ts';
import { askPage, sentencePage } from './page.ts';

export interface AskContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'queue' | 'log'>;
  readonly agents: readonly Agent[];
  /** The secrets that sign links. */
  readonly masters: () => Promise<string>;
}

type Answer = APIGatewayProxyStructuredResultV2;

type Opened =
  | { readonly kind: 'open'; readonly link: DecisionLink; readonly wait: Pick<Wait, 'kind' | 'message'> }
  /** `page` says why there is nothing to decide. `link` is absent if the link is invalid or has expired. */
  | { readonly kind: 'closed'; readonly page: Answer; readonly link?: DecisionLink };

/** Most bytes of a form: an answer has 10,000 characters. */
const MAX_FORM = 100_000;

/** `GET /asks/{token}`: shows the ask. It changes nothing, so that a program that follows links decides nothing. */
export async function showAsk(event: APIGatewayProxyEventV2, context: AskContext): Promise<Answer> {
  const opened = await open(event, context);
  if (opened.kind === 'closed') return opened.page;
  const { wait, link } = opened;
  return askPage({ question: wait.message, isApproval: isApproved(wait.kind), person: link.person });
}

/** `POST /asks/{token}`: decides, in the name of the person to whom the link was sent. The wait ends with it, so a link decides once. */
export async function decideAsk(event: APIGatewayProxyEventV2, context: AskContext): Promise<Answer> {
  const opened = await open(event, context);
  const form = new URLSearchParams(rawBody(event, MAX_FORM));
  if (opened.kind === 'closed')
    return (opened.link && (await repeated(form, opened.link, context))) ?? opened.page;
  const { wait, link } = opened;
  const decision = decisionIn(form, wait);
  if (!decision) return sentencePage(400, 'Nothing was chosen', 'Go back and choose one of the buttons.');
  const by: Decider = { subject: link.person, kind: 'channel' };
  const decided = await decideAs(
    by,
    link,
    { id: link.waitId, ...decision },
    { ...context, channel: 'channel' },
  );
  switch (decided.kind) {
    case 'decided':
      await context.io.queue.deliver(link);
      return sentencePage(200, 'Thank you', doneText(decision.approved, wait));
    case 'forbidden':
    case 'no_change':
    case 'ungrantable':
      return sentencePage(403, 'You may not decide this', decided.why);
    case 'already_decided':
    case 'closed':
    case 'unknown':
      return (await repeated(form, link, context)) ?? over;
    case 'busy':
      return sentencePage(503, 'Not yet', 'The agent is at work. Go back and choose again.');
    default:
      return decided satisfies never;
  }
}

const over = sentencePage(
  410,
  'This is no longer open',
  'It was decided already, its time is over, or the run was stopped.',
);

async function open(event: APIGatewayProxyEventV2, { io, masters }: AskContext): Promise<Opened> {
  const link = readLink(event.pathParameters?.token ?? '', await masters(), io.clock.now());
  if (link === 'forged')
    return closed(
      sentencePage(404, 'No such link', 'The link is not complete. Open it again from the mail.'),
    );
  if (link === 'expired') return closed(over);
  const wait = await waitOf(link, link.waitId, io);
  return wait ? { kind: 'open', link, wait } : { kind: 'closed', page: over, link };
}

const closed = (page: Answer): Opened => ({ kind: 'closed', page });

/** The page of a form that the person sends again, with a second click or after a lost response. Undefined if it is no repeat. */
async function repeated(
  form: URLSearchParams,
  { person, waitId, ...key }: DecisionLink,
  { io }: AskContext,
): Promise<Answer | undefined> {
  const { [waitId]: stands } = await outcomesOf(key, [waitId], io);
  if (stands?.by !== person || OUTCOMES.get(form.get('decision') ?? '') !== stands.outcome) return undefined;
  const what = stands.outcome === 'answered' ? 'Your first answer counts.' : `It is ${stands.outcome}.`;
  return sentencePage(200, 'Thank you', `You have decided this before. ${what} You can close this page.`);
}

const OUTCOMES = new Map([
  ['approve', 'approved'],
  ['deny', 'denied'],
  ['answer', 'answered'],
]);

/** The wait of a session, or of the session below that asks. */
async function waitOf(key: SessionKey, id: string, io: AskContext['io']): Promise<Wait | undefined> {
  const batch = (await io.sessions.read(key))?.session.batch;
  const below = batch?.asks?.find((one) => one.id === id);
  if (below) return waitOf({ tenant: key.tenant, sessionId: below.child }, id, io);
  return batch?.waits.find((one) => one.id === id);
}

function decisionIn(form: URLSearchParams, { kind }: Pick<Wait, 'kind'>) {
  const text = (name: string, most: number) => form.get(name)?.slice(0, most).trim() || undefined;
  const chosen = form.get('decision');
  if (!isApproved(kind)) {
    const note = text('answer', 10_000);
    return chosen === 'answer' && note ? { approved: true, note } : undefined;
  }
  if (chosen !== 'approve' && chosen !== 'deny') return undefined;
  const note = text('note', 1_000);
  return { approved: chosen === 'approve', ...(note && { note }) };
}

function doneText(approved: boolean, { kind }: Pick<Wait, 'kind'>): string {
  if (!isApproved(kind)) return 'Your answer was sent. You can close this page.';
  return approved ? 'It is approved. You can close this page.' : 'It is denied. You can close this page.';
}
