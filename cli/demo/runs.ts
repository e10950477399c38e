/** The runs that an `npm start` shows: those that were cut off, and the one of a new issue. */

import { setTimeout as pause } from 'node:timers/promises';
import { paint } from '../../local/paint.ts';
import { say } from '../../local/say.ts';
import { terminal } from '../../local/terminal.ts';
import { watch } from '../../local/watch.ts';
import type { RunResult } from '../../shared/contract/events.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { Demo } from './site.ts';

const show = () =>
  terminal({ write: (text) => process.stdout.write(text), paint, width: process.stdout.columns ?? 120 });

/** How long runs that were cut off are watched. */
const finishWithin = 90_000;

/** Shows what goes on with the runs that were cut off, one after the other. */
export async function finishRuns({ client, unfinished }: Demo): Promise<void> {
  const signal = AbortSignal.timeout(finishWithin);
  for (const sessionId of unfinished) {
    const { run, state } = await client.session(sessionId);
    say(`\n${paint('bold', `Session ${sessionId} was cut off, and goes on.`)}`);
    if (!run) {
      say(`  It is ${state}.`);
      continue;
    }
    say(paint('dim', 'Its run so far, and from here. A step that was killed begins again.'));
    await watch(client, { sessionId, runId: run.id }, show(), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      say('  It is still not over, and goes on in the background.');
    });
  }
}

export interface Triaged {
  readonly issue: number;
  readonly result: RunResult;
}

/** A definition of one's own need not know GitHub: nothing has failed. */
export class NoWebhook extends Error {}

/** Opens an issue, whose webhook starts a run, and shows that run. Throws {@link NoWebhook} when nobody listens. */
export async function triageNewIssue({ github, hook, client }: Demo): Promise<Triaged> {
  const { number, title, user } = await github.openIssue();
  say(`\n${paint('bold', `${user} opened issue #${number} on the emulated GitHub:`)} ${title}`);
  const status = await delivery(hook);
  const sessionId = await sessionIdFor('hook', `github:${github.repo}#${number}`);
  if (status === 404)
    throw new NoWebhook('This definition takes no webhooks of GitHub: it has no webhooks.github');
  if (status < 200 || status > 299) throw new Error(`The webhook was answered with ${status || 'nothing'}`);
  say(paint('dim', `Its webhook was accepted (${status}): session ${sessionId}`));
  return { issue: number, result: await watch(client, { sessionId }, show()) };
}

/** What the webhook was answered with; 0 for nothing. GitHub waits 10 seconds for an answer. */
async function delivery({ delivered }: Demo['hook']): Promise<number> {
  for (const end = Date.now() + 15_000; Date.now() < end; await pause(20)) {
    const status = await delivered();
    if (status !== undefined) return status;
  }
  return 0;
}
