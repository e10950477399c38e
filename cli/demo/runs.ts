/** The runs that an `npm start` shows: interrupted ones, and one for a new issue or a first message. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Hook } from '../../local/github/emulated.ts';
import { paint } from '../../local/paint.ts';
import { say } from '../../local/say.ts';
import { terminal } from '../../local/terminal.ts';
import { watch } from '../../local/watch.ts';
import type { RunResult } from '../../shared/contract/events.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { Demo } from './site.ts';

const show = () =>
  terminal({ write: (text) => process.stdout.write(text), paint, width: process.stdout.columns ?? 120 });

/** How long interrupted runs are followed, in ms. */
const finishWithin = 90_000;

/** Shows the interrupted runs as they continue, one after the other. */
export async function finishRuns({ client, unfinished }: Demo): Promise<void> {
  const signal = AbortSignal.timeout(finishWithin);
  for (const sessionId of unfinished) {
    const { run, state } = await client.session(sessionId);
    const waits = state === 'waiting_for_input';
    say(
      `\n${paint('bold', `Session ${sessionId} ${waits ? 'waits for a person.' : 'was interrupted, and continues.'}`)}`,
    );
    if (!run) {
      say(`  It is ${state}.`);
      continue;
    }
    say(paint('dim', 'The run so far, and how it continues. A killed step begins again.'));
    await watch(client, { sessionId, runId: run.id }, show(), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      say('  It has not ended yet, and continues in the background.');
    });
  }
}

export interface Triaged {
  readonly issue: number;
  readonly result: RunResult;
}

/** Opens an issue, whose webhook starts a run, and shows that run. Undefined for a definition that takes no issues. */
export async function triageNewIssue({ github, hook, client }: Demo): Promise<Triaged | undefined> {
  if (!github || !hook) return undefined;
  const { number, title, user } = await github.openIssue();
  say(`\n${paint('bold', `${user} opened issue #${number} on the emulated GitHub:`)} ${title}`);
  const status = await delivery(hook);
  const sessionId = await sessionIdFor('hook', `github:${github.repo}#${number}`);
  if (status < 200 || status > 299) throw new Error(`The webhook was answered with ${status || 'nothing'}`);
  say(paint('dim', `Its webhook was accepted (${status}): session ${sessionId}`));
  return { issue: number, result: await watch(client, { sessionId }, show()) };
}

/** Greets the definition's first agent, and shows its run. */
export async function greetFirst({ client, deployed }: Demo): Promise<RunResult> {
  const [first] = deployed.facts.agents;
  if (!first) throw new Error('The definition has no agents.');
  say(`\n${paint('bold', `A first message to the agent ${first.name}:`)} ${GREETING}`);
  const { sessionId } = await client.createSession({ agent: first.name, message: GREETING });
  return watch(client, { sessionId }, show());
}

/** The first message for an agent that is not known. */
export const GREETING = 'Hello';

/** The status of the webhook's answer; 0 for none. GitHub waits 10 seconds for an answer. */
async function delivery({ delivered }: Hook): Promise<number> {
  for (const end = Date.now() + 15_000; Date.now() < end; await pause(20)) {
    const status = await delivered();
    if (status !== undefined) return status;
  }
  return 0;
}
