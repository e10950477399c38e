import type { Totals } from '../../../contract/session.ts';
import type { Exceeded } from '../../budgets/reservation.ts';
import { SHAPE } from '../../config/shape.ts';
import { editingOf } from '../../context/editing.ts';
import { readingOf } from '../../context/reading.ts';
import { requestMessages } from '../../context/request.ts';
import { shapeWork } from '../../context/shape-work.ts';
import { defined } from '../../plain/defined.ts';
import { memoize } from '../../plain/memoize.ts';
import { Superseded } from '../../plain/superseded.ts';
import { wellFormed } from '../../plain/well-formed.ts';
import type { Delta, Message, ModelRequest } from '../../ports/provider.ts';
import { modelAt, type Pinned, type PinnedModel } from '../../session/pinned.ts';
import {
  callsOf,
  type Failure,
  type ModelOutcome,
  type Reply,
  type Used,
  withoutCalls,
} from '../../session/reply.ts';
import { knownOf } from '../../session/server-rules.ts';
import { runOf } from '../../session/session.ts';
import type { ModelSlot, StoredReply } from '../../session/slots.ts';
import { type StoredTiming, storedTiming } from '../../session/timing.ts';
import { toolsSent } from '../../session/tools-sent.ts';
import type { TextOnly } from '../../session/verdict.ts';
import { readCalls } from '../../tools/read-calls.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { adoptedTiming } from '../open/timing.ts';
import { admissible, parsed } from './admissible.ts';
import { complete } from './complete.ts';
import { lostAttempts, withUsed } from './lost.ts';
import { reserveFor, settleWith } from './purchase.ts';
import type { Turn } from './turn.ts';
import { openVoice } from './voice.ts';

/** A reply that may enter history, from the model or from a dead owner's slot. */
export interface Answered {
  readonly kind: 'reply';
  readonly reply: Reply;
  readonly messageId: string;
  /** Time of the call in ms. */
  readonly durationMs: number;
  /** The number of the fallback that answered, from 1; absent if the run's own model did. */
  readonly fallback?: number;
  readonly lost?: ModelSlot['lost'];
  /** See `ModelOutcome`. */
  readonly learned?: ModelOutcome['learned'];
  /** When it was bought. */
  readonly at?: StoredTiming;
  /** The reply exactly as the dead owner stored it: its price is not computed again. */
  readonly recovered?: StoredReply;
}

export interface NoAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The model was not asked, because a source of tools could not be listed. */
  readonly unlisted?: true;
  /** The name of the model that was asked for a summary, if it is not the run's. */
  readonly apart?: string;
  /** Epoch ms. */
  readonly failedAt: number;
  readonly durationMs: number;
  /** The usage of the call, as its server reports it: it is part of `lost`. */
  readonly used?: Totals;
  readonly lost?: ModelSlot['lost'];
  /** See `ModelOutcome`. */
  readonly learned?: ModelOutcome['learned'];
}

/** The model was not asked, because the tenant's daily budget does not cover the call. */
export interface OverBudget {
  readonly kind: 'exceeded';
  readonly over: Exceeded;
  readonly lost?: ModelSlot['lost'];
}

/** The reply that an earlier owner bought and stored before it died, if there is one: it is not bought twice. */
export function adoptReply({ recovered, loaded }: Pick<Step, 'recovered' | 'loaded'>): Answered | undefined {
  const stored = recovered.model?.reply;
  if (!stored) return undefined;
  const { model, stop, usage, messageId, fallback, reasoning, cutCalls, callsComplete, malformed } = stored;
  const content = stored.asReceived ?? stored.content;
  const { estimated, read, aside, contextTokens } = stored;
  const calls = callsOf({ content, read });
  const billing = aside && { aside };
  const more = { reasoning, cutCalls, callsComplete, malformed, estimated, billing, contextTokens };
  return {
    kind: 'reply',
    reply: admissible({ model, stop, content, calls, ...defined({ read }), usage, ...more }),
    messageId,
    durationMs: stored.durationMs ?? 0,
    ...defined({ fallback }),
    lost: recovered.model?.lost,
    ...adoptedTiming(recovered.model?.at, loaded.timing),
    recovered: stored,
  };
}

/**
 * Asks the model and streams its reply. The maximum cost is reserved from the tenant's budget first. Rejects if the session was
 * lost meanwhile, or the budget cannot be reached.
 */
export async function askModel(
  step: SessionPart & Pick<Step, 'io' | 'lease' | 'stream' | 'times'>,
  turn: Turn,
): Promise<Answered | NoAnswer | OverBudget> {
  const { stream, lease, io, loaded, times } = step;
  const model = modelAt(loaded.pinned, runOf(step.session).fallback);
  const request = toRequest(step, turn);
  const messageId = `${runOf(step.session).id}-${step.session.version}-${loaded.view.fence.epoch}`;
  const { parsing, truncation } = loaded.pinned.guardrails;
  const lost = lostAttempts(step, request, model);
  const reserved = await reserveFor(step, request, model);
  if (reserved.kind === 'exceeded') return { kind: 'exceeded', over: reserved, ...lost };

  const voice = openVoice(messageId, stream, parsing);
  let firstTokenMs: number | undefined;
  const startedAt = io.clock.now();
  times.askedAt = startedAt;
  const hear = (delta: Delta) => {
    firstTokenMs ??= io.clock.now() - startedAt;
    times.firstAt = startedAt + firstTokenMs;
    voice.say(delta);
  };
  const outcome = await complete(step, request, model, hear);
  if (lease.stopped() === 'lost') throw new Superseded();
  const endedAt = io.clock.now();
  const durationMs = endedAt - startedAt;
  const spoke = firstTokenMs !== undefined;
  await settleWith(step, reserved.reservation, outcome, spoke, model);
  const settled = keptAtDeadline(outcome, lease.stopped());
  const learned = outcome.learned && { learned: outcome.learned };
  if (settled.kind === 'failed') {
    voice.takeBack(settled.failure.code);
    const { failure } = settled;
    const used = withUsed(settled.used, lost, model);
    return { kind: 'failed', failure, failedAt: endedAt, durationMs, ...learned, ...used };
  }
  const salvaged =
    truncation.toolCalls === 'discard' ? { ...settled.reply, callsComplete: false } : settled.reply;
  const whole = admissible(parsed(salvaged, parsing, namesOf(step)));
  const kept = turn.textOnly ? withoutCalls(whole) : whole;
  // JSON texts among the arguments have been parsed by now.
  const reply = wellFormed(readCalls(kept, loaded.pinned));
  if (reply.stop === 'refusal') voice.takeBack('the model refused');
  else voice.end();
  const { fallback } = runOf(step.session);
  return {
    kind: 'reply',
    reply,
    messageId: voice.messageId(),
    ...defined({ fallback }),
    durationMs,
    ...lost,
    ...learned,
    at: storedTiming({
      ...loaded.timing,
      askedMs: startedAt - loaded.timing.startedAt,
      ...defined({ firstTokenMs }),
    }),
  };
}

const namesOf = ({ loaded }: Pick<Step, 'loaded'>): string[] => loaded.pinned.tools.map(({ name }) => name);

function toRequest(step: SessionPart, { input, textOnly }: Pick<Turn, 'input' | 'textOnly'>): ModelRequest {
  const { session, history, loaded } = step;
  const reading = readingOf(session, loaded.pinned);
  const messages = requestMessages(history, input, reading, loaded.pinned.tools.length > 0);
  const editing = editingOf(loaded.pinned, reading.fallback);
  const { answer } = loaded.pinned;
  const model = modelAt(loaded.pinned, reading.fallback);
  return {
    ...requestTo(step, model, messages),
    ...(model.provider === SHAPE && { work: shapeWork(history, input, session, textOnly !== undefined) }),
    ...defined({ editing }),
    ...(answer && !sumsUp(textOnly) && { answer }),
  };
}

/** Whether a step asks for the summary of a run, which is an object of its own, and not for its answer. */
export const sumsUp = (textOnly: TextOnly | undefined): boolean => textOnly?.code === 'wrap_up';

/** A request to a model of the definition, under its prompt. */
export function requestTo(
  { loaded, session }: Pick<Step, 'loaded' | 'session'>,
  { price: _price, window: _window, accepts: _accepts, ...asked }: PinnedModel,
  messages: readonly Message[],
): ModelRequest {
  const serverRules = knownOf(session.serverRules, asked);
  return { ...asked, ...defined({ serverRules }), ...promptOf(loaded.pinned), messages };
}

const promptOf = memoize(
  (pinned: Pinned): Pick<ModelRequest, 'system' | 'tools'> =>
    wellFormed({ system: pinned.system, tools: toolsSent(pinned) }),
);

/** A call that we cut at the deadline is a reply, if any part of it is whole (docs/design.md, step 3). */
function keptAtDeadline(outcome: ModelOutcome, stopped: string | undefined): ModelOutcome {
  if (outcome.kind === 'failed' || outcome.reply.stop !== 'interrupted' || stopped !== 'deadline')
    return outcome;
  if (admissible(outcome.reply).content.length > 0)
    return { kind: 'reply', reply: { ...outcome.reply, stop: 'deadline' } };
  return outOfTime(outcome.reply);
}

/** A call that our own deadline has ended, and of which nothing can be used. */
export function outOfTime({ usage, estimated }: Used): Extract<ModelOutcome, { kind: 'failed' }> {
  const message = 'the model had said nothing whole when the time of this invocation ran out';
  const failure = { kind: 'retry', code: 'deadline', message, rateLimited: false, ourTime: true } as const;
  return { kind: 'failed', failure, used: { usage, ...defined({ estimated }) } };
}

/** The probable cost of dead attempts, for a step that asks no model itself because its run ends. */
export const lostWithout = (step: SessionPart, input: Turn['input']): Pick<Answered, 'lost'> =>
  lostAttempts(step, toRequest(step, { input }), modelAt(step.loaded.pinned, runOf(step.session).fallback));
