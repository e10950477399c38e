import type { Answer } from '../../shared/slack/api.ts';
import { inboxIdOf, type SlackMessage } from '../../shared/slack/inbound.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import { postOnce } from '../../shared/slack/post-once.ts';
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
