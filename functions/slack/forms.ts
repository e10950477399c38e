/** Questions with fields, answered in a modal. */

import * as z from 'zod';
import { whyMayNotDecide } from '../../shared/agent/define/may-decide.ts';
import { own } from '../../shared/agent/plain/merge.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { Ask, Wait } from '../../shared/agent/session/waits.ts';
import { formIn } from '../../shared/contract/form/read.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { log } from '../../shared/logger.ts';
import { closedView, FORM, formView, submitted } from '../../shared/slack/form-view.ts';
import { installedFor } from '../../shared/slack/installed.ts';
import { clickerOf, type Person } from '../../shared/slack/person.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { ViewSubmission } from '../../shared/slack/submission.ts';
import { readTolerantly } from '../../shared/slack/tolerant.ts';
import { keyOf } from './begin.ts';
import type { Response, SlackContext } from './context.ts';
import { type Click, deciderAt, refusalOf, whisper } from './decide.ts';
import { CLOSED, questionIn } from './open-question.ts';

/**
 * A form that was opened, as it is stored: where its question is and for whom it was opened. A modal comes back without its channel, so
 * Slack's signature does not say where it was opened; the record does, which was made of a click in that channel.
 */
const Opened = z.object({
  id: z.string(),
  channel: z.string(),
  thread: z.string().optional(),
  user: z.string(),
  userTeam: z.string(),
});
type Opened = z.output<typeof Opened>;

/** Names of forms are ours; anything else was not made here. */
const HANDLE = /^[\w-]{1,100}$/;

const AGAIN = 'The form did not open in time. Please click again, or answer in the thread.';
const NEVER = 'Slack does not show this form. Please answer in the thread.';
/** Refusals after which another click may open it (docs.slack.dev, "views.open", "Errors"). */
const LATE: ReadonlySet<string> = new Set(['expired_trigger_id', 'invalid_trigger_id', 'trigger_expired']);
const UNKNOWN = 'This form is too old, or is not yours. Open it again in the thread.';

/** Opens the form of a question for the person who has clicked. */
export async function openForm(
  key: SessionKey,
  { id, trigger }: { readonly id: string; readonly trigger: string | undefined },
  { place, by }: Click,
  installation: Installation,
  context: SlackContext,
): Promise<void> {
  const tell = (text: string) => whisper(text, { place, by }, context);
  const view = await context.io.sessions.read(key);
  const question = view && questionIn(view, id, context.io.clock.now());
  const form = question && formIn(question.message);
  if (!view || !form) return tell(CLOSED);
  const why = await whyMayNotAnswer(view, question, { place, by }, context);
  if (why !== undefined) return tell(why);
  if (trigger === undefined) return;

  const { team, channel, thread } = place;
  const handle = context.io.ids.next();
  const opened: Opened = { id, channel, ...(thread && { thread }), user: by.user, userTeam: by.userTeam };
  const [api] = await Promise.all([
    context.apiOf(installation),
    context.store.once(team, nameOf(handle), JSON.stringify(opened)),
  ]);
  const answer = await api.openView(trigger, formView(form, handle));
  // A second click, which has opened nothing.
  if (answer.kind === 'ok' || (answer.kind === 'refused' && answer.error === 'exchanged_trigger_id')) return;
  const reason = answer.kind === 'limited' ? 'ratelimited' : answer.error;
  log('warn', 'a form could not be opened in Slack', { team, reason });
  await tell(answer.kind === 'refused' && !LATE.has(answer.error) ? NEVER : AGAIN);
}

/** A person has submitted a modal. Slack shows what is returned: errors at fields, another view, or nothing, which closes it. */
export async function onSubmission(sent: unknown, context: SlackContext): Promise<Response> {
  const { value: payload, odd } = readTolerantly(ViewSubmission, sent);
  if (odd.length > 0) log('warn', 'a submitted form of Slack has odd fields', { odd: odd.join(', ') });
  if (payload?.view.callback_id !== FORM) return closes;
  const { team, enterprise, is_enterprise_install: orgWide, view: modal } = payload;
  const installation = await installedFor(context.store, {
    team: team?.id,
    enterprise: enterprise?.id ?? team?.enterprise_id,
    orgWide,
  });
  if (!installation) return closes;
  const by = clickerOf(payload, installation);
  const opened = await openedAs(installation.team, modal.private_metadata, by, context);
  if (!opened) return says(UNKNOWN);
  const { id, channel, thread } = opened;
  const place = { team: installation.team, channel, ...(thread && { thread }) };
  const key = await keyOf(installation, place, context);
  const decider = await deciderAt({ place, by }, context);
  const view = await context.io.sessions.read(key);
  const question = view && questionIn(view, id, context.io.clock.now());
  const form = question && formIn(question.message)?.form;
  if (!form) {
    // Slack offers to try again when it got no answer, although the first one counted.
    const isTheirs = view && own(view.fence.decisions, id)?.by === decider.subject;
    return isTheirs ? closes : says(CLOSED);
  }
  const read = submitted(form, modal.state.values);
  if ('errors' in read) return respond({ response_action: 'errors', errors: read.errors });
  const decided = await context.decide(decider, key, { id, approved: true, note: read.answer });
  const refusal = refusalOf(decided);
  if (refusal !== undefined) return says(refusal);
  await context.io.queue.deliver(key);
  return closes;
}

const nameOf = (handle: string): string => `form/${handle}`;

async function openedAs(
  team: string,
  handle: string,
  by: Person,
  { store }: SlackContext,
): Promise<Opened | undefined> {
  if (!HANDLE.test(handle)) return undefined;
  const { value } = await store.once(team, nameOf(handle), '');
  const opened = value === '' ? undefined : Opened.safeParse(JSON.parse(value)).data;
  return opened?.user === by.user && opened.userTeam === by.userTeam ? opened : undefined;
}

/** A question of a session below is decided there, so its rule is asked about when the form is submitted. */
async function whyMayNotAnswer(
  { session }: SessionView,
  question: Wait | Ask,
  click: Click,
  context: SlackContext,
): Promise<string | undefined> {
  if ('child' in question && 'agent' in question) return undefined;
  const agent = context.agents.find(({ name }) => name === session.agent);
  return whyMayNotDecide(await deciderAt(click, context), question, session, agent);
}

const respond = (body: object): Response => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const says = (text: string): Response => respond({ response_action: 'update', view: closedView(text) });
/** Slack closes a modal for an empty answer, and for no other (slackapi/bolt-js#1208). */
const closes: Response = { statusCode: 200, body: '' };
