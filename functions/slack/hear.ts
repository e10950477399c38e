import { accept } from '../../shared/agent/entrypoints/accept.ts';
import { acceptAgain } from '../../shared/agent/entrypoints/accept-again.ts';
import type { Destination } from '../../shared/agent/outbound/destination.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import { isNamedIn } from '../../shared/agent/session/named.ts';
import { titleOf } from '../../shared/agent/session/title.ts';
import { isApproved } from '../../shared/agent/session/waits.ts';
import { byOf, saidBy } from '../../shared/slack/asks.ts';
import {
  atOf,
  editIdOf,
  inboxIdOf,
  promptOf,
  type SlackMessage,
  toEditPrompt,
} from '../../shared/slack/inbound.ts';
import { toPlainMarkdown } from '../../shared/slack/mrkdwn.ts';
import type { SlackPlace } from '../../shared/slack/place.ts';
import { asksIn } from '../../shared/slack/remembered.ts';
import { isStop } from '../../shared/slack/stop-words.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { bareText, goneText, isBare, isGoing, openAsks, waitingText } from '../../shared/slack/words.ts';
import { answering, begin } from './begin.ts';
import type { SlackContext } from './context.ts';
import { say } from './say.ts';
import { stopByWord } from './stop.ts';
import { isTakenBack } from './taken-back.ts';
import { type Home, homeOf, isNew, isPane, sessionAt, topOf } from './where.ts';

/** How long after it was sent a changed message may count as new, in seconds. Its inbox forgets ids after the same time. */
const FORGOTTEN = 30 * 86_400;

/**
 * Takes in a message that is for the bot: its session reads it, or it is answered at once. Throws if Slack should send it again.
 * Repeats have no further effect.
 */
export async function hear(
  message: SlackMessage,
  installation: Installation,
  context: SlackContext,
): Promise<void> {
  if (!(await answering(message, message.kind, context))) return;
  const home = await homeOf(message, installation, context);
  // The bot takes part in a thread once a mention has begun its session.
  if (message.kind === 'reply' && isNew(home)) return;
  const asks = home.view ? openAsks(home.view, context.io.clock.now()) : [];
  const questions = asks.flatMap(({ kind, message: asked }) => (kind === 'question' ? [asked] : []));
  const saysStop = isStop(message, questions);
  // A typo that is corrected to "stop" counts as "stop".
  const stops = saysStop && home.view !== undefined && isGoing(home.view);
  if (message.edited && !stops && (await amended(message, home, installation, context)) !== 'new') return;
  if (saysStop) return stopByWord(message, await stopsAt(message, home, installation, context), context);
  if (isBare(message) && !isFirstInThread(message, home)) {
    if (asks.length > 0) return tellWaits(message, home, asks, context);
    return say(message, 'bare', bareText(message.place.channel, home.view), context);
  }
  if (isFirstInThread(message, home) && message.kind === 'direct' && (await isPane(home.place, context)))
    await nameConversation(message, context);
  if (message.files.length > 0 || isFirstInThread(message, home))
    await context.jobs.send({ kind: 'message', message: writable(message), tries: 0 });
  else await given({ message, place: home.place, prompt: promptOf(message) }, installation, context);
  // The message of one who may answer answers a question at once. It waits behind approvals, and behind questions to others.
  const { answerers = [] } = ruleOf(home, context)?.approvals ?? {};
  const subject = byOf(message.userTeam, message.user);
  const mayAnswer = answerers.length === 0 || isNamedIn(answerers, { subject });
  const ahead = asks.filter(({ kind }) => isApproved(kind) || !mayAnswer);
  if (ahead.length > 0) await tellWaits(message, home, ahead, context);
}

/** The first message of a conversation in the assistant's pane gives it a title. */
async function nameConversation({ place, user, text }: SlackMessage, { jobs }: SlackContext): Promise<void> {
  const { team, channel, thread } = place;
  const title = titleOf(toPlainMarkdown(text)) || 'A conversation';
  if (thread) await jobs.send({ kind: 'pane', place: { team, channel, thread }, user, title, tries: 0 });
}

/** Whether it is the session's first message of a thread in which others may have written. */
export const isFirstInThread = ({ place, ts }: SlackMessage, home: Home): boolean =>
  isNew(home) && home.place.thread !== undefined && place.thread !== ts;

/** A message of the session's, and the text of it that the model reads. Throws if Slack should send it again. */
export interface Given {
  readonly message: SlackMessage;
  /** Where its session lives. */
  readonly place: SlackPlace;
  readonly prompt: string;
  /** Its attachments, already content of the session. */
  readonly attachments?: readonly Attachment[];
}

/** Gives the message to its session. Throws if Slack should send it again. */
export async function given(
  { message, place, prompt, attachments = [] }: Given,
  installation: Installation,
  context: SlackContext,
): Promise<void> {
  if (await isTakenBack(message, context)) return;
  const title =
    toPlainMarkdown(message.text) ||
    (message.attached ? 'A forward' : message.files.length > 0 ? 'A file' : 'A thread');
  const beginning = { message: { ...message, place }, kind: message.kind, prompt, attachments, title };
  const accepted = await begin(beginning, installation, context);
  switch (accepted) {
    case 'accepted':
    case 'duplicate':
    case 'no_agent':
    case 'taken':
      return;
    case 'gone':
      return say(message, 'gone', goneText, context);
    case 'conflict':
      return asFirstGiven(message, place, installation, context);
    case 'full':
    case 'unknown_session':
      throw new Error(`the session was just opened, and says ${accepted}`);
    default:
      return accepted satisfies never;
  }
}

/**
 * The message with the text under which it was first given: Slack reports a message in two events, and its thread or files may
 * change between two tries.
 */
async function asFirstGiven(
  message: SlackMessage,
  place: SlackPlace,
  installation: Installation,
  context: SlackContext,
): Promise<void> {
  const { key } = await sessionAt(place, installation, context);
  await acceptAgain(key, inboxIdOf(message), context.io);
}

/**
 * Tells a session that a message which it has read was changed. Only during a run, so that a corrected typo begins nothing, or if
 * the change adds a mention of the bot. `new`: no session had the message before.
 */
async function amended(
  message: SlackMessage,
  { key, view }: Home,
  installation: Installation,
  { io, profileOf }: SlackContext,
): Promise<'new' | 'told' | 'ignored'> {
  const { edited, user, userTeam, text, ts } = message;
  if (!edited) return 'new';
  const [known] = view ? await io.inbox.read(key, [inboxIdOf(message)]) : [];
  if (!view || !known) {
    const isLate = Number(edited.at) - Number(ts) > FORGOTTEN;
    return edited.newlyMentions === false || isLate ? 'ignored' : 'new';
  }
  if (!isGoing(view) && !edited.newlyMentions) return 'ignored';
  const change = {
    eventId: editIdOf(message, edited),
    text: toEditPrompt(message, text),
    at: atOf(edited.at),
    ...saidBy(userTeam, user, await profileOf(installation, user)),
  };
  await accept(key, { ...change, whenFull: 'keep' }, io);
  return 'told';
}

/** In direct messages, "stop" in a thread without a session stops the run at the top level. */
async function stopsAt(
  { kind, place }: SlackMessage,
  home: Home,
  installation: Installation,
  context: SlackContext,
): Promise<Home> {
  const isTop = kind === 'direct' && place.thread !== undefined && isNew(home);
  return isTop ? sessionAt(topOf(place), installation, context) : home;
}

/** The agent of the session, as it is deployed. */
const ruleOf = ({ view }: Home, { agents }: SlackContext) =>
  agents.find(({ name }) => name === view?.session.agent);

async function tellWaits(
  message: SlackMessage,
  home: Home,
  asks: ReturnType<typeof openAsks>,
  context: SlackContext,
): Promise<void> {
  const rule = ruleOf(home, context);
  const { key, place } = home;
  const { channel } = message.place;
  // The buttons stand where the session is shown, which is not always where the message stands.
  const isThere = place.thread === message.place.thread;
  const shown = isThere ? shownAsks(await context.io.outbound.list(key)) : new Set<string>();
  const where = { channel, shared: message.shared, shown };
  return say(message, 'waits', waitingText(asks, rule, where, !isBare(message)), context);
}

/** The requests whose messages are in the thread, with their buttons, as the delivery remembers them. */
const shownAsks = (destinations: readonly Destination[]): ReadonlySet<string> =>
  new Set(destinations.filter(({ kind }) => kind === 'slack').flatMap(({ memory }) => asksIn(memory)));

const writable = ({ edited: _, ...message }: SlackMessage) => ({
  ...message,
  place: { ...message.place },
  files: [...message.files],
});
