import { subtractUsd } from '../../contract/money.ts';
import {
  type CallInfo,
  MAX_STEP_TEXT,
  type StepDetails,
  type StepInfo,
  type StepTimes,
} from '../../contract/steps.ts';
import { defined } from '../plain/defined.ts';
import { own } from '../plain/merge.ts';
import { promptOf, ratesOf } from '../session/cost.ts';
import { withoutGiven } from '../session/given.ts';
import { callingOf } from '../session/made.ts';
import { modelAt, type NamesModels, type Pinned } from '../session/pinned.ts';
import { callsOf, contentAsRead, isThinking, textOf } from '../session/reply.ts';
import {
  type Block,
  isAssessment,
  isFold,
  type ModelSlot,
  type Slot,
  type ToolsSlot,
} from '../session/slots.ts';
import { type BatchTiming, batchTimingIn, type Timing, timingIn } from '../session/timing.ts';
import { toInfo } from './snapshot.ts';
import { seqBefore } from './stream.ts';

/** The slots of one step. */
export interface StepSlots {
  readonly asked: ModelSlot;
  /** The results of its calls; absent while there are none, or if it has no calls. */
  readonly ran?: ToolsSlot;
  /** Timing that the next step recorded about this one. */
  readonly after?: Pick<Timing, 'commitMs' | 'infraUsd'>;
}

/**
 * Groups slots by the steps that wrote them. Results whose reply is not among the slots are left out.
 *
 * @param end timing of the last step, if no other comes after it
 */
export function stepsIn(slots: readonly Slot[], end?: StepSlots['after']): StepSlots[] {
  return slots.flatMap((asked, i) => {
    if (asked.kind !== 'model') return [];
    const next = slots[i + 1];
    const ran = next?.kind === 'tools' && next.replyTo === callingOf(asked)?.messageId ? next : undefined;
    const later = slots[i + (ran ? 2 : 1)];
    const after = later ? timingOf(later) : end;
    return [{ asked, ...defined({ ran, after }) }];
  });
}

const timingOf = ({ kind, at }: Slot): Timing | undefined =>
  kind === 'model' && at !== undefined ? timingIn(at) : undefined;

/** A summary of a step. */
export function toStepInfo(of: StepSlots): StepInfo {
  const { asked, ran, after } = of;
  const { n, runId, step, reply, made, lost, verdicts } = asked;
  const at = timingOf(asked);
  const batch = ran?.at === undefined ? undefined : batchTimingIn(ran.at);
  const closing = ran?.by === undefined ? undefined : timingIn(ran.by);
  const fold = isFold(asked) ? asked.fold : undefined;
  const assessment = isAssessment(asked) ? asked.assessment : undefined;
  const bought = boughtIn(asked);
  const calling = callingOf(asked);
  const said = textOf(calling?.content ?? []);
  return {
    ...{ runId, step, slots: ran ? [n, ran.n] : [n], kind: kindOf(asked) },
    ...(made && { made: made.by }),
    ...(at && { startedAt: isoOf(at.startedAt) }),
    ...(batch && { toolsAt: isoOf(batch.startedAt) }),
    ...(at && { attempt: Math.max(at.attempt ?? 1, closing?.attempt ?? 1) }),
    ...defined({ retries: at?.retries }),
    ...(at && after?.infraUsd !== undefined && { infraUsd: subtractUsd(after.infraUsd, at.infraUsd ?? 0) }),
    ...(bought && { model: bought.model, usage: bought.usage, costUsd: bought.costUsd }),
    ...(reply && { stop: reply.stop }),
    ...(bought?.estimated && { estimated: true }),
    ...(bought?.notInPrice && { notInPrice: [...bought.notInPrice] }),
    ...(reply?.imported && { imported: true }),
    ...defined({ lost }),
    times: timesOf({ at, closing, batch, ran, after, modelMs: bought?.durationMs }),
    verdicts: [...verdicts, ...(ran?.verdicts ?? [])].map((spoken) => ({ ...spoken })),
    ...(assessment && { finding: assessment.finding, why: assessment.why }),
    ...(fold && { fold: { why: fold.why, tokens: fold.tokens, left: fold.left, start: fold.start } }),
    calls: callsOf(calling).map(({ id, name }) => toCallInfo(id, name, asked, ran)),
    text: said.length > MAX_STEP_TEXT ? `${said.slice(0, MAX_STEP_TEXT).toWellFormed()}…` : said,
  };
}

function kindOf({ fold, assessment, made }: ModelSlot): StepInfo['kind'] {
  if (fold) return 'fold';
  if (assessment) return 'assessment';
  return made ? 'made' : 'model';
}

/** The model call of a step; undefined if it has bought nothing. */
const boughtIn = ({ reply, fold, assessment }: ModelSlot) => reply ?? fold?.summary ?? assessment?.bought;

const isoOf = (at: number): string => new Date(at).toISOString();

/** The known times of a step. */
interface Known extends Pick<StepSlots, 'ran' | 'after'> {
  readonly at: Timing | undefined;
  /** The timing of the step that ran its calls, if that was another one. */
  readonly closing: Timing | undefined;
  readonly batch: BatchTiming | undefined;
  readonly modelMs: number | undefined;
}

function timesOf({ at, closing, batch, ran, after, modelMs }: Known): StepTimes {
  const askedMs = at?.askedMs ?? at?.claimMs ?? 0;
  const repliedAt = (at?.startedAt ?? 0) + askedMs + (modelMs ?? 0);
  return {
    ...defined({ queueMs: at?.queueMs }),
    ...(at && { claimMs: at.claimMs }),
    ...(at?.askedMs !== undefined && { prepareMs: Math.max(0, at.askedMs - at.claimMs) }),
    ...defined({ modelMs, firstTokenMs: at?.firstTokenMs }),
    ...(at && closing && { waitMs: Math.max(0, closing.startedAt - (closing.queueMs ?? 0) - repliedAt) }),
    ...(ran && { toolsMs: toolsMsOf(ran, batch) }),
    ...defined({ commitMs: after?.commitMs }),
  };
}

/** Queued calls run elsewhere, and an older slot has only the times of its calls: the longest counts. */
const toolsMsOf = ({ results }: ToolsSlot, batch: BatchTiming | undefined): number =>
  Math.max(batch?.ms ?? 0, ...results.map(({ durationMs, cached }) => (cached ? 0 : durationMs)));

function toCallInfo(
  id: string,
  name: string,
  { leaves = {} }: ModelSlot,
  ran: ToolsSlot | undefined,
): CallInfo {
  const result = ran?.results.find(({ callId }) => callId === id);
  // Decisions while its batch was open go before those from when it was planned.
  const leave = own(ran?.leaves ?? {}, id) ?? own(leaves, id);
  const said = own(ran?.saidTo ?? {}, id);
  return {
    ...{ id, name, outcome: result?.outcome ?? 'open' },
    ...(result && { durationMs: result.durationMs }),
    ...(result?.cached && { cached: true }),
    ...(result?.child && { child: result.child.sessionId }),
    ...(leave && { rule: leave.rule }),
    ...(said
      ? { decidedBy: said.by, decision: said.outcome }
      : leave?.by !== undefined && { decidedBy: leave.by, decision: 'approved' }),
  };
}

type NamesAllModels = NamesModels & Pick<Pinned, 'summarizer' | 'judge'>;

/**
 * All stored details of a step.
 *
 * @param pinned the pinned definition of its session: it has the prices
 */
export function toStepDetails(of: StepSlots, pinned?: NamesAllModels): StepDetails {
  const { asked, ran } = of;
  const after = eventsBefore(asked);
  const price = pinned && priceOf(asked, pinned);
  return {
    info: toStepInfo(of),
    ...defined({ after, price }),
    input: asked.input.map(({ text, attachments, eventId, internal }) => ({
      text,
      ...(attachments && { attachments: attachments.map(toInfo) }),
      ...defined({ eventId }),
      ...(internal && { internal: internal.reason }),
    })),
    content: contentOf(asked).map(readable),
    ...(asked.reply?.reasoning && { reasoning: asked.reply.reasoning }),
    ...(asked.fold?.summary && { summary: asked.fold.summary.text }),
    results: (ran?.results ?? []).map((result) => {
      const { callId, name, outcome, content, durationMs, exitCode, note, attachments, changes } = result;
      return {
        ...{ callId, name, outcome, content, durationMs },
        ...(result.blob !== undefined && { isHead: true }),
        ...(result.cached && { cached: true }),
        ...defined({ exitCode, note }),
        ...(attachments && { attachments: attachments.map(toInfo) }),
        ...(changes && { changes: changes.map(({ path }) => path) }),
      };
    }),
  };
}

/** The content of the step's reply, with all of its calls as they were read. */
function contentOf(asked: ModelSlot): readonly Block[] {
  const calling = callingOf(asked);
  if (!calling) return [];
  return contentAsRead({ ...calling, content: asked.reply?.asReceived ?? calling.content });
}

/** USD for a million tokens of the model that a step has asked; undefined if the price is not known. */
function priceOf(asked: ModelSlot, pinned: NamesAllModels): StepDetails['price'] {
  const { reply, fold, assessment } = asked;
  const { price } =
    (fold && pinned.summarizer) ?? (assessment && pinned.judge) ?? modelAt(pinned, reply?.fallback);
  const bought = boughtIn(asked);
  if (!price || !bought) return undefined;
  const { cacheWrite1h, ...rates } = ratesOf(price, promptOf(bought.usage));
  return { ...rates, ...(bought.usage.cacheWrite1h && { cacheWrite1h }) };
}

/** The cursor just before the events of a step's attempt: the attempt's epoch is at the end of the id of its message. */
function eventsBefore(asked: ModelSlot): number | undefined {
  const id = (boughtIn(asked) ?? asked.made)?.messageId;
  const epoch = /-(\d+)$/.exec(id ?? '')?.[1];
  return epoch === undefined ? undefined : seqBefore(Number(epoch));
}

/** A block without the parts that only its model's server can read: the signature of thinking, and encrypted thinking. */
export const readable = (block: Block): Block =>
  isThinking(block)
    ? { type: block.type, ...(typeof block.thinking === 'string' && { thinking: block.thinking }) }
    : withoutGiven(block);
