import { progressReport } from '../../context/progress-report.ts';
import { progressOf, withAssessment } from '../../guardrails/loops/progress.ts';
import { defined } from '../../plain/defined.ts';
import { own } from '../../plain/merge.ts';
import { objectsIn } from '../../plain/objects.ts';
import { withoutSecrets } from '../../plain/redact.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { ModelRequest } from '../../ports/provider.ts';
import { type Assessment, findings } from '../../session/assessment.ts';
import { charge } from '../../session/charge.ts';
import { billOf, totalsOf } from '../../session/cost.ts';
import { modelAt, type PinnedModel } from '../../session/pinned.ts';
import { type Reply, textOf } from '../../session/reply.ts';
import { runOf, type Session, withRun } from '../../session/session.ts';
import type { AssessmentSlot, ModelSlot } from '../../session/slots.ts';
import { storedTiming } from '../../session/timing.ts';
import { progressTexts } from '../../texts/progress.ts';
import type { Draft } from '../draft.ts';
import { toUsageEvent } from '../model/account.ts';
import { complete } from '../model/complete.ts';
import { lostAttempts, withUsed } from '../model/lost.ts';
import { reserveFor, settleWith } from '../model/purchase.ts';
import { keepSlots } from '../open/keep-slots.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { SessionPart, Step, WritingPart } from '../open/step-context.ts';
import { adoptedTiming } from '../open/timing.ts';

/** Output tokens of an assessment. A model that thinks first needs its full limit. */
const MAX_TOKENS = 300;
const MAX_WHY = 300;

/** An assessment, and what was charged in vain for it. */
interface Bought {
  readonly assessment: Assessment;
  readonly lost?: ModelSlot['lost'];
}

/**
 * A step that asks a model whether the run makes progress, and does nothing else: it drains no inbox event, keeps no guard verdict,
 * and does not count as a step of the run. A question that fails is not repeated; the next one is due as usual.
 */
export async function assess(step: Step): Promise<Draft> {
  if (step.isRetry) tellSnapshot(step, [], []);
  const { session, loaded } = step;
  const { assessment, lost } = await buy(step);
  const run = runOf(session);
  return keep(step, {
    kind: 'model',
    ...{ n: session.version, runId: run.id, step: run.steps + 1 },
    input: [],
    assessment,
    verdicts: [],
    ...defined({ lost }),
    at: storedTiming(loaded.timing),
    ...(session.workspace && { workspace: session.workspace }),
  });
}

/** The assessment that a dead owner stored: it is not bought again. */
export function adoptAssessment(
  step: WritingPart & Pick<Step, 'atCommit' | 'stream'>,
  slot: AssessmentSlot,
): Promise<Draft> {
  tellSnapshot(step, [], []);
  return keep(step, { ...slot, ...adoptedTiming(slot.at, step.loaded.timing) });
}

/** Stores an assessment and makes the new HEAD, which is a function of the session and the slot. */
async function keep(
  step: Pick<Step, 'io' | 'kept' | 'loaded' | 'session'>,
  slot: AssessmentSlot,
): Promise<Draft> {
  await keepSlots(step, [slot]);
  const { n, assessment, lost } = slot;
  const { finding, why, bought } = assessment;
  const call = bought && totalsOf(bought, bought);
  const paid = [lost, call].reduce<Session>((so, one) => (one ? charge(so, one) : so), step.session);
  const run = runOf(paid);
  const worked = withRun(paid, { activeMs: run.activeMs + (bought?.durationMs ?? 0) });
  const session = { ...withAssessment(worked, assessment), version: n + 1 };
  return {
    session,
    incorporated: [],
    spoken: [],
    events: [
      ...(bought && call ? [toUsageEvent(session, slot.step, bought.model, call)] : []),
      {
        ...{ type: 'CUSTOM', name: 'steploop.assessed' },
        value: {
          slot: n,
          finding,
          why,
          costUsd: bought?.costUsd ?? 0,
          ...(bought && { model: bought.model }),
        },
      },
    ],
    ending: { kind: 'leave' },
  };
}

/** Asks the judge. The cost is reserved and settled as for any call. Rejects if the session was lost meanwhile. */
async function buy(step: SessionPart & Pick<Step, 'io' | 'lease'>): Promise<Bought> {
  const { loaded, session, lease, io } = step;
  const model = loaded.pinned.judge ?? modelAt(loaded.pinned, runOf(session).fallback);
  const request = requestFor(step, model);
  const lost = lostAttempts(step, request, model);
  const reserved = await reserveFor(step, request, model);
  if (reserved.kind === 'exceeded') return { assessment: unclear, ...lost };
  const startedAt = io.clock.now();
  let spoke = false;
  const outcome = await complete(step, request, model, () => {
    spoke = true;
  });
  if (lease.stopped() === 'lost') throw new Superseded();
  const durationMs = io.clock.now() - startedAt;
  await settleWith(step, reserved.reservation, outcome, spoke, model);
  if (outcome.kind === 'failed') {
    const used = withUsed(outcome.used, lost, model);
    return { assessment: unclear, ...defined({ lost: used.lost }) };
  }
  const { reply } = outcome;
  const { costUsd, estimated, notInPrice, ...usage } = totalsOf(
    reply,
    billOf(reply.usage, model.price, reply.billing),
  );
  const bought = {
    messageId: `${runOf(session).id}-${session.version}-${loaded.view.fence.epoch}`,
    ...{ model: reply.model, usage, costUsd, durationMs },
    ...defined({ estimated, notInPrice }),
  };
  return { assessment: { ...findingIn(reply), bought }, ...lost };
}

const unclear: Assessment = { finding: 'unclear', why: '' };

/** The report alone, without the agent's instructions, tools and conversation: it is cheap, and nothing in it is an instruction. */
function requestFor({ loaded, session, history }: SessionPart, model: PinnedModel): ModelRequest {
  const { price: _price, window: _window, accepts: _accepts, serverTools: _tools, ...asked } = model;
  const { since, asked: goal } = progressOf(session);
  const report = progressReport(
    goal,
    history,
    runOf(session).id,
    since || loaded.pinned.guardrails.progress.every,
  );
  return {
    ...asked,
    maxTokens: 'thinking' in model.request ? model.maxTokens : Math.min(model.maxTokens, MAX_TOKENS),
    system: progressTexts.system,
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: progressTexts.ask(report) }] }],
  };
}

/** The last object of the reply that names a finding. A reply that was cut or refused says nothing. */
function findingIn({ stop, content }: Reply): Assessment {
  if (stop !== 'end_turn' && stop !== 'unknown') return unclear;
  const said = objectsIn(textOf(content)).findLast((object) => own(object, 'finding') !== undefined);
  const finding = findings.find((one) => one === said?.finding);
  const why = typeof said?.why === 'string' ? withoutSecrets(said.why).slice(0, MAX_WHY).toWellFormed() : '';
  return finding ? { finding, why } : unclear;
}
