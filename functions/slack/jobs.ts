import { log } from '../../shared/aws/logger.ts';
import { type Answer, isLost, type Target } from '../../shared/slack/api.ts';
import { type HomeEntry, home } from '../../shared/slack/blocks.ts';
import { readFiles } from '../../shared/slack/files.ts';
import { type SlackMessage, toPrompt } from '../../shared/slack/inbound.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import { toMrkdwn } from '../../shared/slack/markdown.ts';
import { memberOf } from '../../shared/slack/person.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { begin } from './begin.ts';
import type { SlackContext } from './context.ts';
import { given } from './events.ts';
import { onStop, onUninstall } from './uninstall.ts';

type Job<Kind extends SlackJob['kind']> = Extract<SlackJob, { kind: Kind }>;

/** Sessions that the App Home lists. */
const LISTED = 15;
/** Times that Slack may say "not now" before a job is dropped. */
const MAX_TRIES = 20;
/** How long a job waits that Slack did not answer, in ms. */
const AGAIN_MS = 5_000;

/** Does a job. What Slack does not want now goes back to the queue, for as long as it asks. */
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
  // Its workspace is not installed any more.
  if (job.kind === 'stop') return onStop(job, context);
  const team =
    job.kind === 'message' ? job.message.place.team : job.kind === 'whisper' ? job.place.team : job.team;
  const installation = await context.store.installation(team);
  if (!installation) return { kind: 'refused', error: 'not_installed' };
  switch (job.kind) {
    case 'message':
      return onMessage(job, installation, context);
    case 'command':
      return onCommand(job, installation, context);
    case 'home':
      return onHome(job, installation, context);
    case 'whisper': {
      const { channel, thread } = job.place;
      const api = await context.apiOf(installation);
      return api.postEphemeral({ channel, ...(thread && { thread }) }, job.user, job.text);
    }
    case 'uninstall':
      return onUninstall(job, installation, context);
    default:
      return job satisfies never;
  }
}

/** A message with files: what they hold becomes part of it. */
async function onMessage({ message }: Job<'message'>, installation: Installation, context: SlackContext) {
  const { io, apiUrl, tokens } = context;
  const { tenant, team, secretId } = installation;
  const token = await tokens.get(secretId);
  const files = await readFiles(message.files, [tenant, 'slack-files', team], {
    blobs: io.blobs,
    token,
    apiUrl,
  });
  const prompt = `${toPrompt(message, message.text)}\n\n${files}`;
  await given({ message: toMessage(message, team), prompt }, installation, context);
  return ok;
}

function toMessage({ parent, userTeam, ...message }: Job<'message'>['message'], team: string): SlackMessage {
  const { thread, ...place } = message.place;
  return {
    ...message,
    place: { ...place, ...(thread && { thread }) },
    userTeam: userTeam ?? team,
    ...(parent && { parent }),
  };
}

/** The slash command has no message of its own: we post one, and its thread is the session. */
async function onCommand(job: Job<'command'>, installation: Installation, context: SlackContext) {
  const { user, text, trigger, team } = job;
  const api = await context.apiOf(installation);
  const label = { sessionId: '', slot: `command/${trigger}` };
  const message = { text: `<@${user}> asked:\n${toMrkdwn(text).replaceAll(/^/gm, '> ')}` };
  const postOnce = async (target: Target): Promise<Answer<{ ts: string }>> => {
    if (job.tries > 0) {
      const known = await api.ownMessages(target, job.at);
      const found = known.kind === 'ok' && known.value.find((one) => one.label?.slot === label.slot);
      if (found) return { kind: 'ok', value: { ts: found.ts } };
      if (known.kind === 'limited' || known.kind === 'unknown') return known;
    }
    return api.post(target, message, label);
  };

  let { channel } = job;
  let posted = await postOnce({ channel });
  if (posted.kind === 'refused' && isLost(posted.error)) {
    // Not a member of the channel: the user's direct messages are always open to us.
    const direct = await api.openDirect(user);
    if (direct.kind !== 'ok') return direct;
    channel = direct.value.channel;
    posted = await postOnce({ channel });
  }
  if (posted.kind !== 'ok') return posted;
  const { ts } = posted.value;
  const place = { team, channel, thread: ts };
  const by = memberOf(user, installation);
  const prompt = toPrompt(by, text);
  await begin({ message: { place, ts, ...by }, kind: 'command', prompt, title: text }, installation, context);
  return ok;
}

async function onHome(
  { team, user, notice }: Job<'home'>,
  installation: Installation,
  context: SlackContext,
) {
  const { store, io } = context;
  const { tenant, url } = installation;
  const sessions = (await store.sessionsOf(tenant, team, user)).slice(0, LISTED);
  const entries = await Promise.all(
    sessions.map(async ({ sessionId, place, title, at }): Promise<HomeEntry> => {
      const view = await io.sessions.read({ tenant, sessionId });
      const state = view?.session.state ?? 'gone';
      const { channel, thread } = place;
      const path = thread ? `${channel}/p${thread.replace('.', '')}` : channel;
      const going =
        view?.dueAt !== undefined || state === 'waiting_for_input' || state === 'waiting_for_tool';
      return {
        title,
        state,
        at,
        ...(url && { link: new URL(`archives/${path}`, url).href }),
        ...(going && { sessionId }),
      };
    }),
  );
  const api = await context.apiOf(installation);
  return api.publishHome(user, home(entries, notice));
}

const ok = { kind: 'ok', value: undefined } as const;
