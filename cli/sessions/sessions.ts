import { text } from 'node:stream/consumers';
import { paint } from '../../local/paint.ts';
import { terminal } from '../../local/terminal.ts';
import type { WaitInfo } from '../../shared/contract/http.ts';
import { askedOf } from '../../shared/doors/asked.ts';
import { follow } from '../../shared/doors/follow.ts';
import { type HttpClient, httpClient, type SessionInfo, type StepInfo } from '../../web/client/index.ts';
import { parse } from '../arguments.ts';
import { isMeant } from '../confirm.ts';
import { decided } from '../dev/talk/words.ts';
import { Failed, WrongUsage } from '../ends.ts';
import { cardOf, questionOf } from './card.ts';
import { formatOf, type HistoryOptions, importFile, toldOf } from './history.ts';
import { askedFor, type ListOptions, listed, tableOf } from './list.ts';
import { failureOf, placeOf, places } from './place.ts';
import { everyStep, stepsTable } from './steps.ts';

const usage = `steploop sessions list [--state S[,S]] [--reason R] [--agent A] [--source S] [--user U] [--search WORDS] [--since 2h]
                       [--limit N | --all] [--json]             most recently active first
steploop sessions show ID [--steps] [--json]    its state; or what each step did, took and cost
steploop sessions tail ID [--new] [--json]      its events, until its run has ended or waits for people
steploop sessions send ID [TEXT] [--tail]       a message; without TEXT what comes on standard input
steploop sessions decide ID [ANSWER] [--wait W] decides a request: y, n and a reason, the answer to a question, or numbers of
                                                changes of a plan. Without ANSWER it shows the whole request
steploop sessions stop ID
steploop sessions delete ID [--yes]             all that is stored of it; asks first, unless --yes is given
steploop sessions export ID [--format F]        session, messages and events as one JSON document; or the messages alone, as those of
                                                openai, anthropic or ai-sdk
steploop sessions import FILE --agent A [--format F] [--title T] [--message TEXT] [--key K]
                                                makes a session from a conversation in a file, and prints its id; with the same key, once

${places}

Exit codes: 0 done; for tail and send --tail: the run has ended with an answer. 1 failed. 2 the command line is invalid.
3 the session waits for people. 4 its run has ended without an answer.`;

const options = {
  json: { type: 'boolean' },
  new: { type: 'boolean' },
  steps: { type: 'boolean' },
  yes: { type: 'boolean' },
  tail: { type: 'boolean' },
  wait: { type: 'string' },
  state: { type: 'string' },
  reason: { type: 'string' },
  agent: { type: 'string' },
  source: { type: 'string' },
  user: { type: 'string' },
  search: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
  format: { type: 'string' },
  title: { type: 'string' },
  message: { type: 'string' },
  key: { type: 'string' },
} as const;

/** The arguments after the name of a command. */
interface SessionArguments {
  readonly sessionId: string;
  readonly words: string;
  readonly json: boolean;
  readonly new: boolean;
  readonly steps: boolean;
  readonly tail: boolean;
  readonly yes: boolean;
  readonly wait: string | undefined;
  readonly history: HistoryOptions;
}

type Command = (client: HttpClient, asked: SessionArguments) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  async show(client, { sessionId, steps, json }) {
    if (steps) showSteps(await everyStep(client, sessionId), json);
    else showSession(await client.session(sessionId), json);
    return 0;
  },
  async tail(client, asked) {
    const { cursor } = asked.new ? await client.session(asked.sessionId) : { cursor: 0 };
    return tail(client, asked, cursor);
  },
  async send(client, asked) {
    const message = asked.words || (await text(process.stdin)).trim();
    if (message === '') throw new WrongUsage(`There is nothing to send.\n\n${usage}`);
    const { cursor } = await client.session(asked.sessionId);
    const { eventId } = await client.addMessage(asked.sessionId, message);
    console.error(`event ${eventId}`);
    return asked.tail ? tail(client, asked, cursor) : 0;
  },
  decide,
  async stop(client, { sessionId, json }) {
    await client.cancel(sessionId);
    showSession(await client.session(sessionId), json);
    return 0;
  },
  async delete(client, { sessionId, yes }) {
    if (!yes && !(await isMeant(sessionId, `This deletes all that is stored of ${sessionId}. Type its id: `)))
      throw new Failed(`${sessionId} was not deleted. Type its id when asked, or pass --yes.`);
    const { goneBy } = await client.deleteSession(sessionId);
    console.log(`${sessionId} is deleted. All of its data will be gone by ${goneBy}.`);
    return 0;
  },
  async export(client, { sessionId, history: { format } }) {
    if (format !== undefined) {
      console.log(JSON.stringify(await client.exportSession(sessionId, formatOf(format)), null, 2));
      return 0;
    }
    const [session, messages] = await Promise.all([client.session(sessionId), client.messages(sessionId)]);
    const events: unknown[] = [];
    await everyFrame(client, sessionId, (frame) => events.push(frame));
    console.log(JSON.stringify({ session, messages, events }, null, 2));
    return 0;
  },
  async import(client, { sessionId: file, history, json }) {
    const imported = await importFile(client, file, history);
    for (const line of toldOf(imported)) console.error(line);
    console.log(json ? JSON.stringify(imported) : imported.sessionId);
    return 0;
  },
};

/** `steploop sessions`: uses the public HTTP API. */
export async function sessions(args: readonly string[]): Promise<number> {
  const parsed = parse(args, { usage, options, words: Number.POSITIVE_INFINITY });
  if (!parsed) return 0;
  const [what = '', sessionId, ...words] = parsed.positionals;
  const command = Object.hasOwn(commands, what) ? commands[what] : undefined;
  if (what !== 'list' && (!command || !sessionId))
    throw new WrongUsage(`Name a command and a session.\n\n${usage}`);
  const place = placeOf(process.env, process.cwd());
  const { json = false, tail = false, wait } = parsed.values;
  try {
    const client = httpClient(place);
    if (!command || !sessionId) return await showList(client, parsed.values, json);
    return await command(client, {
      ...{ sessionId, words: words.join(' '), json, tail, wait },
      new: parsed.values.new ?? false,
      steps: parsed.values.steps ?? false,
      yes: parsed.values.yes ?? false,
      history: parsed.values,
    });
  } catch (error) {
    throw failureOf(error, place.httpUrl);
  }
}

async function showList(client: HttpClient, options: ListOptions, json: boolean): Promise<number> {
  const rows = await listed(client, askedFor(options, Date.now()));
  const lines = json
    ? rows.map((row) => JSON.stringify(row))
    : tableOf(rows, paint, process.stdout.columns ?? 160);
  for (const line of lines) console.log(line);
  if (rows.length === 0) console.error('There is no such session.');
  return 0;
}

async function tail(
  client: HttpClient,
  { sessionId, json }: SessionArguments,
  from: number,
): Promise<number> {
  const write = (written: string) => process.stdout.write(written);
  const width = process.stdout.columns ?? 120;
  const howToDecide = ({ id }: { id: string }) => `steploop sessions decide ${sessionId} --wait ${id}`;
  const show = json
    ? (event: unknown) => console.log(JSON.stringify(event))
    : terminal({ write, paint, width, howToDecide });
  const { state } = await follow(client, sessionId, from, show);
  if (state === 'waiting_for_input') return 3;
  return state === 'completed' || state === 'idle' ? 0 : 4;
}

async function decide(client: HttpClient, { sessionId, words, wait }: SessionArguments): Promise<number> {
  const all = askedOf(await client.session(sessionId));
  const asked = wait === undefined ? all : all.filter(({ id }) => id === wait);
  if (asked.length === 0) throw new Failed(`${wait ?? sessionId} has no open request.`);
  if (words === '') {
    const width = process.stdout.columns ?? 120;
    for (const { id } of asked)
      for (const line of questionOf(await client.wait(sessionId, id), width)) console.log(line);
    return 3;
  }
  const [one, ...others] = asked as [WaitInfo, ...WaitInfo[]];
  if (others.length > 0)
    throw new WrongUsage(
      `It has several open requests. Name one with --wait: ${asked.map(({ id }) => id).join(', ')}.`,
    );
  const typed = decided(words, { id: one.id, reason: one.kind });
  if (typed.kind === 'wrong') throw new WrongUsage(typed.sentence);
  await client.decide(sessionId, typed.decision);
  return 0;
}

async function everyFrame(
  client: HttpClient,
  sessionId: string,
  take: (frame: unknown) => void,
): Promise<void> {
  for (let after = 0; ; ) {
    const { frames, next } = await client.events(sessionId, after);
    if (frames.length === 0) return;
    for (const frame of frames) take(frame);
    after = next;
  }
}

const showSteps = (steps: readonly StepInfo[], json: boolean): void => {
  const lines = json
    ? steps.map((step) => JSON.stringify(step))
    : stepsTable(steps, paint, process.stdout.columns ?? 160);
  for (const line of lines) console.log(line);
};

const showSession = (session: SessionInfo, json: boolean): void =>
  console.log(json ? JSON.stringify(session, null, 2) : cardOf(session, paint).join('\n'));
