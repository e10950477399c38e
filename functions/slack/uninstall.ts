import { cancel } from '../../shared/agent/entrypoints/accept.ts';
import { begunBy } from '../../shared/agent/entrypoints/begun-by.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { log } from '../../shared/logger.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import type { Installation } from '../../shared/slack/store.ts';
import type { SlackContext } from './context.ts';

/** Time in ms between an uninstallation and stopping its runs: by then, messages that were being accepted are durable. */
const STOP_AFTER_MS = 3_000;
/** Sessions that one job stops. */
const STOPPED_AT_ONCE = 50;

/** Forgets the workspace and its token, and has its runs stopped. */
export async function onUninstall(
  { team, at }: Extract<SlackJob, { kind: 'uninstall' }>,
  installation: Installation,
  context: SlackContext,
) {
  // An organisation that removes the app from one workspace still has it: the token says so.
  if (installation.orgWide) {
    const known = await (await context.apiOf(installation)).isKnown();
    if (known.kind === 'ok' || known.kind === 'limited' || known.kind === 'unknown') return known;
  }
  // Queued before the workspace is forgotten, so that a crash leaves nothing running; it runs after that, when nothing new can begin.
  const stop = { kind: 'stop', tenant: installation.tenant, team, at, after: '', tries: 0 } as const;
  await context.jobs.send(stop, STOP_AFTER_MS);
  // An installation that is newer than the event is a different one.
  if ((await context.store.uninstall(team, at)) === 'uninstalled')
    await context.tokens.remove(installation.secretId);
  log('info', 'a workspace has uninstalled the app', { team });
  return ok;
}

/**
 * Stops what was begun in Slack, since no user there could follow or stop it any more. Each job stops a bounded number of
 * sessions and queues the next job. Stopping twice is harmless, so a job may fail anywhere and come back.
 */
export async function onStop(job: Extract<SlackJob, { kind: 'stop' }>, { store, io, jobs }: SlackContext) {
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

/** A run that was begun from elsewhere, in a session that lives in Slack, continues. */
async function stopOfSlack(key: SessionKey, io: SlackContext['io']) {
  const by = await begunBy(key, io);
  return by === undefined || by.startsWith('slack:') ? cancel(key, io) : 'elsewhere';
}

const ok = { kind: 'ok', value: undefined } as const;
