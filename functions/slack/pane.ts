/** The assistant's pane: a conversation there is a thread in direct messages, with a session of its own. */

import * as z from 'zod';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { Answer } from '../../shared/slack/api.ts';
import type { SlackJob } from '../../shared/slack/jobs.ts';
import type { SlackEvent } from '../../shared/slack/payloads.ts';
import { placeKeyOf } from '../../shared/slack/place.ts';
import type { Installation } from '../../shared/slack/store.ts';
import type { SlackContext } from './context.ts';

/** Slack shows at most four prompts. */
const Prompts = z
  .array(z.object({ title: z.string().min(1).max(200), message: z.string().min(1).max(4_000) }))
  .max(4);

/** A person has opened a conversation. Its thread begins with a message of Slack's, and belongs to no other session. */
export async function onPaneOpened(
  { assistant_thread }: Extract<SlackEvent, { type: 'assistant_thread_started' }>,
  { team, tenant }: Installation,
  { store, jobs }: SlackContext,
): Promise<void> {
  const { user_id: user, channel_id: channel, thread_ts: thread, context } = assistant_thread;
  const place = { team, channel, thread };
  await store.linkThread(place, { tenant, sessionId: await sessionIdFor('slack', placeKeyOf(place)) });
  const viewing = context?.channel_id ?? undefined;
  await jobs.send({ kind: 'pane', place, user, ...(viewing && { viewing }), tries: 0 });
}

/** Suggests prompts in a conversation that was opened, or names one that has begun. */
export async function onPane(
  { place, user, viewing, title }: Extract<SlackJob, { kind: 'pane' }>,
  installation: Installation,
  context: SlackContext,
): Promise<Answer<unknown>> {
  const { team, channel, thread } = place;
  const { assistant } = context.config;
  if (!assistant) return ok;
  const api = await context.apiOf(installation);
  if (title !== undefined) {
    await api.setStatus(channel, thread, 'is at work …');
    return api.setTitle(channel, thread, title);
  }
  const prompts = Prompts.parse(assistant.prompts?.({ team, user, ...(viewing && { viewing }) }) ?? []);
  return prompts.length > 0 ? api.suggestPrompts(channel, thread, prompts) : ok;
}

const ok = { kind: 'ok', value: undefined } as const;
