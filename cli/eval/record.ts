/** `steploop eval record`: makes a case from a session, and plays it. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { count } from '../../local/amounts.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';
import { httpClient, ProblemError } from '../../web/client/index.ts';
import { Failed, WrongUsage } from '../ends.ts';
import { placeOf } from '../sessions/place.ts';
import { everyStep } from '../sessions/steps.ts';
import { FOLDER, load } from './load.ts';
import type { RecordOptions } from './options.ts';
import { type Call, recordedOf, type Seen } from './recorded.ts';
import { whyOf } from './report.ts';
import { playFiles } from './run.ts';
import { sourceOf } from './source.ts';

/** Writes the file, and resolves with 0 if its case passes. Rejects with {@link Failed} if there is nothing to write. */
export async function record(folder: string, options: RecordOptions): Promise<number> {
  const name = options.name ?? nameOf(options.sessionId);
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/i.test(name))
    throw new WrongUsage(`--name ${name} may only have letters, digits, dots, - and _.`);
  const path = resolve(folder, options.out ?? join(FOLDER, `${name}.eval.ts`));
  const seen = await sessionOf(options.sessionId);
  const agent = await agentNamed(folder, options.definition, seen.session.agent);
  const recorded = recordedOf(seen, (call) => asRead(agent, call));
  if (recorded.user.length === 0) throw new Failed(`The session ${options.sessionId} has no messages.`);
  await written(path, sourceOf(recorded, name));
  const shown = relative(process.cwd(), path);
  console.log(
    `${shown}: ${count(recorded.user.length, 'message')}, ${count(recorded.results.length, 'result')} of tools. Read it before you commit it: it contains the conversation.`,
  );
  const { run } = await playFiles(folder, {
    ...options,
    files: [path],
    scripted: true,
    repeat: 1,
    concurrency: 1,
    maxUsd: Number.POSITIVE_INFINITY,
    accept: false,
    tolerance: 0,
    json: false,
  });
  const [result] = run.cases;
  if (result?.passed) {
    console.log(`It passes with its script. Play it with a model: steploop eval ${shown}`);
    return 0;
  }
  console.log(`It does not pass with its script. ${result ? whyOf(result) : 'It was interrupted.'}`);
  return 1;
}

/** States in which a run continues by itself. */
const GOES_ON = ['idle', 'running', 'waiting_for_tool'];

async function sessionOf(sessionId: string): Promise<Seen> {
  const place = placeOf(process.env, process.cwd());
  const client = httpClient(place);
  try {
    const [session, messages, steps, feedback] = await Promise.all([
      client.session(sessionId),
      client.messages(sessionId),
      everyStep(client, sessionId),
      client.feedback(sessionId),
    ]);
    if (GOES_ON.includes(session.state))
      throw new Failed(`The session ${sessionId} is not at rest: record it when its run has ended.`);
    return { session, messages, steps, feedback };
  } catch (error) {
    if (error instanceof Failed) throw error;
    if (error instanceof ProblemError) throw new Failed(error.message);
    const { message, cause } = error as Error;
    throw new Failed(
      `${place.httpUrl} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

async function agentNamed(folder: string, definition: string, name: string): Promise<Agent> {
  const loaded = await load(folder, definition, []);
  await rm(loaded.scratch, { recursive: true, force: true });
  const agent = loaded.definition.agents.find((one) => one.name === name);
  if (!agent)
    throw new Failed(`The session belongs to the agent ${name}, which ${definition} does not have.`);
  return agent;
}

/** The input of a call as its tool receives it; as the model wrote it if the tool is unknown or rejects it. */
function asRead(agent: Agent, { name, input }: Call): unknown {
  const read = agent.tools.find((tool) => tool.name === name)?.input.safeParse(input);
  return read?.success ? read.data : input;
}

const nameOf = (sessionId: string): string =>
  sessionId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60) || 'recorded';

async function written(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new Failed(`${path} cannot be written: ${error.message}`);
    throw new Failed(
      `${relative(process.cwd(), path)} exists already. Nothing was written: choose another --name or --out.`,
    );
  });
}
