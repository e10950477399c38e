/** `steploop dev`: runs a project's app on this machine, applies edits while it runs, and offers a conversation with its agents. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Closing } from '../../local/closing.ts';
import { prepareData } from '../../local/data.ts';
import { interrupted } from '../../local/interrupt.ts';
import { type Log, openLog } from '../../local/log.ts';
import { paint } from '../../local/paint.ts';
import { connect } from '../../web/client/index.ts';
import { Failed, WrongUsage } from '../ends.ts';
import { insistOnEmulators } from './emulators.ts';
import { takeEdits } from './live/live.ts';
import { once } from './once.ts';
import { type DevOptions, help, parseOptions } from './options.ts';
import { projectIn } from './project.ts';
import { invitation, spoken } from './say.ts';
import { openServed } from './served.ts';
import type { Start } from './start.ts';
import { openScreen } from './talk/screen.ts';
import { talk } from './talk/talk.ts';

/** Resolves with the exit code, after everything has been stopped. */
export async function dev(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.kind === 'wrong') throw new WrongUsage(`${parsed.message}.\n\n${help}`);
  if (parsed.kind === 'start') return run(parsed.options);
  console.log(help);
  return 0;
}

async function run(options: DevOptions): Promise<number> {
  const project = projectIn(process.cwd(), options.definition);
  insistOnEmulators();
  refused(() => prepareData(options.data));
  const log = openLog(options.data && join(options.data, 'functions.log'));
  const closing = new Closing();
  const signal = interrupted();
  const work = options.once === undefined ? stay : once;
  try {
    const scratch = await mkdtemp(join(tmpdir(), 'steploop-dev-'));
    closing.add('the temporary folder', () => rm(scratch, { recursive: true, force: true }));
    const ended = await Promise.race([work({ options, project, log, closing, scratch }), signal]);
    return typeof ended === 'number' ? ended : options.once === undefined ? 0 : 130;
  } catch (error) {
    if (closing.begun) return 130;
    throw error instanceof Failed ? error : new Failed(troubles(log) + messageOf(error));
  } finally {
    await closing.close();
    await log.stop();
  }
}

async function stay(start: Start): Promise<number> {
  const { project, closing, scratch, options, log } = start;
  const screen = openScreen(process.stdout);
  const served = await openServed(start, (line, nameOf) => {
    const said = spoken(line, nameOf);
    if (said !== undefined) screen.say(paint('dim', said));
  });
  screen.say(invitation(served.running().site, log.file, served.workspace));
  const edits = takeEdits({
    project,
    scratch,
    unwatched: options.data === undefined ? [] : [options.data],
    running: served.running,
    restart: served.restart,
    say: (text, how) => screen.say(how === 'wrong' ? paint('red', text) : paint('green', text)),
  });
  closing.add('the watching of files', async () => (await edits).close());
  edits.catch((error: unknown) => screen.say(paint('red', `Edits are not applied: ${messageOf(error)}`)));
  if (!process.stdin.isTTY || !process.stdout.isTTY) return new Promise(() => {}); // until a signal
  screen.say(paint('dim', '  Type a message, or /help.'));
  const { addresses, apiToken } = served.running().site;
  const client = connect({
    httpUrl: addresses.HttpUrl,
    socketUrl: addresses.SocketUrl,
    token: apiToken,
  });
  closing.add('the client', client.close);
  const agents = () => served.running().site.deployed.facts.agents.map(({ name }) => name);
  await talk({ client, agents, screen, input: process.stdin, output: process.stdout });
  return 0;
}

function refused(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Failed(messageOf(error));
  }
}

/** The last log lines that look like the reason. */
function troubles(log: Log): string {
  const lines = log.tail().filter((line) => /error|warn|fail|timed out/i.test(line));
  return lines.length === 0 ? '' : `Output of the functions:\n${lines.join('\n')}\n\n`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
