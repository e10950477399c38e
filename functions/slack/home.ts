import type { Answer } from '../../shared/slack/api.ts';
import { type HomeEntry, home, standingOf } from '../../shared/slack/home.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import type { Installation, UserSession } from '../../shared/slack/store.ts';
import { isGoing } from '../../shared/slack/words.ts';
import type { SlackContext } from './context.ts';

/** The person's latest sessions that the App Home lists: each costs a read. */
const LISTED = 25;

/** Publishes the App Home of one person. It lists the sessions in which they have spoken, and no others. */
export async function onHome(
  { team, user, notice }: Extract<SlackJob, { kind: 'home' }>,
  installation: Installation,
  context: SlackContext,
): Promise<Answer<unknown>> {
  const all = await context.store.sessionsOf(installation.tenant, team, user);
  const entries = await Promise.all(
    all.slice(0, LISTED).map((session) => entryOf(session, installation, context)),
  );
  const api = await context.apiOf(installation);
  const more = Math.max(0, all.length - LISTED);
  return api.publishHome(
    user,
    home(
      entries.flatMap((entry) => entry ?? []),
      more,
      notice,
    ),
  );
}

/** Undefined for a session that was deleted. */
async function entryOf(
  { sessionId, place, title, at }: UserSession,
  { tenant, url }: Installation,
  { io }: SlackContext,
): Promise<HomeEntry | undefined> {
  const view = await io.sessions.read({ tenant, sessionId });
  if (!view) return undefined;
  const { channel, thread } = place;
  const path = thread ? `${channel}/p${thread.replace('.', '')}` : channel;
  return {
    ...{ title, standing: standingOf(view, io.clock.now()), at },
    ...(url && { link: new URL(`archives/${path}`, url).href }),
    ...(isGoing(view) && { sessionId }),
  };
}
