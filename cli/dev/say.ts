/** The messages of `steploop dev` about a running deployment. */

import { consoleLink } from '../../local/console-link.ts';
import type { Models } from '../../local/model/choose.ts';
import { paint } from '../../local/paint.ts';
import { printable } from '../../local/printable.ts';
import type { Site } from '../../local/site.ts';
import type { Values } from './values.ts';

/** Its models, and the settings and secrets without a value. */
export function started(
  { deployed: { facts }, unfinished }: Site,
  values: Values,
  models: Models | undefined,
): string {
  const servers = new Set(Object.values(facts.models).map(({ secret }) => secret));
  const without = Object.keys(facts.secrets).filter((name) => !values.secrets[name] && !servers.has(name));
  return [
    ...(models?.what ?? []).map((what) => `  Model ${what}.`),
    ...(without.length > 0
      ? [`  Without a value: ${without.join(', ')}. Put it in .env, or pass it with --secret.`]
      : []),
    ...values.notes.map((note) => `  ${note}`),
    ...(unfinished.length > 0 ? [`  Interrupted sessions continue: ${unfinished.join(', ')}.`] : []),
  ].join('\n');
}

/**
 * Every address, and how to begin.
 *
 * @param workspace the connected Slack workspace, if any
 */
export function invitation(
  { addresses, apiToken, deployed: { facts, functions } }: Site,
  logFile: string | undefined,
  workspace?: string,
): string {
  const { HttpUrl, SocketUrl, AguiUrl, ChatUrl } = addresses;
  const lines = [
    ['HTTP', HttpUrl],
    ['WebSocket', SocketUrl],
    ...(AguiUrl ? [['AG-UI', AguiUrl]] : []),
    ...(ChatUrl ? [['AI SDK', ChatUrl]] : []),
    ...facts.webhooks.map((name) => ['Webhook', `${HttpUrl}/hooks/${name}`]),
    ...(facts.slack && workspace === undefined ? [['Slack', `${HttpUrl}/slack/events`]] : []),
    ...(workspace === undefined
      ? []
      : [['Slack', `mention the bot in ${printable(workspace)}, or write to it`]]),
    [
      'Token',
      `${apiToken} (for development: it is valid only for this stack, which only this machine can reach)`,
    ],
    ...('console' in functions ? [['Console', consoleLink(HttpUrl, apiToken)]] : []),
    ...(logFile ? [['Log', logFile]] : []),
  ];
  return `
${lines.map(([name = '', text]) => `  ${name.padEnd(10)} ${text}`).join('\n')}

${paint('bold', 'Edits are live when they are saved.')} Ctrl-C ends it; unfinished runs continue at the next start.
`;
}

/** A function's log line that its author wants to see: output of tools, and errors. Undefined for the loop's own lines. */
export function spoken(line: string, nameOf: (functionId: string) => string): string | undefined {
  const [, id = '', text = line] = /^\[([^\]]+)\] (.*)$/s.exec(line) ?? [];
  return /^(INFO|DEBUG|METRIC) /.test(text) ? undefined : `  [${nameOf(id)}] ${printable(text)}`;
}
