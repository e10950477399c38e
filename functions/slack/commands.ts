import { cancel } from '../../shared/agent/entrypoints/accept.ts';
import { log } from '../../shared/logger.ts';
import { help } from '../../shared/slack/blocks.ts';
import { installedFor } from '../../shared/slack/installed.ts';
import { SlashCommand } from '../../shared/slack/payloads.ts';
import { isStop } from '../../shared/slack/stop-words.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { readTolerantly } from '../../shared/slack/tolerant.ts';
import { parseOr400 } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import type { Response, SlackContext } from './context.ts';

/** How many of a user's latest sessions one `stop` checks. */
const LATEST = 10;

/** `POST /slack/commands`: `/steploop <text>`, `/steploop stop`, `/steploop help`. Only the user sees the answer. */
export async function onCommands(body: string, context: SlackContext): Promise<Response> {
  const form = Object.fromEntries(new URLSearchParams(body));
  // Slack checks the TLS certificate now and then.
  if (form.ssl_check) return json(200, {});
  const read = readTolerantly(SlashCommand, form);
  if (read.odd.length > 0)
    log('warn', 'a slash command of Slack has odd fields', { odd: read.odd.join(', ') });
  const command = read.value ?? parseOr400(SlashCommand, form, 'slash command');
  const text = command.text.trim();
  const { team_id: workspace, enterprise_id: enterprise, channel_id: channel, user_id: user } = command;
  const orgWide = command.is_enterprise_install === 'true';
  const installation = await installedFor(context.store, { team: workspace, enterprise, orgWide });
  if (!installation) return whisper('I am not installed in this workspace, or not any more.');
  if (text === '' || /^help$/i.test(text)) return whisper(help(command.command));
  if (isStop({ text, files: [] })) return whisper(await stopAll(channel, user, installation, context));
  const { team } = installation;
  await context.jobs.send({
    ...{ kind: 'command', team, channel, user, text, trigger: command.trigger_id },
    owner: context.io.ids.next(),
    ...(installation.orgWide && { workspace }),
    ...{ at: context.io.clock.now(), tries: 0 },
  });
  return whisper('On it. I will answer in a thread.');
}

async function stopAll(
  channel: string,
  user: string,
  { tenant, team }: Installation,
  { store, io }: SlackContext,
): Promise<string> {
  const sessions = await store.sessionsOf(tenant, team, user);
  const here = sessions.filter(({ place }) => place.channel === channel).slice(0, LATEST);
  const outcomes = await Promise.all(here.map(({ sessionId }) => cancel({ tenant, sessionId }, io)));
  const stopped = outcomes.filter((outcome) => outcome === 'cancelled').length;
  if (stopped === 0) return 'You have no run in this channel.';
  return stopped === 1 ? 'Stopping.' : `Stopping ${stopped} runs.`;
}

const whisper = (text: string): Response => json(200, { response_type: 'ephemeral', text });
