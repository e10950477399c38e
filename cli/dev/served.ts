/** The running deployment, and its restart, which keeps addresses, sessions and tokens. */

import { dirname, join, sep } from 'node:path';
import process from 'node:process';
import { connectMailbox } from '../../local/mail/connect.ts';
import { type Mailbox, startMailbox } from '../../local/mail/mailbox.ts';
import { chooseModels, type Models, urlsIn } from '../../local/model/choose.ts';
import { paint } from '../../local/paint.ts';
import { say, timed } from '../../local/say.ts';
import { openSite, type Site } from '../../local/site.ts';
import type { SocketSlack } from '../../local/slack/socket/open.ts';
import type { Ports } from '../../local/stack/options.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { openSlack, tokensIn } from '../slack-socket.ts';
import type { Running } from './live/live.ts';
import { readEnvFile } from './project.ts';
import { added, started } from './say.ts';
import type { Start } from './start.ts';
import { type Synthesized, synthesize } from './synthesize.ts';
import { type Values, valuesOf } from './values.ts';

export interface Served {
  readonly running: () => Running;
  /** The real workspace that it is connected to, if one is wanted. */
  readonly workspace: string | undefined;
  /** Synthesizes the template again and starts it; if that fails, the old one keeps running. Never rejects. */
  readonly restart: (why: string) => Promise<void>;
}

/** Receives the output of functions; `nameOf` maps a logical id to a function's name. */
export type Listener = (line: string, nameOf: (functionId: string) => string) => void;

/** Starts the deployment, and prints how to use it. */
export async function openServed(start: Start, listen: Listener): Promise<Served> {
  const { options, project, log, closing, scratch } = start;
  // On disk, because state in memory would not survive a restart.
  const data = join(options.data ?? scratch, 'stack');
  const aborted = new AbortController();
  closing.add('the synthesis', () => aborted.abort());
  let running: Running;
  let models: Models | undefined;
  const asked = options.slackSocket ? tokensIn(options.secret, process.env, readEnvFile(project)) : undefined;
  let slack: SocketSlack | undefined;
  let mailbox: Mailbox | undefined;
  closing.add('the models', () => models?.stop());
  closing.add('the stack', () => running?.site.stack.stop());
  closing.add('Slack', () => slack?.stop());
  closing.add('the mailbox', () => mailbox?.stop());

  const read = () => {
    const file = readEnvFile(project);
    const made = synthesize(project, { wanted: options.stack, env: file, signal: aborted.signal });
    return made.then((synthesized) => {
      const { facts } = synthesized.place.deployed;
      const { set, secret: given } = options;
      const secret = asked?.others ?? given;
      return { synthesized, values: valuesOf(facts, { set, secret, environment: process.env, file }) };
    });
  };

  async function open(synthesized: Synthesized, values: Values, ports?: Ports): Promise<Site> {
    const { deployed, assembly, stack } = synthesized.place;
    const names = new Map(Object.entries(deployed.functions).map(([name, id]) => [id, name]));
    await models?.stop();
    models = await chooseModels(deployed.facts, {
      secrets: values.secrets,
      urls: urlsIn(deployed.facts, process.env),
      scripted: options.once !== undefined,
    });
    if (asked) slack ??= await openSlack(deployed.facts, asked.tokens, say);
    const hasMail = deployed.facts.mailboxes.length > 0;
    if (hasMail) mailbox ??= await startMailbox();
    const site = await openSite({
      ...{ assembly, stack, deployed, data },
      port: options.port,
      ...defined({ ports }),
      settings: values.settings,
      secrets: values.secrets,
      modelUrls: models.urls,
      ...(slack && { slack: slack.of }),
      ...(hasMail && mailbox && { sesUrl: mailbox.url }),
      log(line) {
        // Source maps treat the folder of the assembly as the project.
        const told = line.replaceAll(`${dirname(assembly)}${sep}`, '');
        log.write(told);
        listen(told, (id) => names.get(id) ?? id);
      },
    });
    // From here on, the stack must be stopped after a failure.
    running = { synthesized, site };
    if (deployed.facts.slack) await slack?.connect(site);
    if (hasMail && mailbox) connectMailbox(mailbox, site);
    return site;
  }

  const { synthesized, values } = await timed('template', read, ({ synthesized: { made, place } }) =>
    made ? `synthesized, the one that deploys: ${place.deployed.path}` : `unchanged since the last synthesis`,
  );
  const site = await timed(
    'stack',
    () => open(synthesized, values),
    ({ addresses }) => addresses.HttpUrl,
  );
  say(started(site, values, models as Models | undefined));

  return {
    running: () => running,
    workspace: slack?.where,
    async restart(why) {
      say(paint('yellow', `${why} Restarting, with the same addresses and state.`));
      const before = running;
      const { ports } = before.site.stack;
      try {
        const next = await read();
        await before.site.stack.stop();
        try {
          running = { synthesized: next.synthesized, site: await open(next.synthesized, next.values, ports) };
          say(paint('green', 'It runs again.'));
          // A new secret may have no value yet, and a name in .env may be a mistake.
          say(started(running.site, next.values, models));
          const gained = added(before.site, running.site, slack?.where);
          if (gained) say(gained);
        } catch (error) {
          tell(error);
          running = { ...before, site: await open(before.synthesized, values, ports) };
        }
      } catch (error) {
        if (!aborted.signal.aborted) tell(error);
      }
    },
  };
}

const tell = (error: unknown): void =>
  say(
    paint('red', `${error instanceof Error ? error.message : error}\nThe last good version keeps running.`),
  );
