import { type Amount, dimensions } from '../../shared/agent/budgets/amount.ts';
import { estimateTokens } from '../../shared/agent/context/estimate.ts';
import type { Delta, ModelRequest, Provider } from '../../shared/agent/ports/provider.ts';
import type { Failure, ModelOutcome, Reply } from '../../shared/agent/session/reply.ts';
import type { Block } from '../../shared/agent/session/slots.ts';
import type { Usage } from '../../shared/contract/session.ts';
import { replyOf } from '../../shared/models/shape/shape.ts';
import { assess, isAssessmentAsk, noteAssessment } from './assessments.ts';
import { holding } from './desk.ts';
import type { CallFailure } from './failures.ts';
import { blocksOf } from './invariants/blocks.ts';
import { add, booksOf, spendingChecks } from './invariants/budgets.ts';
import { controlChecks, isResumed, isTextOnly } from './invariants/controls.ts';
import { childAsks } from './invariants/family.ts';
import { windowChecks } from './invariants/folds.ts';
import { readPrefix } from './invariants/prefix.ts';
import { callChecks, pinnedText, promptChecks, runIdFor } from './invariants/prompts.ts';
import { isOver, runBudgetChecks } from './invariants/run-budgets.ts';
import { strictChecks } from './invariants/strict.ts';
import { isLate } from './invariants/wrap-up-below.ts';
import { type Claim, chargedDeaths, check, type SessionFacts } from './ledger.ts';
import type { Caller } from './network.ts';
import { oddIn, spareIn } from './odd.ts';
import { asEstimated } from './older.ts';
import { compose, failureBefore, isPoison, nothing, noUsage, retry } from './replies.ts';
import { noteServed, runBooks } from './served.ts';
import { noteRefused, observeAsking } from './signs.ts';
import { failureOfSummary, isSummaryAsk, noteSummary, SUMMARIZER, sumUp } from './summaries.ts';
import { limits } from './tools.ts';
import { inputOf, outputOf, refusedAsIs } from './window.ts';
import { isRepinned } from './workloads.ts';
import type { World } from './world.ts';

/** The model's server. It answers by chance, as the workload configures it, with every fault that such servers have. */
export function modelFor(caller: Caller, world: World): Provider {
  return {
    async complete(request, onDelta, signal) {
      const claim = world.ledger.claims.get(caller.id);
      if (!claim) throw new Error('the model is asked without a claim');
      // If the signal is already aborted, no request is made.
      if (signal.aborted) return notAsked(world, claim, request);
      observeAsking(world, caller);
      // The request of a shape is sent to no server.
      if (!request.work)
        check(world.ledger, strictChecks, {
          request,
          nth: world.requests++,
          mayPause: world.faults.profile.paused > 0,
        });
      childAsks(world, claim);
      const asked = observeAsked(world, claim, request);
      world.scheduler.trace.say(
        caller.id,
        'model asked',
        claim.key.sessionId,
        `slot ${claim.head.session.version}`,
      );
      world.nemesis.asked(claim, asked.summary);
      if (isPoison(world, request, 'model')) caller.host.kill();
      const sale = sell(world, caller, claim, request);
      const outcome = await answer(caller, claim, request, onDelta, signal, world, sale);
      claim.repliedAt = world.scheduler.events;
      // A request that is repeated without one of its parts has not failed.
      const refused =
        outcome.kind === 'failed' && outcome.failure.kind === 'fatal' ? outcome.failure : undefined;
      if (refused?.tool) world.ledger.facts(claim.key).spareRefused.add(claim.epoch);
      claim.failed =
        outcome.kind === 'reply' || refused?.malformed || refused?.tool || asked.assessment
          ? undefined
          : howOf(outcome.failure);
      claim.failedAt = world.scheduler.now;
      if (outcome.kind === 'failed' && !asked.assessment) noteRefused(world, caller, outcome.failure);
      claim.used = outcome.kind === 'failed' ? outcome.used?.usage : outcome.reply.usage;
      const facts = world.ledger.facts(claim.key);
      const { served, sent } = facts;
      if (asked.summary || asked.assessment) noteStop(facts, claim, signal);
      const estimate = () => estimateTokens(asEstimated(request));
      if (!asked.summary) claim.request = estimate;
      if (outcome.kind === 'reply') sent.set(claim.epoch, estimate);
      if (asked.assessment) {
        if (outcome.kind === 'reply') noteAssessment(facts, messageIdFor(claim), outcome.reply, asked.lost);
      } else if (outcome.kind === 'failed') runBooks(served, runIdFor(claim)).last = outcome.failure;
      else if (asked.summary)
        noteSummary(facts, runIdFor(claim), messageIdFor(claim), request, outcome.reply, asked.lost);
      else noteServed(served, runIdFor(claim), messageIdFor(claim), outcome.reply, asked);
      // The server of a model that only makes summaries is not the one that is asked next.
      const asksThisOne = outcome.kind === 'failed' && request.model !== SUMMARIZER && !asked.assessment;
      const wish = asksThisOne && outcome.failure.kind === 'retry' ? outcome.failure.retryAfterMs : 0;
      claim.waitUntil = world.scheduler.now + (wish ?? 0);
      const said = outcome.kind === 'failed' ? outcome.failure.code : outcome.reply.stop;
      world.scheduler.trace.say(caller.id, 'model', said);
      return outcome;
    },
  };
}

/** How a model is asked. */
interface Asking {
  readonly lost: number;
  readonly textOnly: boolean;
  readonly summary: boolean;
  readonly assessment: boolean;
  readonly pinned: string;
}

function observeAsked(
  { ledger, memory, scheduler, faults, workload }: World,
  claim: Claim,
  request: ModelRequest,
): Asking {
  const facts = ledger.facts(claim.key);
  check(ledger, callChecks, { facts, claim, limits });
  if (isAssessmentAsk(request)) {
    if (claim.epoch > facts.committedEpoch) facts.asked += 1;
    const lost = lostBy(claim, request);
    claim.lost = lost;
    return { lost, textOnly: false, summary: false, assessment: true, pinned: '' };
  }
  const summary = isSummaryAsk(request);
  const blocks = blocksOf(request.messages);
  const mayPause = faults.profile.paused > 0;
  const left = memory.table.slots.get(facts.pk)?.get(claim.head.session.version)?.slot;
  check(ledger, promptChecks, {
    left,
    facts,
    claim,
    request,
    blocks,
    begun: readPrefix(facts, claim, { model: request.model, summary }, blocks),
    events: scheduler.events,
    limits,
    mayPause,
    now: scheduler.now,
  });
  // An owner that thawed after another one committed asks in vain, for a step that is over.
  if (claim.epoch > facts.committedEpoch) facts.asked += 1;
  // If tools are listed again, the new list replaces what was not kept. Then the first committed reply counts.
  const held = holding(claim.head.session);
  if (!isRepinned(workload) && !summary && !facts.pinned.has(held))
    facts.pinned.set(held, pinnedText(request));
  const textOnly = mayOnlySpeak(facts, claim, request);
  const { runBudget: budget } = workload;
  const spent = budget !== undefined && isOver(budget, runBooks(facts.served, runIdFor(claim)));
  // An owner that has thawed knows nothing of what was taken up since.
  if (claim.epoch > facts.committedEpoch && !summary)
    check(ledger, controlChecks, {
      ...{ facts, claim, textOnly, spent, resumes: isResumed(request) },
      late: isLate(claim, workload.leaseMs, scheduler.now),
    });
  const { context } = workload;
  if (context && claim.epoch > facts.committedEpoch)
    check(ledger, windowChecks, { facts, claim, request, context, summary });
  if (budget && claim.epoch > facts.committedEpoch)
    check(ledger, runBudgetChecks, { facts, claim, budget, textOnly, summary });
  const lost = lostBy(claim, request);
  claim.lost = lost;
  return { lost, textOnly, summary, assessment: false, pinned: pinnedText(request) };
}

/** A cancel may also come after the reply, while its cost is settled. */
function noteStop(facts: SessionFacts, { epoch }: Claim, signal: AbortSignal): void {
  const note = () => {
    facts.stoppedSummary = Math.max(facts.stoppedSummary, epoch);
  };
  if (signal.aborted) note();
  else signal.addEventListener('abort', note, { once: true });
}

/** The tokens that dead attempts have sent in vain: about as many as this one sends. */
function lostBy(claim: Claim, request: ModelRequest): number {
  const died = chargedDeaths(claim);
  return died === 0 ? 0 : died * estimateTokens(asEstimated(request));
}

/** A paused turn continues as it began: in a summary, if that was the request. */
const mayOnlySpeak = ({ served }: SessionFacts, claim: Claim, request: ModelRequest): boolean =>
  isTextOnly(request) || (isResumed(request) && runBooks(served, runIdFor(claim)).kept?.textOnly === true);

/** Its reply is kept all the same, and is empty. */
function notAsked({ ledger }: World, claim: Claim, request: ModelRequest): ModelOutcome {
  const outcome = nothing({ model: 'sim', usage: noUsage }, 'interrupted');
  const lost = lostBy(claim, request);
  claim.lost = lost;
  const facts = ledger.facts(claim.key);
  if (isSummaryAsk(request) || isAssessmentAsk(request)) facts.stoppedSummary = claim.epoch;
  const { served } = facts;
  if (isAssessmentAsk(request)) {
    const outcome = nothing({ model: 'sim', usage: noUsage }, 'interrupted');
    noteAssessment(facts, messageIdFor(claim), outcome.reply, lost);
    return outcome;
  }
  const textOnly = mayOnlySpeak(facts, claim, request);
  const asked = { lost, textOnly, pinned: pinnedText(request) };
  noteServed(served, runIdFor(claim), messageIdFor(claim), outcome.reply, asked);
  return outcome;
}

/** The id of the message that a claim's reply gets (`model-call.ts`). */
const messageIdFor = (claim: Claim): string =>
  `${runIdFor(claim)}-${claim.head.session.version}-${claim.epoch}`;

/** A model call as its server bills it. */
interface Sale {
  /** Records the result at its end. Until then it counts with its maximum. */
  ends(usage: Usage, steps: number): void;
}

/** Records the start of a model call, and checks everything sold to its tenant against the limits. */
function sell({ ledger, workload }: World, { id }: Caller, claim: Claim, request: ModelRequest): Sale {
  const limits = workload.tenantLimits;
  if (dimensions.every((d) => limits[d] === 0)) return { ends: () => {} };
  const used = ledger.reserved.get(id);
  ledger.reserved.delete(id);
  const books = used && booksOf(ledger, used.day);
  const most = priced(estimateTokens(request), request.maxTokens, 1);
  if (books) add(books.bought, most);
  check(ledger, spendingChecks, { books, day: used?.day ?? { tenant: claim.key.tenant, day: '' }, limits });
  return {
    ends({ input, output }, steps) {
      if (!books) return;
      add(books.bought, most, -1);
      add(books.bought, priced(input, output, steps));
    },
  };
}

/** At the prices of the simulated agent (`tools.ts`): $1 and $5 per million tokens. */
const priced = (input: number, output: number, steps: number): Amount => ({
  tokens: input + output,
  microUsd: input + 5 * output,
  steps,
});

async function answer(
  { host }: Caller,
  claim: Claim,
  request: ModelRequest,
  onDelta: (delta: Delta) => void,
  signal: AbortSignal,
  world: World,
  sale: Sale,
): Promise<ModelOutcome> {
  const { faults, scheduler, workload, ledger } = world;
  const { random } = scheduler;
  const pause = (ms: number) => host.clock.sleep(ms, signal);
  const messageId = `${claim.pk}#${messageIdFor(claim)}`;
  const { context } = workload;
  const input = context ? inputOf(request, context) : random.between(10, 90);
  const shaped = request.work && replyOf(request, () => {});
  const usage = shaped ? noUsage : { input, output: 20, cacheRead: 0, cacheWrite: 0 };
  const base = { model: 'sim', usage };
  const bought = `p${++world.purchases}`;

  await pause(random.between(20, 500));
  if (signal.aborted) return nothing(base, 'interrupted');
  // A shape has no server that could fail.
  const refused =
    (shaped ? undefined : failureBefore(world)) ??
    oddIn(world, request, `${claim.pk}#${runIdFor(claim)}`) ??
    spareIn(world, request) ??
    (isSummaryAsk(request) ? failureOfSummary(world) : undefined) ??
    (context && refusedAsIs(request, context));
  if (refused) {
    sale.ends(noUsage, 0);
    return { kind: 'failed', failure: refused };
  }

  if (shaped?.kind === 'failed') {
    sale.ends(noUsage, 0);
    return shaped;
  }
  const says = isSummaryAsk(request) ? sumUp : compose;
  const composed = shaped
    ? shaped.reply
    : isAssessmentAsk(request)
      ? assess(world, base)
      : says(world, claim, request, bought, base);
  const reply = measured(composed, world);
  const told: Block[] = [];
  for (const block of reply.content) {
    if (block.type !== 'text' && block.type !== 'thinking') {
      told.push(block);
      continue;
    }
    const whole = String(block.text ?? block.thinking);
    let said = '';
    for (const piece of pieces(whole, workload.pieces)) {
      await pause(random.between(0, workload.pieceMs));
      if (signal.aborted) break;
      said += piece;
      if (block.type === 'text') ledger.spoken.set(messageId, (ledger.spoken.get(messageId) ?? '') + piece);
      onDelta({ kind: block.type === 'text' ? 'text' : 'thinking', text: piece });
      if (!shaped && faults.strikes('brokenStream')) {
        // Some report the input at the start, some report everything at the end.
        const used = random.chance(0.5) && { used: { usage: { ...base.usage, output: said.length } } };
        return { kind: 'failed', failure: retry('broken_stream'), ...used };
      }
      if (!shaped && faults.strikes('stalled')) {
        // Until it is stopped, by an abort or by the watchdog of the adapter.
        await pause(random.pick([60_000, 600_000]));
        if (!signal.aborted) return { kind: 'failed', failure: retry('stalled_stream') };
      }
    }
    // Truncated text is kept; a truncated thought has no signature and is not.
    if (said === whole || (block.type === 'text' && said !== ''))
      told.push(block.type === 'text' ? { ...block, text: said } : block);
    if (signal.aborted)
      return {
        kind: 'reply',
        reply: measured({ ...base, stop: 'interrupted', content: told, calls: [] }, world),
      };
  }
  sale.ends(reply.usage, 1);
  return { kind: 'reply', reply };
}

/**
 * A reply with its output tokens counted if windows are simulated. A reply that does not fit into its window is
 * truncated.
 */
function measured(reply: Reply, { workload: { context } }: World): Reply {
  if (!context) return reply;
  const output = outputOf(reply.content, context);
  const { input } = reply.usage;
  const usage = { ...reply.usage, output };
  if (input + output <= context.window || reply.stop === 'interrupted') return { ...reply, usage };
  return { ...reply, usage, stop: 'context_limit', calls: [], content: [{ type: 'text', text: 'It is' }] };
}

const howOf = (failure: Failure): CallFailure => {
  if (failure.kind !== 'retry') return 'for_good';
  return failure.rateLimited ? 'rate_limit' : 'outage';
};

function pieces(text: string, most: number): string[] {
  const size = Math.ceil(text.length / most);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}
