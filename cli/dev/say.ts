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

/** The address of each thing that can be reached, by its name. */
type Address = readonly [name: string, where: string];

/** Where Slack, webhooks and pages find it. */
function addressesOf(
  { addresses, deployed: { facts } }: Pick<Site, 'addresses' | 'deployed'>,
  workspace: string | undefined,
): Address[] {
  const { HttpUrl, SocketUrl, AguiUrl, ChatUrl, MailUrl } = addresses;
  return [
    ['HTTP', HttpUrl],
    ['WebSocket', SocketUrl],
    ...(AguiUrl ? [['AG-UI', AguiUrl] as const] : []),
    ...(ChatUrl ? [['AI SDK', ChatUrl] as const] : []),
    ...(facts.mcp ? [['MCP', `${HttpUrl}/mcp`] as const] : []),
    ...(facts.a2a ? [['A2A', `${HttpUrl}/a2a/AGENT`] as const] : []),
    ...facts.webhooks.map((name) => ['Webhook', `${HttpUrl}/hooks/${name}`] as const),
    ...facts.channels.map((name) => ['Channel', `${HttpUrl}/channels/${name}`] as const),
    ...(MailUrl ? [['E-mail', MailUrl] as const] : []),
    ...(facts.slack && workspace === undefined ? [['Slack', `${HttpUrl}/slack/events`] as const] : []),
    ...(workspace === undefined
      ? []
      : [['Slack', `mention the bot in ${printable(workspace)}, or write to it`] as const]),
  ];
}

const table = (lines: readonly Address[]): string =>
  lines.map(([name, where]) => `  ${name.padEnd(10)} ${where}`).join('\n');

/** The addresses that a restart has added, a line each; empty if there are none. */
export function added(
  before: Pick<Site, 'addresses' | 'deployed'>,
  after: Pick<Site, 'addresses' | 'deployed'>,
  workspace?: string,
): string {
  const known = new Set(addressesOf(before, workspace).map(([, where]) => where));
  return table(addressesOf(after, workspace).filter(([, where]) => !known.has(where)));
}

/**
 * Every address, and how to begin.
 *
 * @param workspace the connected Slack workspace, if any
 */
export function invitation(site: Site, logFile: string | undefined, workspace?: string): string {
  const {
    addresses: { HttpUrl },
    apiToken,
    deployed: { functions },
  } = site;
  const lines: Address[] = [
    ...addressesOf(site, workspace),
    [
      'Token',
      `${apiToken} (for development: it is valid only for this stack, which only this machine can reach)`,
    ],
    ...('console' in functions ? [['Console', consoleLink(HttpUrl, apiToken)] as const] : []),
    ...(logFile ? [['Log', logFile] as const] : []),
  ];
  return `
${table(lines)}

${paint('bold', 'Edits are live when they are saved.')} Ctrl-C ends it; unfinished runs continue at the next start.
`;
}

/** A function's log line that its author wants to see: output of tools, and errors. Undefined for the loop's own lines. */
export function spoken(line: string, nameOf: (functionId: string) => string): string | undefined {
  const [, id = '', text = line] = /^\[([^\]]+)\] (.*)$/s.exec(line) ?? [];
  return /^(INFO|DEBUG|METRIC) /.test(text) ? undefined : `  [${nameOf(id)}] ${printable(text)}`;
}
