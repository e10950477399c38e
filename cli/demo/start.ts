/**
 * `npm start`: runs the synthesized template on this machine, lets a webhook of an emulated GitHub start a run of the triage
 * agent, shows it live, and stays up. With a definition that takes no issues, it suggests what to try. Options: `npm start --
 * --help`.
 */

import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Closing } from '../../local/closing.ts';
import { consoleLink } from '../../local/console-link.ts';
import { prepareData } from '../../local/data.ts';
import { interrupted } from '../../local/interrupt.ts';
import { type Log, openLog } from '../../local/log.ts';
import { paint } from '../../local/paint.ts';
import { say } from '../../local/say.ts';
import { help, parseOptions, type StartOptions } from './options.ts';
import { finishRuns, GREETING, greetFirst, triageNewIssue } from './runs.ts';
import { type Demo, openDemo } from './site.ts';
import { summary } from './summary.ts';

/** How long `--once` may take in ms, including the start. */
const onceWithin = 120_000;

const parsed = parseOptions(process.argv.slice(2));
switch (parsed.kind) {
  case 'help':
    say(help);
    break;
  case 'wrong':
    console.error(`${parsed.message}\n\n${help}`);
    process.exitCode = 2;
    break;
  case 'start':
    process.exitCode = await main(parsed.options);
    // Open handles must not keep the process alive.
    process.exit();
}

/** Runs until the end or a signal, stops everything, and returns the exit code. */
async function main(options: StartOptions): Promise<number> {
  try {
    prepareData(options.data);
  } catch (error) {
    fail(error);
    return 1;
  }
  const log = openLog(options.data && join(options.data, 'functions.log'));
  const closing = new Closing();
  const signal = interrupted();
  const work = options.once ? once(options, log, closing) : stay(options, log, closing);
  try {
    const ended = await Promise.race([work, signal]);
    if (typeof ended === 'number') return ended;
    say(`\n${ended}: stopping. Interrupted runs continue at the next start.`);
    return options.once ? 130 : 0;
  } catch (error) {
    tell(error, log);
    return 1;
  } finally {
    await closing.close();
    await log.stop();
  }
}

async function stay(options: StartOptions, log: Log, closing: Closing): Promise<number> {
  const site = await openDemo(options, log, closing);
  await finishRuns(site);
  await triageNewIssue(site).catch((error: unknown) => {
    if (!closing.begun) tell(error, log);
  });
  invite(site, options, log);
  return new Promise(() => {}); // until a signal
}

async function once(options: StartOptions, log: Log, closing: Closing): Promise<number> {
  const run = async () => {
    const site = await openDemo(options, log, closing);
    await finishRuns(site);
    const triaged = await triageNewIssue(site);
    const result = triaged?.result ?? (await greetFirst(site));
    if (result.state !== 'completed')
      tell(new Error(`The run ended as ${result.state}: ${result.message ?? result.reason}`), log);
    say(summary(result, triaged && (await site.github?.labelsOf(triaged.issue))));
    return result.state === 'completed' ? 0 : 1;
  };
  const late = async () => {
    await pause(onceWithin, undefined, { ref: false });
    throw new Error(`The run did not end within ${onceWithin / 1000} s`);
  };
  return Promise.race([run(), late()]);
}

/** Prints the addresses, and what to try. */
function invite(
  { addresses, apiToken, github, deployed, room, workspace }: Demo,
  { definition }: StartOptions,
  log: Log,
): void {
  const [first] = deployed.facts.agents;
  const message = github && first?.name === 'triage' ? `Triage ${github.repo}#2` : GREETING;
  const talk = definition && `npm run dev -- --definition ${relative(process.cwd(), definition)}`;
  say(`
${paint('bold', 'It stays up.')} Ctrl-C ends it; unfinished runs continue at the next start.

  HTTP       ${addresses.HttpUrl}
  WebSocket  ${addresses.SocketUrl}
${addresses.AguiUrl ? `  AG-UI      ${addresses.AguiUrl}\n` : ''}${addresses.ChatUrl ? `  AI SDK     ${addresses.ChatUrl}\n` : ''}  Token      ${apiToken} (for development: it is valid only for this stack, which only this machine can reach)
${'console' in deployed.functions ? `  Console    ${consoleLink(addresses.HttpUrl, apiToken)}\n` : ''}${github ? `  GitHub     ${github.url}/repos/${github.repo}/issues\n` : ''}${room ? `  Slack      ${room.url}\n` : ''}${workspace === undefined ? '' : `  Slack      mention the bot in ${workspace}, or write to it\n`}${log.file === undefined ? '' : `  Log        ${log.file}\n`}
Try:

  curl -s ${addresses.HttpUrl}/sessions -H 'Authorization: Bearer ${apiToken}' -H 'Content-Type: application/json' -d '${JSON.stringify({ agent: first?.name, message })}'
${talk ? `\nOr stop it, and talk to its agents in this terminal:\n\n  ${talk}\n` : ''}`);
}

function tell(error: unknown, log: Log): void {
  const troubles = log.tail().filter((line) => /error|warn|fail|timed out/i.test(line));
  if (troubles.length > 0) console.error(paint('dim', `\nOutput of the functions:\n${troubles.join('\n')}`));
  fail(error);
}

function fail(error: unknown): void {
  console.error(`\n${paint('red', 'Failed:')} ${error instanceof Error ? error.message : String(error)}`);
}
