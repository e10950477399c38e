import type { AgUiEvent, Decided } from '../../../contract/events.ts';
import { judge } from '../../guardrails/judge.ts';
import { own } from '../../plain/merge.ts';
import { isPlanning } from '../../session/proposals.ts';
import { callsOf } from '../../session/reply.ts';
import { runOf } from '../../session/session.ts';
import type { ToolCall } from '../../session/slots.ts';
import { heardFrom, speakersIn } from '../../session/speakers.ts';
import { endsWith, type Wait } from '../../session/waits.ts';
import type { Draft } from '../draft.ts';
import { preflightOf } from '../model/preflight.ts';
import { batchReplyOf } from '../open/recovered.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { Step } from '../open/step-context.ts';
import { cameFor } from '../open/waiting.ts';
import { advance, planUnder } from './advance.ts';
import { decidedCall, tellDecided } from './decided-calls.ts';
import { withGrants } from './denied.ts';
import { factsOf } from './facts.ts';
import { grantsGiven, refusedSince } from './permission.ts';
import { readChildren } from './read-children.ts';
import { readProposals } from './read-proposals.ts';
import { batchOf } from './run-batch.ts';

/**
 * Goes on with an open batch. Every call gets its result from what was decided, run or stored, or it waits on in the queue after
 * people have approved it. A run that is to end starts nothing more.
 */
export async function closeBatch(opened: Step, abandon: boolean): Promise<Draft> {
  const step = withSpeakers(opened);
  const { loaded, session, guards } = step;
  const { batch } = session;
  const reply = batchReplyOf(session, loaded.slots);
  if (!batch || !reply) throw new Error(`session ${loaded.key.sessionId}: its open batch has no reply`);

  const asked = guards.filter(({ urgent }) => urgent);
  const admitted = judge(asked, 'preflight', session, preflightOf(step, abandon));
  const halt = admitted.verdict?.kind === 'halt' ? admitted.verdict : undefined;
  const ends = halt !== undefined;
  const calls = callsOf(reply);
  const of = batchOf({ n: batch.slot }, runOf(session).id, reply, isPlanning(session));
  const facts = await factsOf(step, batch, calls, ends);
  const refused = await refusedSince(step, batch, calls, of.proposes);
  const { changes } = reply;
  const proposals = changes && (await readProposals());
  const changeOf =
    proposals &&
    ((call: ToolCall, at: number) => proposals.decidedChange(step, batch, changes[at], call, at, ends));
  const decided = { step, batch, facts, ends, proposes: of.proposes, refused, changeOf };
  const heard = halt
    ? admitted.session
    : withGrants(
        calls.reduce((to, call) => tellDecided(step, batch, call, to), admitted.session),
        await grantsGiven(step, batch, calls),
      );
  const planned = {
    session: heard,
    spoken: [],
    calls: calls.map((call, at) => decidedCall(decided, call, at)),
  };
  const plan = await planUnder(step, batch.slot, planned, halt);

  const { tools: recovered } = step.recovered;
  if (step.isRetry) tellSnapshot(step, recovered ? [recovered] : [], []);
  const stillWaits = ({ callId }: Wait) => facts.results.get(callId)?.awaits !== undefined;
  for (const event of batch.waits.flatMap((wait) =>
    stillWaits(wait) ? [] : toDecided(step, wait, ends, facts.answered),
  ))
    step.stream.emit(event);
  const { asks = [] } = batch;
  if (asks.length > 0)
    for (const event of await (await readChildren()).decidedOf(
      loaded.key,
      asks,
      step.io.clock.now(),
      step.io,
    ))
      step.stream.emit(event);
  return advance(step, plan, {
    ...{ of, halt, spoken: admitted.spoken, incorporated: [], events: [] },
    slotKept: Promise.resolve(),
    note: proposals?.noteOf(batch, loaded),
  });
}

/** The step with the people who speak through the decisions on its batch among the speakers of its run. */
function withSpeakers(step: Step): Step {
  const { batch } = step.session;
  const speakers = batch ? speakersIn(batch, step.loaded.view.fence.decisions) : [];
  return speakers.length > 0 ? { ...step, session: heardFrom(step.session, speakers) } : step;
}

/** Tells clients who decided what. */
function toDecided(
  { loaded, io }: Pick<Step, 'io' | 'loaded'>,
  wait: Wait,
  ends: boolean,
  answeredOutside: readonly string[],
): AgUiEvent[] {
  if (wait.kind === 'call') return [];
  const decision = own(loaded.view.fence.decisions, wait.id);
  const value: Decided = {
    id: wait.id,
    toolCallId: wait.callId,
    outcome: answeredOutside.includes(wait.callId)
      ? 'answered'
      : outcomeOf(wait, decision, loaded, ends || isLost(wait, io.clock.now())),
    ...(decision && { by: decision.by }),
    ...(decision?.changes && { changes: [...decision.changes] }),
  };
  return [{ type: 'CUSTOM', name: 'steploop.decided', value }];
}

/** Whether a call of a race has no answer because another one had it first: its time is not over. */
const isLost = ({ races, expiresAt }: Wait, now: number): boolean => races === true && expiresAt > now;

function outcomeOf(
  wait: Wait,
  decision: { approved: boolean } | undefined,
  loaded: Step['loaded'],
  ends: boolean,
): Decided['outcome'] {
  if (decision) return decision.approved ? (wait.kind === 'question' ? 'answered' : 'approved') : 'denied';
  if (ends) return 'cancelled';
  const ended = endsWith(wait);
  return ended && cameFor(loaded)[ended] ? 'answered' : 'expired';
}
