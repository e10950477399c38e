import type { Wake } from '../../contract/queue.ts';
import { judge } from '../guardrails/judge.ts';
import { defined } from '../plain/defined.ts';
import { Superseded } from '../plain/superseded.ts';
import type { Ports, Settlement } from '../ports/ports.ts';
import type { Invocation } from '../ports/queue.ts';
import { callsOf } from '../session/reply.ts';
import { runOf, withRun } from '../session/session.ts';
import { races, waitsForChildren } from '../session/waits.ts';
import { assessIfDue, readAssessing } from './assess/assess-if-due.ts';
import type { AsksNow } from './batch/asks.ts';
import { readCalls } from './batch/read-calls.ts';
import { readChildren } from './batch/read-children.ts';
import { readProposals } from './batch/read-proposals.ts';
import type { Draft } from './draft.ts';
import { commit, goOnWaiting, release, settleUnclaimed, stopIfCancelled, tellParent } from './end/commit.ts';
import * as outcome from './end/outcomes.ts';
import { recover } from './end/recover.ts';
import { tellStart } from './end/tell-start.ts';
import * as unanswered from './end/unanswered.ts';
import { foldIfFull, readFolding } from './fold/fold-if-full.ts';
import { allowed, shrinksOf } from './fold/shrinks.ts';
import { account } from './model/account.ts';
import { drainWithFiles } from './model/input-files.ts';
import { withLearned } from './model/learned.ts';
import { listTools } from './model/list-tools.ts';
import { withMemoryIndex } from './model/memory-index.ts';
import { adoptReply, askModel } from './model/model-call.ts';
import { preflightOf } from './model/preflight.ts';
import { endAsDecided } from './model/respite.ts';
import { hasNothingToAsk, nothingNew } from './model/turn.ts';
import { isMoot } from './open/controls.ts';
import type { Loaded, Unclaimed } from './open/load.ts';
import { openStep } from './open/open-step.ts';
import type { StepOptions } from './open/options.ts';
import { readReminders } from './open/read-reminders.ts';
import { isAtRest } from './open/run.ts';
import type { Step, WritingPart } from './open/step-context.ts';
import { mustWait, openWaits, wrapUpAsked } from './open/waiting.ts';

/**
 * One queue message is one step of one run: one model call and its tools. Top to bottom, from its claim on (`run-step.ts`):
 *
 * claim ‖ load → preflight → list the tools, once → full? fold, and commit → assessment due? assess, and commit → drain the inbox → model call, streamed → account
 *   → judge the reply
 *   → tools? judge and run the batch | text? judge the completion → commit → enqueue → settle the message
 *
 * A batch that waited for people or for queued calls is closed by a step of its own, without a model call.
 *
 * The session's HEAD is the truth and the message only a hint, so duplicates, zombies and crashes at any point are
 * safe (docs/design.md, "The step protocol"). Rejects only if a service cannot be reached; the message then
 * comes back.
 */
export async function goOn(
  found: Loaded | Unclaimed,
  wake: Wake,
  invocation: Invocation,
  options: StepOptions,
  io: Ports,
): Promise<Settlement> {
  if (found.kind !== 'claimed') return settleUnclaimed(found, wake, io);
  // The owner that ended its last run may have died before it answered the call that this session works for.
  await tellParent(found.view.session, found.view.tail, io);
  await stopIfCancelled(found.view, io);
  if (nothingNew(found)) return release(found, io);
  const { answerers } = options.agentOf(found.view.session.agent)?.approvals ?? {};
  const now = io.clock.now();
  const woken = { ...found, ...defined({ answerers }) };
  const claimed =
    mustWait(woken, now) && wrapUpAsked(woken)
      ? await (await readChildren()).passOnWrapUp(woken, now, io)
      : woken;
  const waits = !options.abandon && mustWait(claimed, now) && !(await isWon(claimed, io));
  const isParent = waits && waitsForChildren(claimed.view.session);
  const below = isParent
    ? await (await readChildren()).asksNow(claimed, now, options.agentOf, io)
    : undefined;
  if (waits && !below && isAtRest(claimed.view.session)) return goOnWaiting(claimed, now, io);

  const step = await openStep(claimed, invocation, options, io);
  try {
    await tellStart(step);
    const draft = waits ? askPeople(step, now, below) : await draftOf(step, options.abandon ?? false);
    return await commit(step, draft);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    step.stream.abandon();
    return 'retry';
  } finally {
    await step.lease.close();
    await step.stream.close();
    await step.mentioned;
    await step.packing;
  }
}

/**
 * The batch was opened while an event arrived that settles nothing: a control, or a message that had already been incorporated.
 * People have not been asked yet; or sessions below this one ask them something else by now.
 */
function askPeople(
  { session, loaded }: Pick<Step, 'session' | 'loaded'>,
  now: number,
  below: AsksNow | undefined,
): Draft {
  const { batch } = session;
  const asks = below && batch ? { batch: { ...batch, since: now, asks: below.asks } } : {};
  return {
    session: { ...session, ...asks },
    incorporated: [],
    spoken: [],
    events: below?.events ?? [],
    ending: { kind: 'wait', still: { waits: openWaits(loaded, now), seen: loaded.view.fence.inbox } },
  };
}

/** Whether a good answer has ended a race, so that the waits which are left are not needed. */
const isWon = async (claimed: Loaded, io: Ports): Promise<boolean> =>
  races(claimed.view.session) && (await readChildren()).isWon(claimed, io);

/** Makes the step's draft. Everything but the model call and the tools is a pure function. */
async function draftOf(step: Step, abandon: boolean): Promise<Draft> {
  const draft = step.session.batch
    ? (await readCalls()).closeBatch(step, abandon)
    : makesCalls(step)
      ? (await readCalls()).makeCalls(step, abandon)
      : draftBeforeRecovery(withoutDue(step), abandon);
  return recover(step, endAsDecided(step, await withPlan(step, await draft)));
}

/** If the model is done and changes are proposed, people are asked about them first. */
const withPlan = async (
  step: WritingPart & Pick<Step, 'agent' | 'stream' | 'tools'>,
  draft: Draft,
): Promise<Draft> =>
  draft.ending.kind === 'complete' && draft.session.proposed
    ? (await readProposals()).putToPeople(step, draft)
    : draft;

/** Whether the step makes a call that is due, and asks no model. False if a message or a control of this run has arrived since. */
const makesCalls = ({
  session,
  recovered,
  loaded,
}: Pick<Step, 'session' | 'recovered' | 'loaded'>): boolean => {
  const { due, id } = runOf(session);
  if (!due) return false;
  return recovered.model
    ? recovered.model.made !== undefined
    : loaded.inbox.every((event) => isMoot(event, id));
};

const withoutDue = (step: Step): Step =>
  runOf(step.session).due ? { ...step, session: withRun(step.session, { due: undefined }) } : step;

/** As {@link draftOf}, before recovery may consume a halt. */
async function draftBeforeRecovery(opened: Step, abandon: boolean): Promise<Draft> {
  const { session, guards, recovered } = opened;
  if (recovered.fold) return (await readFolding()).adoptFold(opened, recovered.fold);
  if (recovered.assessment) return (await readAssessing()).adoptAssessment(opened, recovered.assessment);
  await readReminders(opened.loaded.pinned.guardrails.injections);
  const context = await shrinksOf(opened);
  const asked = judge(guards, 'preflight', session, { ...preflightOf(opened, abandon), ...context });
  const halt = asked.verdict?.kind === 'halt' ? asked.verdict : undefined;
  const kept = adoptReply(opened);
  if (halt && !kept) return unanswered.refused(opened, asked, halt);
  const raised = kept ? undefined : allowed(opened, asked);
  if (raised) return raised;

  const { step, admitted, unlisted } = await listTools(opened, asked);
  const fold = kept || unlisted ? undefined : await foldIfFull(step, admitted);
  if (fold) return fold;
  const assessed = kept || unlisted ? undefined : await assessIfDue(step, admitted);
  if (assessed) return assessed;
  const drained = await withMemoryIndex(step, await drainWithFiles(step, admitted));
  if (!kept && hasNothingToAsk(step, drained)) return unanswered.nothingToAsk(step, drained);
  const answer = kept ?? unlisted ?? (await askModel(step, drained));
  if (answer.kind === 'exceeded') return unanswered.overBudget(step, drained, answer);
  const turn = withLearned(step, drained, answer.learned);
  if (answer.kind === 'failed') return unanswered.failed(step, turn, answer);

  const accounted = account(step, turn, answer);
  if (answer.reply.stop === 'interrupted') return outcome.cut(step, accounted, halt);
  const judged = judge(guards, 'reply', accounted.session, { reply: answer.reply, ...context });
  const { verdict } = judged;
  // A stored reply means that its calls may have started, so each gets a result, whatever guards decide now.
  const begun = kept?.recovered !== undefined && callsOf(kept.recovered).length > 0;
  if (verdict?.kind === 'halt' && !begun) return outcome.halted(step, accounted, judged, verdict);
  if (verdict?.kind === 'skip_calls' && !begun) return outcome.skipped(step, accounted, judged);

  const ends = halt ?? (verdict?.kind === 'halt' ? verdict : undefined);
  return answer.reply.calls.length > 0
    ? (await readCalls()).runReply(step, accounted, judged, ends)
    : outcome.answered(step, accounted, judged, halt);
}
