import type { Answer, Label, SlackApi, Target } from '../../shared/slack/api.ts';
import { inboxIdOf, type SlackMessage } from '../../shared/slack/inbound.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import type { Outgoing } from '../../shared/slack/outgoing.ts';
import type { Installation } from '../../shared/slack/store.ts';
import type { SlackContext } from './context.ts';

/**
 * Answers a message where it stands, without its session: once for each message and `what`, however often Slack reports the
 * message. `text` is mrkdwn.
 */
export const say = (
  message: Pick<SlackMessage, 'place' | 'ts'>,
  what: 'bare' | 'waits' | 'stop' | 'gone',
  text: string,
  { io, jobs }: SlackContext,
): Promise<void> =>
  jobs.send({
    kind: 'say',
    place: { ...message.place },
    id: `${what}/${inboxIdOf(message)}`,
    owner: io.ids.next(),
    text,
    at: io.clock.now(),
    tries: 0,
  });

/** The first of the jobs with one id posts it. If a try has begun before, it checks first whether that one has posted it. */
export async function onSay(
  { place, id, owner, text, at, tries }: Extract<SlackJob, { kind: 'say' }>,
  installation: Installation,
  context: SlackContext,
): Promise<Answer<unknown>> {
  const { team, channel, thread } = place;
  const { value, isNew } = await context.store.once(team, `say/${id}`, owner);
  if (value !== owner) return { kind: 'ok', value: undefined };
  const target = { channel, ...(thread && { thread }) };
  const label = { sessionId: '', slot: id };
  return postOnce(
    await context.apiOf(installation),
    target,
    { text },
    label,
    tries > 0 || !isNew ? at : undefined,
  );
}

/**
 * Posts a message that has no run.
 *
 * @param since epoch ms of the first try, if there was one: it may have posted the message
 */
export async function postOnce(
  api: SlackApi,
  target: Target,
  message: Outgoing,
  label: Label,
  since: number | undefined,
): Promise<Answer<{ ts: string }>> {
  if (since !== undefined) {
    const known = await api.ownMessages(target, since);
    const found = known.kind === 'ok' && known.value.find((one) => one.label?.slot === label.slot);
    if (found) return { kind: 'ok', value: { ts: found.ts } };
    if (known.kind === 'limited' || known.kind === 'unknown') return known;
  }
  return api.post(target, message, label);
}
