import * as z from 'zod';
import { cancel } from '../../shared/agent/entrypoints/accept.ts';
import { optionsIn } from '../../shared/contract/form/options.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { log } from '../../shared/logger.ts';
import { action } from '../../shared/slack/blocks.ts';
import { readButtonValue } from '../../shared/slack/button-value.ts';
import { chosenIn } from '../../shared/slack/choice.ts';
import { isReply } from '../../shared/slack/inbound.ts';
import { installedFor } from '../../shared/slack/installed.ts';
import { optionOf } from '../../shared/slack/options.ts';
import { BlockActions } from '../../shared/slack/payloads.ts';
import { clickerOf, type Person } from '../../shared/slack/person.ts';
import type { SlackPlace } from '../../shared/slack/place.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { readTolerantly } from '../../shared/slack/tolerant.ts';
import { parsedJson } from '../middleware/request.ts';
import { keyOf } from './begin.ts';
import type { Response, SlackContext } from './context.ts';
import { type Click, deciderAt, refusalOf, whisper } from './decide.ts';
import { CLOSED, questionIn } from './open-question.ts';
import { notStopped, stopRun } from './stop.ts';

/**
 * `POST /slack/interactions`: clicks, shortcuts of messages, and forms. A button's value says what is meant and in which thread of its channel (`button-value.ts`);
 * Slack itself says which workspace and channel it is. So a forged value reaches nothing in other channels or workspaces.
 */
export async function onInteractions(body: string, context: SlackContext): Promise<Response> {
  const sent = parsedJson(new URLSearchParams(body).get('payload') ?? '');
  if (Shortcut.safeParse(sent).success) await (await import('./trigger.ts')).onShortcut(sent, context);
  if (Submitted.safeParse(sent).success) return (await import('./forms.ts')).onSubmission(sent, context);
  if (!Clicked.safeParse(sent).success) return empty;
  const { value: payload, odd } = readTolerantly(BlockActions, sent);
  if (odd.length > 0) log('warn', 'a click in Slack has odd fields', { odd: odd.join(', ') });
  if (!payload) return empty;
  const { team, enterprise, is_enterprise_install: orgWide } = payload;
  const installation = await installedFor(context.store, {
    team: team?.id,
    enterprise: enterprise?.id ?? team?.enterprise_id,
    orgWide,
  });
  if (!installation) return empty;
  for (const clicked of payload.actions) await onClick(clicked, payload, installation, context);
  return empty;
}

/** Other kinds of interactions are acknowledged and not read. */
const Clicked = z.looseObject({ type: z.literal('block_actions') });
const Submitted = z.looseObject({ type: z.literal('view_submission') });
const Shortcut = z.looseObject({ type: z.literal('message_action') });

async function onClick(
  { action_id, value: sent = '', action_ts: clickedAt }: BlockActions['actions'][number],
  payload: BlockActions,
  installation: Installation,
  context: SlackContext,
): Promise<void> {
  const by = clickerOf(payload, installation);
  const { id: value, at } = readButtonValue(sent);
  const place = placeOf(payload, installation, at);
  if (action_id === action.stop && !place) return stopFromHome(value, by, installation, context);
  if (!place) return;
  const key = await keyOf(installation, place, context);
  const option = optionOf(action_id);
  if (option !== undefined) return chosen(key, value, option, { place, by }, context);
  switch (action_id) {
    case action.stop:
      return stop(key, value, { place, by }, context);
    case action.approve:
      return settle(key, { id: value, approved: true }, { place, by }, context);
    case action.approveRun:
      return settle(key, { id: value, approved: true, grant: grantFor('run') }, { place, by }, context);
    case action.approveSession:
      return settle(key, { id: value, approved: true, grant: grantFor('session') }, { place, by }, context);
    case action.approveChosen:
      return settleChosen(key, value, chosenIn(payload), { place, by }, context);
    case action.deny:
      return settle(key, { id: value, approved: false }, { place, by }, context);
    case action.answer: {
      const { openForm } = await import('./forms.ts');
      const asked = { id: value, trigger: payload.trigger_id };
      return openForm(key, asked, { place, by }, installation, context);
    }
    case action.rate:
      return rated(key, value, clickedAt, { place, by }, context);
    default:
  }
}

/** Approves the selected changes of a plan. An empty selection decides nothing: the button next to it rejects the plan. */
async function settleChosen(
  key: SessionKey,
  id: string,
  approved: readonly number[],
  click: Click,
  context: SlackContext,
): Promise<void> {
  if (approved.length > 0) return settle(key, { id, approved: [...approved] }, click, context);
  await whisper(
    'Nothing is selected. Select the changes to approve in the menu, and click again.',
    click,
    context,
  );
}

/** Answers a question with one of the answers that it offers. The rules on who may answer apply to the decision. */
async function chosen(
  key: SessionKey,
  id: string,
  option: number,
  click: Click,
  context: SlackContext,
): Promise<void> {
  const view = await context.io.sessions.read(key);
  const question = view && questionIn(view, id, context.io.clock.now());
  const note = question && optionsIn(question.message)[option];
  if (note === undefined) return whisper(CLOSED, click, context);
  return settle(key, { id, approved: true, note }, click, context);
}

/** Slack shows the rating itself, so only one that could not be stored has an answer. */
async function rated(
  key: SessionKey,
  value: string,
  clickedAt: string | undefined,
  click: Click,
  context: SlackContext,
): Promise<void> {
  const at = clickedAt === undefined ? context.io.clock.now() : Math.floor(Number(clickedAt) * 1_000);
  const { rate } = await import('./rate.ts');
  if ((await rate(key, value, click.by, at, context)) !== 'gone') return;
  await whisper('This conversation was deleted, so the rating is not kept.', click, context);
}

/** A grant without a number covers as many calls as a grant may. */
const grantFor = (scope: 'run' | 'session') => ({ scope, alike: 'tool' }) as const;

/** Stops the run that the button belongs to. An old button leaves later runs alone, and says so. */
async function stop(key: SessionKey, runId: string, click: Click, context: SlackContext): Promise<void> {
  const result = await stopRun(key, runId, click.by, context.io);
  if (result !== 'cancelled') await whisper(notStopped[result], click, context);
}

/** The App Home lists a user's own sessions, and only those can be stopped from there. */
async function stopFromHome(value: string, by: Person, installation: Installation, context: SlackContext) {
  const { store, io, jobs } = context;
  const { tenant, team } = installation;
  const { user, userTeam } = by;
  const sessions = await store.sessionsOf(tenant, userTeam, user);
  const session = sessions.find(({ sessionId }) => value === `session:${sessionId}`);
  if (!session) return;
  const result = await cancel({ tenant, sessionId: session.sessionId }, io);
  const notice = result === 'cancelled' ? {} : { notice: notStopped[result] };
  await jobs.send({ kind: 'home', team, user, ...notice, tries: 0 }, result === 'cancelled' ? 3_000 : 0);
}

async function settle(
  key: SessionKey,
  decision: Parameters<SlackContext['decide']>[2],
  click: Click,
  context: SlackContext,
): Promise<void> {
  const decided = await context.decide(await deciderAt(click, context), key, decision);
  const refusal = refusalOf(decided);
  if (refusal !== undefined) return whisper(refusal, click, context);
  // The delivery updates the thread's buttons, also if the run still waits for another answer.
  return context.io.queue.deliver(key);
}

/** The place of the button's session: as its value says or, for older buttons, where the button stands. Undefined in the App Home. */
function placeOf(
  { channel, message }: BlockActions,
  { team }: Installation,
  at: { thread?: string } | undefined,
): SlackPlace | undefined {
  if (!channel || !message) return undefined;
  const stands = isReply(message) ? { thread: message.thread_ts } : {};
  return { team, channel: channel.id, ...(at ?? stands) };
}

/** Slack takes an empty answer as an acknowledgement. */
const empty: Response = { statusCode: 200, body: '' };
