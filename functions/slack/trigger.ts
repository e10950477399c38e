import { defined } from '../../shared/agent/plain/defined.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { log } from '../../shared/logger.ts';
import { type Answer, isLost, type SlackApi } from '../../shared/slack/api.ts';
import { quotedMessage } from '../../shared/slack/earlier.ts';
import { escapeMrkdwn } from '../../shared/slack/escape.ts';
import { isReply } from '../../shared/slack/inbound.ts';
import { installedFor } from '../../shared/slack/installed.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import { type EventEnvelope, MessageAction, type SlackEvent } from '../../shared/slack/payloads.ts';
import { clickerOf, NOWHERE, type Person, speakerOf } from '../../shared/slack/person.ts';
import { isDirect, type SlackPlace } from '../../shared/slack/place.ts';
import { postOnce } from '../../shared/slack/post-once.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { readTolerantly } from '../../shared/slack/tolerant.ts';
import { askedBy, emojiOf, toTriggerPrompt, triggerIdOf } from '../../shared/slack/trigger.ts';
import { goneText, openAsks } from '../../shared/slack/words.ts';
import { answering, begin } from './begin.ts';
import type { SlackContext } from './context.ts';
import { threadBefore } from './first-words.ts';
import { isNew, sessionAt } from './where.ts';

type TriggerJob = Extract<SlackJob, { kind: 'trigger' }>;

/** A person has reacted to a message. Reactions that the definition does not name, and those to other things, are left alone. */
export async function onReaction(
  event: Extract<SlackEvent, { type: 'reaction_added' }>,
  envelope: EventEnvelope & { readonly event_time?: number },
  installation: Installation,
  { config, jobs, io }: SlackContext,
): Promise<void> {
  const { user, item } = event;
  const name = emojiOf(event.reaction);
  const { channel, ts } = item;
  if (item.type !== 'message' || !channel || !ts || user === installation.botUser) return;
  if (!askedBy({ how: 'reaction', name }, config)) return;
  const shared = envelope.is_ext_shared_channel ?? undefined;
  await jobs.send({
    ...{ kind: 'trigger', how: 'reaction', name, team: installation.team, channel, ts },
    person: { ...speakerOf({ user }, envelope, installation) },
    ...defined({ shared }),
    ...(installation.orgWide && envelope.team_id && { workspace: envelope.team_id }),
    use: `reaction-${hash(name, 16)}`,
    at: (envelope.event_time ?? 0) * 1_000 || io.clock.now(),
    tries: 0,
  });
}

/** A person has used a shortcut of a message. Slack sends the message, also from channels in which the bot is not. */
export async function onShortcut(sent: unknown, { config, store, jobs, io }: SlackContext): Promise<void> {
  const { value, odd } = readTolerantly(MessageAction, sent);
  if (odd.length > 0) log('warn', 'a shortcut in Slack has odd fields', { odd: odd.join(', ') });
  if (!value) return;
  const { callback_id: name, trigger_id, team, enterprise, channel, message } = value;
  const installation = await installedFor(store, {
    team: team?.id,
    enterprise: enterprise?.id ?? team?.enterprise_id,
    orgWide: value.is_enterprise_install,
  });
  if (!installation || !askedBy({ how: 'shortcut', name }, config)) return;
  const { user, bot_id: bot, text, ts, files = [], attachments, blocks } = message;
  const reply = {
    ...{ ts, text, files: files.map((file) => file.name ?? file.id) },
    ...defined({ user, bot, attachments, blocks }),
  };
  await jobs.send({
    ...{ kind: 'trigger', how: 'shortcut', name, team: installation.team, channel: channel.id, ts },
    person: { ...clickerOf(value, installation) },
    ...(installation.orgWide && team && { workspace: team.id }),
    use: `shortcut-${hash(trigger_id, 16)}`,
    message: {
      quoted: quotedMessage(reply, installation.botUser),
      ...(isReply(message) && { thread: message.thread_ts }),
    },
    at: io.clock.now(),
    tries: 0,
  });
}

/** Gives the message to the session of its thread, as material for what the definition asks. */
export async function onTrigger(
  job: TriggerJob,
  installation: Installation,
  context: SlackContext,
): Promise<Answer<unknown>> {
  const { how, name, team, channel, ts, shared, workspace, use, at, tries } = job;
  const asked = askedBy(job, context.config);
  if (!asked) return ok;
  const { user } = job.person;
  const whisper = async (text: string): Promise<Answer<unknown>> => {
    await context.jobs.send({
      kind: 'whisper',
      place: { team, channel, thread: ts },
      user,
      text,
      tries: 0,
    });
    return ok;
  };
  // Two bots that react to each other would go on for ever.
  const profile = await context.profileOf(installation, user);
  if (profile.isBot) return ok;
  const person = job.person.userTeam === NOWHERE ? known(user, profile.team, installation) : job.person;
  const api = await context.apiOf(installation);
  const found = await messageOf(job, installation, api);
  if (found.kind === 'refused')
    return whisper(`I cannot read that message: Slack says \`${escapeMrkdwn(found.error)}\`.`);
  if (found.kind !== 'ok' || !found.value) return found;
  const { quoted, thread } = found.value;
  const root = thread ?? (isDirect(channel) ? undefined : ts);
  const said = { ts: (at / 1_000).toFixed(6), ...person, ...defined({ shared, workspace }) };
  const there: SlackPlace = { team, channel, ...defined({ thread: root }) };
  if (!(await answering({ ...said, place: there }, how, context, name)))
    return how === 'shortcut' ? whisper('No agent answers here.') : ok;
  const home = await sessionAt(there, installation, context);
  const asks = home.view ? openAsks(home.view, context.io.clock.now()) : [];
  if (asks.some(({ kind }) => kind === 'question'))
    return whisper('I wait for an answer in this thread. Answer there first, and try again.');

  const opened = how === 'shortcut' ? await announced(job, asked.title, there, api) : undefined;
  if (opened && opened.kind !== 'ok') return opened;
  const place = opened?.value ?? there;
  const isFirst = place === there && isNew(home) && thread !== undefined && thread !== ts;
  const before = isFirst ? await threadBefore({ place, ts }, tries, installation, context) : undefined;
  if (before && before.kind !== 'ok') return before;
  const parts = [toTriggerPrompt(person, job, asked, quoted), before?.value.text];
  const begun = await begin(
    {
      message: { ...said, place },
      kind: how,
      trigger: name,
      eventId: triggerIdOf({ place, ts }, use),
      prompt: parts.filter((part) => part).join('\n\n'),
      title: asked.title,
    },
    installation,
    context,
  );
  return begun === 'gone' ? whisper(goneText) : ok;
}

/** An event of a reaction does not name the team of its user; in a channel that is shared with another organisation, it may be either's. */
const known = (user: string, team: string | undefined, installation: Installation): Person =>
  clickerOf({ user: { id: user, ...defined({ team_id: team }) } }, installation);

/** The message as the model reads it; undefined if it was deleted meanwhile. */
async function messageOf(
  { message, channel, ts }: TriggerJob,
  { botUser }: Installation,
  api: SlackApi,
): Promise<Answer<TriggerJob['message']>> {
  if (message) return { kind: 'ok', value: message };
  const found = await api.message(channel, ts);
  if (found.kind !== 'ok' || !found.value) return found as Answer<undefined>;
  const { thread } = found.value;
  return {
    kind: 'ok',
    value: { quoted: quotedMessage(found.value.message, botUser), ...defined({ thread }) },
  };
}

/**
 * A message in the thread that says what was asked, because the use of a shortcut is invisible to others. Where the bot cannot write, it stands in
 * the person's direct messages, and its thread is the session.
 */
async function announced(
  { person, use, at, tries, team }: TriggerJob,
  title: string,
  place: SlackPlace,
  api: SlackApi,
): Promise<Answer<SlackPlace>> {
  const label = { sessionId: '', slot: `trigger/${use}` };
  const message = { text: `<@${person.user}> asked: ${escapeMrkdwn(title)}` };
  const since = tries > 0 ? at : undefined;
  const { channel, thread } = place;
  const there = await postOnce(api, { channel, ...defined({ thread }) }, message, label, since);
  if (there.kind === 'ok') return { kind: 'ok', value: place };
  if (there.kind !== 'refused' || !isLost(there.error)) return there;
  const direct = await api.openDirect(person.user);
  if (direct.kind !== 'ok') return direct;
  const own = direct.value.channel;
  const posted = await postOnce(api, { channel: own }, message, label, since);
  return posted.kind === 'ok'
    ? { kind: 'ok', value: { team, channel: own, thread: posted.value.ts } }
    : posted;
}

const ok = { kind: 'ok', value: undefined } as const;
