import { log } from '../../shared/logger.ts';
import { type Answer, isLost, type Target } from '../../shared/slack/api.ts';
import { toPrompt } from '../../shared/slack/inbound.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import { toMrkdwn } from '../../shared/slack/markdown.ts';
import { memberOf } from '../../shared/slack/person.ts';
import { postOnce } from '../../shared/slack/post-once.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { begin } from './begin.ts';
import type { SlackContext } from './context.ts';
import { onMessage } from './on-message.ts';
import { onSay } from './say.ts';
import { onStop, onUninstall } from './uninstall.ts';

type Job<Kind extends SlackJob['kind']> = Extract<SlackJob, { kind: Kind }>;

/** How often Slack may say "not now" before a job is dropped. */
const MAX_TRIES = 20;
/** Delay in ms of a job that Slack did not answer. */
const AGAIN_MS = 5_000;

/** Runs a job. If Slack asks to wait, the job goes back to the queue for that long. */
export async function runJob(job: SlackJob, context: SlackContext): Promise<void> {
  const answer = await perform(job, context);
  switch (answer.kind) {
    case 'ok':
      return;
    case 'refused':
      log('warn', 'Slack refused what a job asked for', { job: job.kind, reason: answer.error });
      return;
    case 'limited':
    case 'unknown': {
      if (job.tries >= MAX_TRIES) {
        log('error', 'a job was dropped: Slack does not take it', { job: job.kind, tries: job.tries });
        return;
      }
      const delayMs = answer.kind === 'limited' ? answer.retryAfterMs : AGAIN_MS;
      return context.jobs.send({ ...job, tries: job.tries + 1 }, delayMs);
    }
    default:
      return answer satisfies never;
  }
}

async function perform(job: SlackJob, context: SlackContext): Promise<Answer<unknown>> {
  // Its workspace no longer has the app.
  if (job.kind === 'stop') return onStop(job, context);
  const team = job.kind === 'message' ? job.message.place.team : 'place' in job ? job.place.team : job.team;
  const installation = await context.store.installation(team);
  if (!installation) return { kind: 'refused', error: 'not_installed' };
  switch (job.kind) {
    case 'message':
      return onMessage(job, installation, context);
    case 'command':
      return onCommand(job, installation, context);
    case 'home':
      return (await import('./home.ts')).onHome(job, installation, context);
    case 'whisper':
      return onWhisper(job, installation, context);
    case 'trigger':
      return (await import('./trigger.ts')).onTrigger(job, installation, context);
    case 'pane':
      return (await import('./pane.ts')).onPane(job, installation, context);
    case 'say':
      return onSay(job, installation, context);
    case 'uninstall':
      return onUninstall(job, installation, context);
    default:
      return job satisfies never;
  }
}

/** A message for one person: in the channel or, if the bot has left it, in their direct messages. */
async function onWhisper(
  { place, user, text }: Job<'whisper'>,
  installation: Installation,
  context: SlackContext,
) {
  const { channel, thread } = place;
  const api = await context.apiOf(installation);
  const there = await api.postEphemeral({ channel, ...(thread && { thread }) }, user, text);
  if (there.kind !== 'refused' || !isLost(there.error)) return there;
  const direct = await api.openDirect(user);
  if (direct.kind !== 'ok') return direct;
  const label = { sessionId: '', slot: 'whisper' };
  return api.post({ channel: direct.value.channel }, { text }, label);
}

/** A slash command has no message of its own, so the app posts one, and its thread is the session. */
async function onCommand(job: Job<'command'>, installation: Installation, context: SlackContext) {
  const { user, text, trigger, team, workspace, owner } = job;
  // Slack, or the queue, may bring one use of the command twice.
  const first = owner ? await context.store.once(team, `command/${trigger}`, owner) : undefined;
  if (first && first.value !== owner) return ok;
  const api = await context.apiOf(installation);
  const label = { sessionId: '', slot: `command/${trigger}` };
  const message = { text: `<@${user}> asked:\n${toMrkdwn(text).replaceAll(/^/gm, '> ')}` };
  const since = job.tries > 0 || first?.isNew === false ? job.at : undefined;
  const postAt = (target: Target) => postOnce(api, target, message, label, since);

  let { channel } = job;
  let posted = await postAt({ channel });
  if (posted.kind === 'refused' && isLost(posted.error)) {
    // The bot is not a member of the channel, but can always open the user's direct messages.
    const direct = await api.openDirect(user);
    if (direct.kind !== 'ok') return direct;
    channel = direct.value.channel;
    posted = await postAt({ channel });
  }
  if (posted.kind !== 'ok') return posted;
  const { ts } = posted.value;
  const place = { team, channel, thread: ts };
  const by = memberOf(user, installation);
  const prompt = toPrompt(by, text);
  const posting = { place, ts, ...by, ...(workspace && { workspace }) };
  await begin({ message: posting, kind: 'command', prompt, title: text }, installation, context);
  return ok;
}

const ok = { kind: 'ok', value: undefined } as const;
