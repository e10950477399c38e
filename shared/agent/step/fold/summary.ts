import type { FoldReason } from '../../../contract/events.ts';
import type { Totals } from '../../../contract/session.ts';
import type { Plan } from '../../context/draft.ts';
import { estimateTokens } from '../../context/estimate.ts';
import { toMessages } from '../../context/messages.ts';
import { type Reading, readingOf } from '../../context/reading.ts';
import { sizeOf, windowOf } from '../../context/size.ts';
import { foldTexts } from '../../context/texts.ts';
import { defined } from '../../plain/defined.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { Delta, ModelRequest } from '../../ports/provider.ts';
import { billOf, totalsOf } from '../../session/cost.ts';
import type { Summary } from '../../session/fold.ts';
import { modelAt, type PinnedModel } from '../../session/pinned.ts';
import { type ModelOutcome, type Reply, textOf } from '../../session/reply.ts';
import { runOf } from '../../session/session.ts';
import { parsed } from '../model/admissible.ts';
import { complete } from '../model/complete.ts';
import { PATIENCE_MS } from '../model/failover.ts';
import { type Lost, lostAttempts, withUsed } from '../model/lost.ts';
import { type NoAnswer, type OverBudget, outOfTime, requestTo } from '../model/model-call.ts';
import { reserveFor, settleWith } from '../model/purchase.ts';
import { triesOf } from '../model/retry.ts';
import { internal } from '../model/told.ts';
import { askedIn } from '../model/turn.ts';
import type { SessionPart, Step } from '../open/step-context.ts';

/** A call that brought no summary. Its usage is part of `lost`. */
export interface Vain extends Lost {
  readonly durationMs: number;
  /** The usage that a server reported, with the name of its model. */
  readonly used?: { readonly model: string; readonly call: Totals };
  /** Ms for which the server of the run's own model asks for a pause. */
  readonly waitMs?: number;
}

/** The outcome of asking for a summary. */
export type Bought =
  | ({ readonly kind: 'summary'; readonly summary: Summary } & Lost)
  /** There is no summary, and another try is not worthwhile. */
  | ({ readonly kind: 'none' } & Vain)
  /** The run was cancelled meanwhile. */
  | Stopped
  /** Worth another try. */
  | NoAnswer
  | OverBudget;

export type Stopped = { readonly kind: 'stopped' } & Vain;

/** Time in ms between two reports of how far a summary has come. */
const TELL_MS = 1_000;

/**
 * Asks a model to summarize what the session's model is about to stop reading: the run's own model, which has read it, or the
 * definition's summarizer. The cost is reserved and settled as for any call. Its text is told as progress, never as a message.
 * Rejects if the session was lost meanwhile, or the budget cannot be reached. Undefined if no request for it fits the model.
 *
 * @param tokens estimate of the request as it is, for clients
 * @param plan how long the summary may be, and which part of the conversation it replaces
 */
export async function buySummary(
  step: SessionPart & Pick<Step, 'io' | 'lease' | 'stream'>,
  why: FoldReason,
  tokens: number,
  { fold: { start }, summaryChars: chars }: Plan,
): Promise<Bought | undefined> {
  const { loaded, session, stream, lease, io } = step;
  const model = loaded.pinned.summarizer ?? modelAt(loaded.pinned, runOf(session).fallback);
  const request = requestFor(step, model, chars, start);
  if (!request) return undefined;
  const lost = lostAttempts(step, request, model);
  const reserved = await reserveFor(step, request, model);
  if (reserved.kind === 'exceeded') return { kind: 'exceeded', over: reserved, ...lost };

  const startedAt = io.clock.now();
  let said = 0;
  let toldAt = startedAt;
  const hear = ({ kind, text }: Delta) => {
    if (kind === 'text') said += text.length;
    if (io.clock.now() - toldAt < TELL_MS) return;
    toldAt = io.clock.now();
    stream.emit({ type: 'CUSTOM', name: 'steploop.folding', value: { why, tokens, chars: said } });
  };
  const came = await complete(step, request, model, hear);
  if (lease.stopped() === 'lost') throw new Superseded();
  const failedAt = io.clock.now();
  const durationMs = failedAt - startedAt;
  await settleWith(step, reserved.reservation, came, said > 0, model);
  const late = came.kind === 'reply' && came.reply.stop === 'interrupted' && lease.stopped() === 'deadline';
  const outcome = late ? outOfTime(came.reply) : came;

  const paid = withUsed(outcome.kind === 'failed' ? outcome.used : outcome.reply, lost, model);
  const vain = {
    durationMs,
    ...defined({ lost: paid.lost }),
    ...(paid.used && { used: { model: model.model, call: paid.used } }),
  };
  if (lease.stopped() === 'cancelled') return { kind: 'stopped', ...vain };
  if (outcome.kind === 'failed') {
    return worthAnother(step, outcome)
      ? {
          kind: 'failed',
          ...(loaded.pinned.summarizer && { apart: model.model }),
          failure: outcome.failure,
          failedAt,
          durationMs,
          ...paid,
        }
      : { kind: 'none', ...vain, ...(!loaded.pinned.summarizer && waitAfter(outcome)) };
  }
  const { reply } = outcome;
  const text = summaryIn(step, reply);
  if (text === '' || text.length > chars || !isWhole(reply)) return { kind: 'none', ...vain };
  const messageId = `${runOf(session).id}-${session.version}-${loaded.view.fence.epoch}`;
  const { costUsd, estimated, notInPrice, ...usage } = totalsOf(
    reply,
    billOf(reply.usage, model.price, reply.billing),
  );
  return {
    kind: 'summary',
    summary: {
      text,
      messageId,
      model: reply.model,
      usage,
      costUsd,
      durationMs,
      ...defined({ estimated, notInPrice }),
    },
    ...lost,
  };
}

/**
 * The session's own request as it stands, whose prefix its server has cached, plus the question for a summary. If that does not
 * fit the model, the same question about only the part that leaves the context. Undefined if that does not fit either. Thinking
 * is never sent to a different model.
 */
function requestFor(
  step: SessionPart,
  model: PinnedModel,
  chars: number,
  start: number,
): ModelRequest | undefined {
  const { loaded, session, history } = step;
  const { summarizer } = loaded.pinned;
  const asked = { ...model, maxTokens: mostTokens(model, chars) };
  const ask = internal('sum_up', foldTexts.sumUp(chars));
  const reading = {
    ...readingOf(session, loaded.pinned),
    ...(summarizer && { withoutThinking: true as const }),
  };
  const over = (of: Reading) => requestTo(step, asked, toMessages(history, [ask], of));
  const most = windowOf(loaded.pinned, model.window) - asked.maxTokens;
  const whole = over(reading);
  // Without waiting events, which are not in it: a step that follows a dead worker asks the same.
  const counted = summarizer ? 0 : sizeOf({ ...askedIn(step), waiting: [] });
  if (Math.max(estimateTokens(whole), counted) <= most) return whole;
  const leaving = over({ ...reading, below: start });
  return estimateTokens(leaving) <= most ? leaving : undefined;
}

/** Output tokens of a summary: one for two characters is enough in most languages. A model that thinks first still needs its full limit. */
const mostTokens = ({ maxTokens, request }: PinnedModel, chars: number): number =>
  'thinking' in request ? maxTokens : Math.min(maxTokens, Math.ceil(chars / 2));

/**
 * A summary is tried as often as a step may fail, without the extra time for outages. After that, the run continues with a list
 * in place of the summary. If the account of the run's own model fails, the run could not continue either, so the failure is
 * reported. A separate summarizer is not waited for long.
 */
function worthAnother(
  { loaded, session }: Pick<Step, 'loaded' | 'session'>,
  { failure }: Extract<ModelOutcome, { kind: 'failed' }>,
): boolean {
  const { summarizer, limits } = loaded.pinned;
  if (failure.kind === 'account') return !summarizer;
  if (failure.kind !== 'retry' || triesOf(runOf(session)) + 1 >= limits.maxRetries) return false;
  return !summarizer || (failure.retryAfterMs ?? 0) <= PATIENCE_MS;
}

const waitAfter = ({ failure }: Extract<ModelOutcome, { kind: 'failed' }>): Pick<Vain, 'waitMs'> =>
  failure.kind === 'retry' && failure.retryAfterMs ? { waitMs: failure.retryAfterMs } : {};

const isWhole = ({ stop }: Reply): boolean =>
  stop === 'end_turn' || stop === 'tool_use' || stop === 'unknown';

/** The text of the model's reply, without thinking and calls. */
function summaryIn({ loaded }: Pick<Step, 'loaded'>, reply: Reply): string {
  return textOf(parsed(reply, loaded.pinned.guardrails.parsing, []).content).trim();
}
