/** Compares a Slack app with what the definition needs: the scopes of its token, and with a token for its manifest its events and shortcuts. */

import * as z from 'zod';
import { slackManifest } from '../../local/slack/manifest.ts';
import type { SlackConfig } from '../../shared/agent/define/slack.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

export interface SlackTokens {
  /** `SLACK_BOT_TOKEN`: the bot's token in one workspace. */
  readonly bot?: string | undefined;
  /** `SLACK_CONFIG_TOKEN`: a token that may read the app's manifest (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests). */
  readonly config?: string | undefined;
}

const Answer = z.looseObject({ ok: z.boolean(), error: z.string().default('unknown_error') });
const Who = z.object({ bot_id: z.string() });
const Bot = z.object({ bot: z.object({ app_id: z.string() }) });
const Exported = z.object({
  manifest: z.object({
    settings: z
      .object({ event_subscriptions: z.object({ bot_events: z.array(z.string()).default([]) }).optional() })
      .optional(),
    features: z.object({ shortcuts: z.array(z.object({ callback_id: z.string() })).default([]) }).optional(),
  }),
});

/** @param apiUrl the Web API's address, with a slash at its end */
export async function slackOf(
  config: SlackConfig | undefined,
  tokens: SlackTokens,
  apiUrl = process.env.SLACK_API_URL ?? 'https://slack.com/api/',
): Promise<Finding[]> {
  if (!config) return [];
  const { bot } = tokens;
  if (!bot) return [skipped('Slack scopes', 'SLACK_BOT_TOKEN is not set here, so Slack was not asked.')];
  const who = await call(apiUrl, 'auth.test', bot).catch((error: Error) => error);
  if (who instanceof Error)
    return [
      wrong(
        'Slack scopes',
        `Slack refuses SLACK_BOT_TOKEN: ${who.message}.`,
        'Copy it again: https://api.slack.com/apps, Install App.',
      ),
    ];
  const events = await eventsOf(config, tokens, apiUrl, bot, who.answer).catch((error: Error) =>
    wrong(
      'Slack events',
      `The manifest of the app cannot be read: ${error.message}.`,
      'Make a new SLACK_CONFIG_TOKEN at https://api.slack.com/apps: it expires after 12 hours.',
    ),
  );
  return [scopesOf(config, who.scopes), events];
}

/** The parts of the app that the definition uses, as the manifest names them. */
const partsOf = ({ assistant, replies, reactions = {}, shortcuts = {} }: SlackConfig) => ({
  assistant: assistant !== undefined,
  replies: replies !== undefined,
  reactions: Object.keys(reactions).length > 0,
  shortcuts: Object.fromEntries(Object.entries(shortcuts).map(([id, { title }]) => [id, title])),
});

const neededBy = (config: SlackConfig) =>
  slackManifest({ name: 'Steploop', org: false, rotation: false, ...partsOf(config) });

function scopesOf(config: SlackConfig, granted: readonly string[] | undefined): Finding {
  if (!granted) return skipped('Slack scopes', 'Slack did not list the scopes of SLACK_BOT_TOKEN.');
  const missing = neededBy(config).oauth_config.scopes.bot.filter((scope) => !granted.includes(scope));
  return missing.length === 0
    ? ok('Slack scopes', 'The bot has all that the definition needs.')
    : wrong(
        'Slack scopes',
        `The bot lacks ${missing.join(', ')}.`,
        'Add them under OAuth & Permissions at https://api.slack.com/apps, and install the app again: docs/slack.md#scopes.',
      );
}

async function eventsOf(
  config: SlackConfig,
  { config: token }: SlackTokens,
  apiUrl: string,
  bot: string,
  who: unknown,
): Promise<Finding> {
  if (!token)
    return skipped('Slack events', 'SLACK_CONFIG_TOKEN is not set, so the manifest of the app was not read.');
  const { answer } = await call(apiUrl, 'bots.info', bot, { bot: Who.parse(who).bot_id });
  const { app_id } = Bot.parse(answer).bot;
  const exported = await call(apiUrl, 'apps.manifest.export', token, { app_id });
  const { settings, features } = Exported.parse(exported.answer).manifest;
  const parts = partsOf(config);
  const has = settings?.event_subscriptions?.bot_events ?? [];
  const ids = features?.shortcuts.map(({ callback_id }) => callback_id) ?? [];
  const events = neededBy(config).settings.event_subscriptions.bot_events.filter(
    (event) => !has.includes(event),
  );
  const shortcuts = Object.keys(parts.shortcuts).filter((id) => !ids.includes(id));
  if (events.length + shortcuts.length === 0)
    return ok('Slack events', 'The app has all events and shortcuts that the definition needs.');
  const lacks = [
    ...(events.length > 0 ? [`the events ${events.join(', ')}`] : []),
    ...(shortcuts.length > 0 ? [`the shortcuts ${shortcuts.join(', ')}`] : []),
  ];
  return wrong(
    'Slack events',
    `The app lacks ${lacks.join(' and ')}.`,
    `Paste the output of ${commandOf(parts)} as the app's manifest, and install the app again.`,
  );
}

const commandOf = ({ assistant, replies, reactions, shortcuts }: ReturnType<typeof partsOf>): string =>
  [
    'npx steploop slack manifest',
    ...(replies ? ['--thread-replies'] : []),
    ...(assistant ? ['--assistant'] : []),
    ...(reactions ? ['--reactions'] : []),
    ...Object.entries(shortcuts).map(([id, title]) => `--shortcut '${id}=${title}'`),
  ].join(' ');

/** Rejects with Slack's word for what is wrong. `scopes` are those of the token, as the header `x-oauth-scopes` lists them. */
async function call(
  apiUrl: string,
  method: string,
  token: string,
  args: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: unknown; readonly scopes?: readonly string[] | undefined }> {
  const response = await fetch(new URL(method, apiUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(args),
    signal: AbortSignal.timeout(15_000),
  });
  const answer = Answer.parse(await response.json());
  if (!answer.ok) throw new Error(`${method}: ${answer.error}`);
  return { answer, scopes: response.headers.get('x-oauth-scopes')?.split(/, */) };
}
