import { cancel } from '../../shared/agent/accept.ts';
import { begunBy } from '../../shared/agent/begun-by.ts';
import { log } from '../../shared/aws/logger.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
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

type Job<Kind extends SlackJob['kind']> = Extract<SlackJob, { kind: Kind }>;

/** Sessions that the App Home lists. */
const LISTED = 15;
/** Times that Slack may say "not now" before a job is dropped. */
const MAX_TRIES = 20;
/** How long a job waits that Slack did not answer, in ms. */
const AGAIN_MS = 5_000;
/** How long after an uninstallation its runs are stopped, in ms: what was being taken in is durable by then. */
const STOP_AFTER_MS = 3_000;
/** Sessions that one job stops. */
const STOPPED_AT_ONCE = 50;

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

async function onUninstall(
  { team, at }: Job<'uninstall'>,
  installation: Installation,
  context: SlackContext,
) {
  // Sent first, so that a crash leaves nothing running, and done last, when nothing more can be begun.
  const stop = { kind: 'stop', tenant: installation.tenant, team, at, after: '', tries: 0 } as const;
  await context.jobs.send(stop, STOP_AFTER_MS);
  // An installation that is newer than the event is another one.
  if ((await context.store.uninstall(team, at)) === 'uninstalled')
    await context.tokens.remove(installation.secretId);
  log('info', 'a workspace has uninstalled the app', { team });
  return ok;
}

/**
 * Stops what was begun in Slack: nobody there would hear of it any more, or could stop it. So many sessions at a time, then
 * the next job goes on. Stopping twice does no harm, so a job may fail anywhere and come back.
 */
async function onStop(job: Job<'stop'>, { store, io, jobs }: SlackContext) {
  const { tenant, team, at, after } = job;
  const installation = await store.installation(team);
  if (installation && installation.installedAt >= at) return ok;
  const sessions = await store.sessionsIn(tenant, team, after, STOPPED_AT_ONCE);
  const results = await Promise.all(sessions.map((sessionId) => stopOfSlack({ tenant, sessionId }, io)));
  const stopped = results.filter((result) => result === 'cancelled').length;
  log('info', 'the runs of a workspace that has uninstalled the app were stopped', { team, stopped });
  const last = sessions.at(-1);
  if (last !== undefined && sessions.length === STOPPED_AT_ONCE) await jobs.send({ ...job, after: last });
  return ok;
}

/** A run that somebody has begun from elsewhere, in a session that lives in Slack, goes on. */
async function stopOfSlack(key: SessionKey, io: SlackContext['io']) {
  const by = await begunBy(key, io);
  return by === undefined || by.startsWith('slack:') ? cancel(key, io) : 'elsewhere';
}

const ok = { kind: 'ok', value: undefined } as const;
