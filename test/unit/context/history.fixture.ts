import fc from 'fast-check';
import type { GuardrailsOption } from '../../../shared/agent/config/resolve.ts';
import type { ContextInputs } from '../../../shared/agent/context/asked.ts';
import type { Plan } from '../../../shared/agent/context/draft.ts';
import { headOf } from '../../../shared/agent/context/head.ts';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { readingOf } from '../../../shared/agent/context/reading.ts';
import { sizeOf } from '../../../shared/agent/context/size.ts';
import type { Measured } from '../../../shared/agent/context/stages.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import type { Message } from '../../../shared/agent/ports/provider.ts';
import type { Summary } from '../../../shared/agent/session/fold.ts';
import type { Block, InputTurn, ModelSlot, Slot, ToolResult } from '../../../shared/agent/session/slots.ts';

export const from = (text: string, eventId = text): InputTurn => ({ text, eventId });
export const ours = (text: string): InputTurn => ({ text, internal: { reason: 'test' } });
export const say = (text: string): Block => ({ type: 'text', text });
export const thought: Block = { type: 'thinking', thinking: 'Hm.', signature: 's' };

/** A call, and its result. */
export interface Called {
  readonly name?: string;
  readonly input?: object;
  readonly content?: string;
  readonly outcome?: ToolResult['outcome'];
  readonly exitCode?: number;
  readonly blob?: string;
  readonly json?: true;
  readonly note?: ToolResult['note'];
}

/** A step: its input, the model's words, and its calls with their results. */
export interface Said {
  readonly input?: readonly InputTurn[];
  readonly text?: string;
  readonly calls?: readonly Called[];
  readonly stop?: NonNullable<ModelSlot['reply']>['stop'];
  /** The model did not answer. */
  readonly failed?: boolean;
  /** The server's count of the request and the reply. */
  readonly tokens?: number;
}

/** The parts of an {@link ContextInputs}, as the loop writes it step by step. */
export interface History extends ContextInputs {
  readonly slots: readonly Slot[];
}

const filler = {
  name: 'a',
  version: '1',
  system: 'Be brief.',
  context: { time: 'off', caller: false },
} as const;

/** A session without messages. */
export function empty(context: object, model: object = {}, preset = 'default'): History {
  const guardrails = { preset, context } as GuardrailsOption;
  const pinned = pin(defineAgent({ ...filler, model: { name: 'm', ...model }, guardrails }), undefined);
  const session = { version: 0, contextStart: 0, metadata: { guardrails: {} } };
  return { slots: [], waiting: [], session, pinned };
}

export function step(
  history: History,
  { input = [], text, calls = [], failed, stop, tokens }: Said,
): History {
  const { version, fold } = history.session;
  const uses = calls.map(({ name = 'read_file', input: given = {} }, i) => ({
    type: 'tool_use',
    id: `c${version}-${i}`,
    name,
    input: given,
  }));
  const usage = { input: tokens ?? 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const reply = {
    messageId: `m${version}`,
    model: 'm',
    stop: stop ?? (calls.length > 0 ? ('tool_use' as const) : ('end_turn' as const)),
    content: [thought, ...(text ? [say(text)] : []), ...uses],
    usage,
    costUsd: 0,
    ...(fold && { fold: fold.slot }),
  };
  const model: Slot = {
    kind: 'model',
    n: version,
    runId: 'r',
    step: 1,
    input: [...history.waiting, ...input],
    verdicts: [],
    ...(!failed && { reply }),
  };
  const results = calls.map(
    (call, i): ToolResult => ({
      callId: `c${version}-${i}`,
      name: call.name ?? 'read_file',
      outcome: call.outcome ?? 'ok',
      content: call.content ?? 'ok',
      durationMs: 1,
      ...(call.exitCode !== undefined && { exitCode: call.exitCode }),
      ...(call.blob && { blob: call.blob }),
      ...(call.json && { json: call.json }),
      ...(call.note && { note: call.note }),
    }),
  );
  const tools: Slot = {
    kind: 'tools',
    n: version + 1,
    runId: 'r',
    replyTo: reply.messageId,
    results,
    verdicts: [],
  };
  const added = failed || calls.length === 0 ? [model] : [model, tools];
  return {
    ...history,
    slots: [...history.slots, ...added],
    waiting: [],
    session: { ...history.session, version: version + added.length },
  };
}

export const measured = (history: History): Measured => ({ ...history, size: sizeOf(history) });

/** Commits a planned fold as the step that makes it does. */
export function foldTo(history: History, { fold }: Plan, text?: string): History {
  const { version } = history.session;
  const summary: Summary | undefined =
    text === undefined
      ? undefined
      : {
          text,
          messageId: 's',
          model: 'm',
          usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          costUsd: 0,
          durationMs: 1,
        };
  const slot: Slot = {
    kind: 'model',
    n: version,
    runId: 'r',
    step: 1,
    input: headOf(history, fold, text),
    fold: { ...fold, ...(summary && { summary }) },
    verdicts: [],
  };
  const { mustFold: _done, ...session } = history.session;
  const contextStart = fold.start;
  return {
    ...history,
    slots: [...history.slots, slot].filter(({ n }) => n >= contextStart),
    session: { ...session, version: version + 1, contextStart, fold: { slot: version, at: 0 } },
  };
}

/** The request that the model would read now. */
export const readOf = ({ slots, waiting, session, pinned }: History): Message[] =>
  toMessages(slots, waiting, readingOf(session, pinned));

/** All texts of a request, in reading order. */
export const textsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => [block.text, block.content].filter((text) => typeof text === 'string')),
  );

const long = fc.integer({ min: 0, max: 12_000 }).map((length) => 'word '.repeat(length / 5));
const called = fc.record({
  name: fc.constantFrom('read_file', 'bash', 'edit_file'),
  input: fc.record({ path: fc.constantFrom('a.ts', 'b.ts', 'c.ts') }),
  content: fc.oneof(fc.string(), long),
  outcome: fc.constantFrom('ok' as const, 'error' as const),
});

/** Steps of random histories: in some a user speaks, and in some the model's answer is cut or missing. */
export const anySteps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        text: fc.constant('Looking.'),
        calls: fc.array(called, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        text: long.map((text) => `Well. ${text}`),
        asks: fc.oneof(
          fc.string({ minLength: 1 }),
          long.map((text) => `Please. ${text}`),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ text: 'And then', stop: 'max_tokens' as const, goesOn: true }) },
    { weight: 1, arbitrary: fc.record({ failed: fc.constant(true), asks: fc.string({ minLength: 1 }) }) },
  ),
  { minLength: 3, maxLength: 30 },
);
