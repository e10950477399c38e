/** Everything that an `npm start` starts: model, GitHub, the deployment, webhook, client. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import type { Closing } from '../../local/closing.ts';
import { type EmulatedGithub, type Hook, startGithub } from '../../local/github/emulated.ts';
import type { Log } from '../../local/log.ts';
import { connectMailbox } from '../../local/mail/connect.ts';
import { startMailbox } from '../../local/mail/mailbox.ts';
import { chooseModels, urlsIn } from '../../local/model/choose.ts';
import { say, timed } from '../../local/say.ts';
import { openSite, type Site } from '../../local/site.ts';
import type { EmulatedSlack } from '../../local/slack/emulated/emulated-slack.ts';
import { startSlack } from '../../local/slack/emulated/start.ts';
import { installSlack } from '../../local/slack/installed.ts';
import { openRoom, type SlackRoom } from '../../local/slack/room/server.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { type Client, connect } from '../../web/client/index.ts';
import { synthesize } from '../dev/synthesize.ts';
import { valuesOf } from '../dev/values.ts';
import { nobodyAnswers, openSlack, tokensIn } from '../slack-socket.ts';
import type { StartOptions } from './options.ts';

export interface Demo extends Site {
  /** For a definition that uses GitHub. */
  readonly github?: EmulatedGithub;
  /** For a definition that an issue starts a run in. */
  readonly hook?: Hook;
  /** Where a person writes to its agents, if an emulated Slack is wanted. */
  readonly room?: SlackRoom;
  /** The real workspace that it is connected to, if one is wanted. */
  readonly workspace?: string;
  readonly client: Client;
}

/** The deployment starts last: it resumes interrupted runs at once, and they need the model and, if its definition uses it, GitHub. */
export async function openDemo(options: StartOptions, log: Log, closing: Closing): Promise<Demo> {
  const { definition, data, port } = options;
  const tokens = options.slackSocket ? tokensIn([], process.env, {}).tokens : undefined;
  const within = (name: string) => (data === undefined ? undefined : join(data, name));
  const kept = <T extends { stop(): unknown }>(what: string, made: T): T => {
    closing.add(what, () => made.stop());
    return made;
  };
  const aborted = new AbortController();
  closing.add('the synthesis', () => aborted.abort());

  const { place } = await timed(
    'template',
    () =>
      synthesize({ folder: process.cwd(), ...(definition && { definition }) }, { signal: aborted.signal }),
    () => 'synthesized, the one that deploys',
  );
  const { facts } = place.deployed;
  const takesIssues = facts.webhooks.includes('github');
  const asksGithub = 'GITHUB_API_URL' in facts.settings;
  const github =
    takesIssues || asksGithub
      ? await timed(
          'GitHub',
          async () => kept('GitHub', await startGithub(within('github.json'))),
          ({ url, repo }) => `emulated at ${url}, with the repository ${repo}`,
        )
      : undefined;
  const slack =
    options.slack &&
    (await timed(
      'Slack',
      async () => {
        if (!facts.slack) throw new Error(nobodyAnswers);
        return kept('Slack', await startSlack());
      },
      ({ apiUrl }) => `emulated at ${apiUrl}`,
    ));
  const socket =
    tokens &&
    (await timed(
      'Slack',
      async () => kept('Slack', await openSlack(facts, tokens, say)),
      ({ where }) => `the workspace ${where}, over Socket Mode`,
    ));
  const mailbox = facts.mailboxes.length > 0 ? kept('the mailbox', await startMailbox()) : undefined;
  const webhookSecret = randomBytes(20).toString('hex');
  const given = valuesOf(facts, { set: [], secret: [], environment: process.env, file: {} });
  const values = {
    settings: { ...given.settings, ...(github && asksGithub && { GITHUB_API_URL: github.url }) },
    secrets: {
      ...given.secrets,
      ...(github && { GITHUB_TOKEN: github.agentToken, GITHUB_WEBHOOK_SECRET: webhookSecret }),
    },
  };
  const models = await timed(
    'model',
    async () =>
      kept(
        'the model',
        await chooseModels(facts, { secrets: values.secrets, urls: urlsIn(facts, process.env) }),
      ),
    ({ what }) => what.join('; '),
  );
  const site = await timed(
    'stack',
    async () => {
      const { assembly, stack, deployed } = place;
      const made = await openSite({
        ...{ assembly, stack, deployed, port, ...values },
        ...(slack && { slack }),
        ...(mailbox && { sesUrl: mailbox.url }),
        ...(socket && { slack: socket.of }),
        data: within('stack'),
        modelUrls: models.urls,
        log: log.write,
      });
      kept('the stack', made.stack);
      return made;
    },
    ({ addresses }) => `${addresses.HttpUrl} and ${addresses.SocketUrl}`,
  );
  const { addresses, apiToken } = site;
  const client = connect({ httpUrl: addresses.HttpUrl, socketUrl: addresses.SocketUrl, token: apiToken });
  closing.add('the client', client.close);
  const hook = takesIssues && (await github?.hook(`${addresses.HttpUrl}/hooks/github`, webhookSecret));
  await socket?.connect(site);
  if (mailbox) connectMailbox(mailbox, site);
  const room = slack ? kept('the page of Slack', await openChannel(site, slack)) : undefined;
  return {
    ...{ ...site, client },
    ...defined({ room }),
    ...(socket && { workspace: socket.where }),
    ...defined({ github }),
    ...(hook && { hook }),
  };
}

/** The user of the page. */
const PERSON = 'ada';

async function openChannel(site: Site, slack: EmulatedSlack): Promise<SlackRoom> {
  slack.connect(site.addresses.HttpUrl);
  await installSlack(site, slack, (installUrl) => slack.consent(installUrl, PERSON));
  return openRoom(slack, PERSON);
}
