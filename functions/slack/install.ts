import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Tickets } from '../../shared/edge/tickets.ts';
import { log } from '../../shared/logger.ts';
import { isLost } from '../../shared/slack/api.ts';
import { accessToken, botTokenOf, ends } from '../../shared/slack/bot-token.ts';
import { scopesFor } from '../../shared/slack/scopes.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { Refusal } from '../middleware/problem.ts';
import { originOf } from '../middleware/request.ts';
import type { Request, Response, SlackContext } from './context.ts';

export interface InstallContext extends SlackContext {
  readonly tickets: Pick<Tickets, 'redeem'>;
  /** The app's client id and secret (OAuth v2). */
  readonly clientId: string;
  readonly clientSecret: () => Promise<string>;
}

/** Binds the installation to the browser that began it. Otherwise an attacker could have a victim finish the attacker's installation. */
const COOKIE = 'steploop-slack';
const CALLBACK = '/slack/oauth/callback';

/**
 * `GET /slack/install?ticket=`: redirects a browser to Slack's consent page. The ticket (`POST /tickets`) names the tenant:
 * without it, any workspace could install itself into the deployment. Its holder must administer the tenant, since messages in a
 * connected workspace act in the tenant's name.
 */
export async function onInstall(event: Request, context: InstallContext): Promise<Response> {
  const { store, tickets, clientId, apiUrl } = context;
  const ticket = event.queryStringParameters?.ticket;
  const caller = ticket ? await tickets.redeem(ticket) : undefined;
  if (!caller) {
    throw new Refusal(401, 'Ticket needed', {
      detail: 'Get one with POST /tickets and open /slack/install?ticket=<ticket> within its minute.',
    });
  }
  requireAdmin(caller);
  const state = await store.issueState(caller.tenant);
  const { assistant, reactions } = context.config;
  const url = new URL('/oauth/v2/authorize', apiUrl);
  url.search = new URLSearchParams({
    client_id: clientId,
    scope: scopesFor({ assistant: assistant !== undefined, reactions: reactions !== undefined }).join(','),
    redirect_uri: callbackOf(event),
    state,
  }).toString();
  const cookie = `${COOKIE}=${digest(state)}; Path=/slack; Max-Age=600; HttpOnly; Secure; SameSite=Lax`;
  return { statusCode: 302, headers: { location: url.href, 'cache-control': 'no-store' }, cookies: [cookie] };
}

/** `GET /slack/oauth/callback?code=&state=`: exchanges the code, and stores the bot's token as a secret. */
export async function onCallback(event: Request, context: InstallContext): Promise<Response> {
  const { store, tokens, io, clientId, clientSecret, apiUrl } = context;
  const { code = '', state = '', error } = event.queryStringParameters ?? {};
  if (!isSameBrowser(event, state))
    return page(400, 'This installation was begun in another browser, or too long ago. Start again.');
  const tenant = await store.redeemState(state);
  if (!tenant) return page(400, 'This link was used before, or too long ago. Start again.');
  if (error) return page(400, 'Nothing was installed, because the installation was declined in Slack.');

  const { ask, webClient } = await import('../../shared/slack/web-api.ts');
  const client = webClient(apiUrl);
  const secret = await clientSecret();
  const redirect_uri = callbackOf(event);
  const access = await ask(Access, () =>
    client.apiCall('oauth.v2.access', { client_id: clientId, client_secret: secret, code, redirect_uri }),
  );
  if (access.kind !== 'ok') {
    log('warn', 'Slack did not give a token', {
      reason: access.kind === 'limited' ? 'ratelimited' : access.error,
    });
    return page(502, 'Slack did not confirm the installation. Start again.');
  }
  const { bot_user_id: botUser, enterprise, is_enterprise_install: isOrgWide } = access.value;
  const orgWide = isOrgWide === true;
  const team = (orgWide ? enterprise : access.value.team)?.id;
  if (team === undefined) return page(502, 'Slack did not report where the app was installed. Start again.');
  // A workspace of an organisation that has the app must belong to the same tenant.
  const known = await Promise.all([team, enterprise?.id].map((id) => id && store.installation(id)));
  if (known.some((one) => one && one.tenant !== tenant)) return page(409, TAKEN);

  const token = botTokenOf(access.value, io.clock.now());
  const who = await ask(Who, () => webClient(apiUrl, token.token).apiCall('auth.test'));
  if (who.kind === 'refused' && isLost(who.error)) return page(502, 'Slack revoked the token. Start again.');
  const url = who.kind === 'ok' ? who.value.url : undefined;
  const secretId = await tokens.put(team, token);
  const installation = {
    ...{ team, tenant, botUser, secretId, url },
    ...(orgWide && { orgWide }),
    ...(enterprise && { enterprise: enterprise.id }),
    installedAt: io.clock.now(),
  };
  if ((await store.install(installation)) === 'taken') return page(409, TAKEN);
  log('info', 'a workspace has installed the app', { team, tenant });
  return page(200, 'Installed. Invite the bot to a channel and mention it, or write to it.');
}

const TAKEN = 'This workspace is connected already. Uninstall the app there first.';

const Access = z.object({
  access_token: accessToken,
  ...ends,
  bot_user_id: z.string(),
  team: z.object({ id: z.string().regex(/^[A-Z0-9]{1,32}$/) }).nullish(),
  enterprise: z.object({ id: z.string().regex(/^[A-Z0-9]{1,32}$/) }).nullish(),
  is_enterprise_install: z.boolean().nullish(),
});
const Who = z.object({ url: z.url().optional() });

/** The redirect URL that is registered with Slack (docs/slack.md). Plain HTTP only on this machine. */
const callbackOf = (request: Request): string => `${originOf(request)}${CALLBACK}`;

function isSameBrowser({ cookies = [] }: Request, state: string): boolean {
  const sent = cookies.map((cookie) => cookie.split('=')).find(([name]) => name === COOKIE)?.[1] ?? '';
  const expected = digest(state);
  return sent.length === expected.length && timingSafeEqual(Buffer.from(sent), Buffer.from(expected));
}

const digest = (state: string): string => createHash('sha256').update(`browser:${state}`).digest('hex');

/** `text` is fixed text: no request input is shown. */
const page = (statusCode: number, text: string): Response => ({
  statusCode,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
  },
  body: `<!doctype html><title>Steploop</title><p>${text}</p>`,
});
