import {
  type CallInfo,
  MAX_STEP_TEXT,
  type StepDetails,
  type StepInfo,
  type StepTimes,
} from '../../contract/steps.ts';
import { own } from '../plain/merge.ts';
import { callingOf } from '../session/made.ts';
import { callsOf, isThinking, textOf } from '../session/reply.ts';
import { type Block, isFold, type ModelSlot, type Slot, type ToolsSlot } from '../session/slots.ts';
import { toInfo } from './snapshot.ts';

/** The slots of one step. */
export interface StepSlots {
  readonly asked: ModelSlot;
  /** The results of its calls; absent while there are none, or when it has no calls. */
  readonly ran?: ToolsSlot;
}

/** Slots as the steps that have written them. Results whose reply is not among the slots are left out. */
export function stepsIn(slots: readonly Slot[]): StepSlots[] {
  return slots.flatMap((asked, i) => {
    if (asked.kind !== 'model') return [];
    const next = slots[i + 1];
    const isOwn = next?.kind === 'tools' && next.replyTo === callingOf(asked)?.messageId;
    return [{ asked, ...(isOwn && { ran: next }) }];
  });
}

/** What there is to know of a step at a glance. */
export function toStepInfo({ asked, ran }: StepSlots): StepInfo {
  const { n, runId, step, reply, made, lost, verdicts } = asked;
  const fold = isFold(asked) ? asked.fold : undefined;
  const bought = reply ?? fold?.summary;
  const calling = callingOf(asked);
  const said = textOf(calling?.content ?? []);
  return {
    ...{ runId, step, slots: ran ? [n, ran.n] : [n], kind: fold ? 'fold' : made ? 'made' : 'model' },
    ...(made && { made: made.by }),
    ...(bought && { model: bought.model, usage: bought.usage, costUsd: bought.costUsd }),
    ...(reply && { stop: reply.stop }),
    ...(bought?.estimated && { estimated: true }),
    ...(lost && { lost }),
    times: timesOf(bought?.durationMs, ran),
    verdicts: [...verdicts, ...(ran?.verdicts ?? [])].map((spoken) => ({ ...spoken })),
    ...(fold && { fold: { why: fold.why, tokens: fold.tokens, left: fold.left, start: fold.start } }),
    calls: callsOf(calling?.content ?? []).map(({ id, name }) => toCallInfo(id, name, asked, ran)),
    text: said.length > MAX_STEP_TEXT ? `${said.slice(0, MAX_STEP_TEXT).toWellFormed()}…` : said,
  };
}

function timesOf(modelMs: number | undefined, ran: ToolsSlot | undefined): StepTimes {
  return {
    ...(modelMs !== undefined && { modelMs }),
    // Calls of a batch run at the same time, as far as they may.
    ...(ran && { toolsMs: Math.max(0, ...ran.results.map(({ durationMs }) => durationMs)) }),
  };
}

function toCallInfo(
  id: string,
  name: string,
  { leaves = {} }: ModelSlot,
  ran: ToolsSlot | undefined,
): CallInfo {
  const result = ran?.results.find(({ callId }) => callId === id);
  // What was decided since its batch was open goes before what was then.
  const leave = own(ran?.leaves ?? {}, id) ?? own(leaves, id);
  return {
    ...{ id, name, outcome: result?.outcome ?? 'open' },
    ...(result && { durationMs: result.durationMs }),
    ...(result?.cached && { cached: true }),
    ...(leave && { rule: leave.rule }),
    ...(leave?.by !== undefined && { decidedBy: leave.by }),
  };
}

/** All of a step, as it is kept. */
export function toStepDetails(of: StepSlots): StepDetails {
  const { asked, ran } = of;
  return {
    info: toStepInfo(of),
    input: asked.input.map(({ text, attachments, eventId, internal }) => ({
      text,
      ...(attachments && { attachments: attachments.map(toInfo) }),
      ...(eventId !== undefined && { eventId }),
      ...(internal && { internal: internal.reason }),
    })),
    content: (asked.reply?.asReceived ?? callingOf(asked)?.content ?? []).map(readable),
    ...(asked.reply?.reasoning && { reasoning: asked.reply.reasoning }),
    ...(asked.fold?.summary && { summary: asked.fold.summary.text }),
    results: (ran?.results ?? []).map((result) => {
      const { callId, name, outcome, content, durationMs, exitCode, note, attachments, changes } = result;
      return {
        ...{ callId, name, outcome, content, durationMs },
        ...(result.blob !== undefined && { isHead: true }),
        ...(result.cached && { cached: true }),
        ...(exitCode !== undefined && { exitCode }),
        ...(note && { note }),
        ...(attachments && { attachments: attachments.map(toInfo) }),
        ...(changes && { changes: changes.map(({ path }) => path) }),
      };
    }),
  };
}

/** A block without what only its model's server reads: the signature of thinking, and thinking that it has encrypted. */
const readable = (block: Block): Block =>
  isThinking(block)
    ? { type: block.type, ...(typeof block.thinking === 'string' && { thinking: block.thinking }) }
    : block;
