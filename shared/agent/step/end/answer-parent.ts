/** Answers the call that a session works for. Loaded by the first child whose run ends in a process. */

import type { Frame, RunResult, WrapUpSummary } from '../../../contract/events.ts';
import type { SessionKey } from '../../../contract/session.ts';
import { hash } from '../../plain/hash.ts';
import type { Ports } from '../../ports/ports.ts';
import { answersTo } from '../../session/children.ts';
import type { ParentCall } from '../../session/parent.ts';
import { runOf, type Session } from '../../session/session.ts';
import type { ToolResult } from '../../session/slots.ts';
import { speakersOf } from '../../session/speakers.ts';
import { wakeFor } from '../../session/wake.ts';
import { isReported, report } from './report-to-parent.ts';
import { answerBefore, summaryText } from './summed-up.ts';
import { lastText, slotsOfRun, workDone } from './work-done.ts';

type Io = Pick<Ports, 'clock' | 'sessions' | 'later' | 'queue' | 'inbox' | 'listings'>;

/**
 * Gives a call its answer: how the run of its child has ended. It goes with the commit that ends the run, before its message is
 * acknowledged, so a redelivery repairs what a dead process has left out. The answer is settled first, and its wait is looked for
 * then; the step that opens the wait looks for the answer afterwards. The first of several answers stands.
 *
 * @param tail frames of the commit that has ended the run
 */
export async function answerParent(session: Session, tail: readonly Frame[], io: Io): Promise<void> {
  const parent = answersTo(session);
  if (!parent) return;
  const { tenant } = session.key;
  const key = { tenant, sessionId: parent.sessionId };
  if (parent.background && (await isReported(key, parent, io))) return;
  const result = await resultOf(session, parent, tail, io);
  const { stands } = await io.later.settle(key, parent.id, { result, digest: hash(result.content) });
  if (parent.background) return report(session, parent, stands, io);
  const view = await io.sessions.read(key);
  if (!view?.session.batch?.waits.some(({ id }) => id === parent.id)) return;
  if (view.fence.pending.includes(parent.id)) await io.later.resolve(key, parent.id, io.clock.now());
  // Deduplicate the effect, never the wake: the process that took it out before may have died right then.
  await io.queue.send(wakeFor(view.session));
}

/** Has the session of a call look at what its child asks people. */
export async function knock(
  { tenant }: SessionKey,
  { sessionId }: ParentCall,
  { clock, sessions, queue }: Pick<Io, 'clock' | 'sessions' | 'queue'>,
): Promise<void> {
  const parent = { tenant, sessionId };
  if ((await sessions.knock(parent, clock.now())) === 'knocked') await queue.send(parent);
}

async function resultOf(
  session: Session,
  { callId, name }: ParentCall,
  tail: readonly Frame[],
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<ToolResult> {
  const { key, lastEnding } = session;
  const run = runOf(session);
  const reads = readsOf(session);
  const child = {
    ...{ sessionId: key.sessionId, used: run.totals, speakers: speakersOf(run) },
    ...(reads.length > 0 && { reads }),
  };
  const ended = endedIn(tail);
  const of = { callId, name, durationMs: 0, child };
  if (ended?.object !== undefined)
    return { ...of, outcome: 'ok', content: JSON.stringify(ended.object).toWellFormed(), json: true };
  const { state, message } = lastEnding ?? { state: session.state, message: 'It has ended.' };
  const isDone = state === 'completed';
  const summary = ended?.summary ?? run.summary;
  if (summary && isDone)
    return { ...of, outcome: 'ok', content: await summedUp(session, name, summary, sessions) };
  const text =
    (summary && summaryText(summary)) || (ended?.answer?.text ?? (await lastText(session, sessions)));
  if (isDone) return { ...of, outcome: 'ok', content: text || said.wordless };
  const done = await workDone(session, sessions);
  return { ...of, outcome: 'error', content: said.ended(name, state, message, done, text) };
}

/**
 * The summary of a run that was asked to wrap up, for the model that gave the task. It is no failure: guards that count those
 * leave it alone, and the text says that work may be left. An answer that came just before the request is kept.
 */
async function summedUp(
  session: Session,
  name: string,
  summary: WrapUpSummary,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<string> {
  const before = answerBefore(await slotsOfRun(session, BEFORE_SUMMARY, sessions));
  return said.summedUp(name, summaryText(summary), before);
}

/** Slots from the end of a run in which the answer before its summary is looked for: a summary may have been cut and continued. */
const BEFORE_SUMMARY = 6;

/** Texts that the model of the parent reads. */
const said = {
  summedUp: (name: string, summary: string, answer: string | undefined): string =>
    `${name} was asked to wrap up before it had completed its task, so work may be left. ${
      summary ? `Its summary:\n\n${summary}` : 'It gave no summary.'
    }${answer === undefined ? '' : `\n\nWhat it had written before that:\n\n${answer}`}`,
  wordless: 'It has ended without words.',
  ended: (name: string, state: string, message: string, done: string, text: string): string =>
    `Error [${state}]: ${name} has not completed its task. ${message}${done}${text && ` The last that it said:\n${text}`}`,
};

/** The keys of its last reads, as its guard remembers them. */
const readsOf = ({ metadata }: Session): readonly string[] =>
  (metadata.guardrails.siblings as { readonly reads?: readonly string[] } | undefined)?.reads ?? [];

/** The result of the run as the commit that ended it tells it. */
const endedIn = (tail: readonly Frame[]): RunResult | undefined =>
  tail.flatMap(({ event }) =>
    event.type === 'CUSTOM' && event.name === 'steploop.ended' ? [event.value] : [],
  )[0];
