/**
 * The spans and metrics of a committed step. Pure.
 *
 * Names are those of OpenTelemetry's semantic conventions for generative AI, as of their own repository in November
 * 2026 (https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai: status Development), and ours begin
 * with `steploop.`. The exported data is described in docs/telemetry.md.
 */

import { defined } from '../agent/plain/defined.ts';
import type { StepReport, StepTrace } from '../agent/ports/meter.ts';
import { callingOf } from '../agent/session/made.ts';
import { callsOf } from '../agent/session/reply.ts';
import type { ModelSlot, Slot, ToolCall, ToolResult } from '../agent/session/slots.ts';
import type { Usage } from '../contract/session.ts';
import { contentOfCall, contentOfReply } from './content.ts';
import type { Attributes, Observation, Span, SpanEvent } from './span.ts';
import { runSpanId, spanIdOf, traceIdOf } from './trace-ids.ts';

/** The export of one step. */
export interface Exported {
  readonly spans: readonly Span[];
  readonly observations: readonly Observation[];
}

/**
 * The span of the step, in it those of its model call and of its tool calls, and the span of the run, if it has ended
 * with the step.
 *
 * @param withContent with what people, models and tools have said
 */
export function exportOf(report: StepReport, trace: StepTrace, withContent: boolean): Exported {
  const { key, run } = report;
  const step: Span = {
    traceId: traceIdOf(key, run),
    spanId: spanIdOf(key, run, trace.before.eventSeq),
    parentSpanId: runSpanId(key, run),
    name: `step ${report.step}`,
    kind: 'internal',
    startMs: trace.times.openedAt,
    endMs: trace.at,
    attributes: {
      ...common(report, trace),
      'steploop.step': report.step,
      'steploop.attempt': report.attempt,
      'steploop.ending': report.ending,
      'steploop.folded': report.folded,
      ...costs(report),
    },
    events: eventsOf(report, trace),
  };
  const chat = chatOf(report, trace, step, withContent);
  const calls = callsIn(report, trace, step, withContent);
  return {
    spans: [...(report.ended ? [runSpan(report, trace)] : []), step, ...(chat ? [chat] : []), ...calls],
    observations: chat ? observationsOf(report, chat) : [],
  };
}

/** The attributes that every span has. */
const common = ({ key, agent, run }: StepReport, { model }: StepTrace): Attributes => ({
  'gen_ai.provider.name': model.provider,
  'gen_ai.agent.name': agent,
  'gen_ai.conversation.id': key.sessionId,
  'steploop.tenant': key.tenant,
  'steploop.run': run,
});

const costs = ({ costUsd, infraUsd }: { costUsd: number; infraUsd?: number }): Attributes => ({
  'steploop.cost.usd': costUsd,
  'steploop.cost.infra_usd': infraUsd,
});

/** By the conventions the input includes all of its kinds: what was read from a cache, and what was written to it. */
const inputOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;

const usageOf = (usage: Usage): Attributes => ({
  'gen_ai.usage.input_tokens': inputOf(usage),
  'gen_ai.usage.output_tokens': usage.output,
  'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
  'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
});

/** The run, from its beginning to its end, over all of its steps and the time between them. */
function runSpan(report: StepReport, trace: StepTrace): Span {
  const { key, run: id, agent, model, ended } = report;
  const { run } = trace.after;
  const isBad = ended !== undefined && !['completed', 'cancelled', 'waiting_for_input'].includes(ended.state);
  return {
    traceId: traceIdOf(key, id),
    spanId: runSpanId(key, id),
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    startMs: run.startedAt,
    endMs: trace.at,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      ...common(report, trace),
      'gen_ai.request.model': model,
      ...usageOf(run.totals),
      ...costs(run.totals),
      'steploop.state': ended?.state,
      'steploop.reason': ended?.reason,
      'steploop.code': ended?.code,
      'steploop.guard': ended?.guard,
      'steploop.steps': run.steps,
      'steploop.tool_calls': run.toolCalls,
      ...(isBad && { 'error.type': ended.reason }),
    },
    ...(isBad && { error: ended.message }),
  };
}

/**
 * The unusual events of a step: guards that spoke, a model call that is retried, an attempt that died before this one.
 */
function eventsOf(report: StepReport, { said, times, at }: StepTrace): SpanEvent[] {
  const { attempt, failure, delayMs } = report;
  return [
    ...(attempt > 1
      ? [{ name: 'steploop.taken_over', atMs: times.openedAt, attributes: { 'steploop.attempt': attempt } }]
      : []),
    ...said.map(({ guard, kind, code }) => ({
      name: 'steploop.guard',
      atMs: at,
      attributes: { 'steploop.guard': guard, 'steploop.action': kind, 'steploop.code': code },
    })),
    ...(failure === undefined
      ? []
      : [
          {
            name: 'steploop.retry',
            atMs: at,
            attributes: { 'error.type': failure, 'steploop.delay_ms': delayMs },
          },
        ]),
  ];
}

const isReply = (slot: Slot): slot is ModelSlot => slot.kind === 'model' && slot.made === undefined;

/** The model call, if the step has made one, or continues with a reply that a dead attempt has bought. */
function chatOf(report: StepReport, trace: StepTrace, step: Span, withContent: boolean): Span | undefined {
  const { times, slots, at, before } = trace;
  const slot = slots.findLast(isReply);
  const reply = slot?.reply;
  if (times.askedAt === undefined && !reply && report.modelMs === 0) return undefined;
  const ms = reply?.durationMs ?? report.modelMs;
  // A reply that was bought before this attempt ended before it. The time of the request of a fold is not recorded.
  const startMs = times.askedAt ?? (reply ? times.openedAt - ms : at - report.toolsMs - ms);
  const failure = (reply ?? report.folded) ? undefined : (report.failure ?? report.ended?.code);
  const { model, maxTokens } = trace.model;
  return {
    ...within(step, spanIdOf(report.key, report.run, before.eventSeq, 'chat')),
    name: `chat ${model}`,
    kind: 'client',
    startMs,
    endMs: startMs + ms,
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...common(report, trace),
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': maxTokens,
      'gen_ai.request.stream': true,
      'gen_ai.response.model': reply?.model,
      'gen_ai.response.finish_reasons': reply && [reply.stop],
      'gen_ai.response.time_to_first_chunk':
        times.askedAt !== undefined && times.firstAt !== undefined
          ? (times.firstAt - times.askedAt) / 1000
          : undefined,
      ...usageOf(report.usage),
      'steploop.cost.usd': report.costUsd,
      ...(reply && times.askedAt === undefined && { 'steploop.adopted': true }),
      'error.type': failure,
      ...(withContent && slot && contentOfReply(slot)),
    },
    ...defined({ error: failure }),
  };
}

/**
 * The calls whose results stand since this step: those that ran in it, and those that came from the queue or from
 * people.
 */
function callsIn(report: StepReport, trace: StepTrace, step: Span, withContent: boolean): Span[] {
  const { slots, history, times, at, pinned } = trace;
  const asked = new Map<string, ToolCall>();
  for (const slot of [...history.slice(-2), ...slots])
    if (slot.kind === 'model') for (const call of callsOf(callingOf(slot))) asked.set(call.id, call);
  const known = new Set(pinned.tools.map(({ name }) => name));
  return slots.flatMap((slot) =>
    slot.kind !== 'tools'
      ? []
      : slot.results.map((result): Span => {
          // A tool that does not exist has a name that the model made up.
          const name = known.has(result.name) ? result.name : 'unknown';
          const startMs = times.calls.get(result.callId) ?? at - result.durationMs;
          const failure = failureOf(result);
          return {
            ...within(step, spanIdOf(report.key, report.run, slot.n, 'call', result.callId)),
            name: `execute_tool ${name}`,
            kind: 'internal',
            startMs,
            endMs: startMs + result.durationMs,
            attributes: {
              'gen_ai.operation.name': 'execute_tool',
              ...common(report, trace),
              'gen_ai.tool.name': name,
              'gen_ai.tool.call.id': result.callId,
              'gen_ai.tool.type': 'function',
              'steploop.outcome': result.outcome,
              'steploop.cached': result.cached,
              'error.type': failure,
              ...(withContent && contentOfCall(asked.get(result.callId), result)),
            },
            ...defined({ error: failure }),
          };
        }),
  );
}

const within = ({ traceId, spanId: parentSpanId }: Span, spanId: string) => ({
  traceId,
  spanId,
  parentSpanId,
});

/**
 * The kind of a failed call, with which its result begins (`Error [timeout]: …`), or another reason why it has no
 * result.
 */
function failureOf({ outcome, content }: ToolResult): string | undefined {
  if (outcome === 'ok') return undefined;
  return outcome === 'error' ? (/^Error \[([a-z_]{1,32})\]/.exec(content)?.[1] ?? 'error') : outcome;
}

/** Grouped by names that are few: not by tenant or session, because each new value is another series. */
function observationsOf(report: StepReport, { startMs, endMs, attributes: all }: Span): Observation[] {
  const names = [
    'gen_ai.operation.name',
    'gen_ai.provider.name',
    'gen_ai.request.model',
    'gen_ai.response.model',
    'gen_ai.agent.name',
  ];
  const by = Object.fromEntries(names.map((name) => [name, all[name]]));
  const tokens = (type: 'input' | 'output', value: number): Observation[] =>
    value === 0
      ? []
      : [
          {
            metric: 'gen_ai.client.token.usage',
            ...{ value, startMs, endMs },
            attributes: { ...by, 'gen_ai.token.type': type },
          },
        ];
  return [
    ...tokens('input', inputOf(report.usage)),
    ...tokens('output', report.usage.output),
    {
      metric: 'gen_ai.client.operation.duration',
      ...{ value: (endMs - startMs) / 1000, startMs, endMs },
      attributes: { ...by, 'error.type': all['error.type'] },
    },
  ];
}
