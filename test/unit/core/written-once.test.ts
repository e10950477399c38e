import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../shared/agent/context/estimate.ts';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import type { Reading } from '../../../shared/agent/context/reading.ts';
import { freezeDeep } from '../../../shared/agent/plain/merge.ts';
import type { Message, ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Block, InputTurn, Slot } from '../../../shared/agent/session/slots.ts';
import { toBody as toMessagesBody } from '../../../shared/models/anthropic/request.ts';
import { rulesOf } from '../../../shared/models/dialects.ts';
import { toChatMessages, toXmlMessages } from '../../../shared/models/openai/messages.ts';
import { toBody as toChatBody } from '../../../shared/models/openai/request.ts';
import { withTools } from '../../../shared/models/openai/xml.ts';
import { modelRequest } from '../../support/model-call.ts';

/** Texts as they occur: quotes, line breaks, other scripts, and half a surrogate pair, which JSON escapes. */
const words = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"\\\n', '\ud800', '\u2028'),
);
const turn = words.map((text): InputTurn => ({ text }));
const block = fc.oneof(
  words.map((text): Block => ({ type: 'text', text })),
  words.map((thinking): Block => ({ type: 'thinking', thinking, signature: 's', extra: undefined })),
);
/** Long enough to be cleared as an old result, or not. */
const output = fc.oneof(
  words,
  words.map((text) => `${text}${'long '.repeat(200)}`),
);
const step = fc.record({
  input: fc.array(turn, { maxLength: 2 }),
  content: fc.array(block, { maxLength: 3 }),
  calls: fc.array(fc.jsonValue(), { maxLength: 3 }),
  results: fc.array(output, { minLength: 3, maxLength: 3 }),
  noted: fc.boolean(),
  failed: fc.boolean(),
  fallback: fc.constantFrom(undefined, 1),
});
/** A context that begins within the conversation. */
const fold = fc.record({
  start: fc.integer({ min: 0, max: 10 }),
  clearedBelow: fc.integer({ min: 0, max: 18 }),
  shrunk: fc.constantFrom(undefined, true),
  head: fc.array(turn, { minLength: 1, maxLength: 2 }),
});
const history = fc.record({ steps: fc.array(step, { maxLength: 8 }), fold: fc.option(fold) });
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** The fold comes after the fourth step, and the later replies were made in its context. */
function slotsOf({ steps, fold }: History): Slot[] {
  const early = steps.slice(0, 4).flatMap((given, at) => slotsOfStep(given, at));
  const n = early.length;
  const folding = fold ? [foldSlot(fold, n)] : [];
  const late = steps.slice(4).flatMap((given, at) => slotsOfStep(given, 4 + at, fold ? n : undefined));
  return [...early, ...folding, ...late].map((slot, at) => ({ ...slot, n: at }));
}

const of = { runId: 'r', verdicts: [] };

function foldSlot({ start, clearedBelow, shrunk, head }: NonNullable<History['fold']>, n: number): Slot {
  const nothing = { messages: 0, tokens: 0 };
  const told = { why: 'size' as const, tokens: { before: 0, after: 0 }, left: nothing };
  const input = head.map(({ text }) => ({ text, internal: { reason: 'fold' } }));
  return {
    ...of,
    kind: 'model',
    n,
    step: 0,
    input,
    fold: { ...told, start, clearedBelow, ...(shrunk && { shrunk }) },
  };
}

function slotsOfStep(given: History['steps'][number], at: number, fold?: number): Slot[] {
  const { input, results, noted, failed, fallback } = given;
  const uses = given.calls.map((value, i): Block => {
    return { type: 'tool_use', id: `call-${at}-${i}`, name: 'look', input: { value } };
  });
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const reply = {
    ...{ messageId: `m${at}`, model: 'm', stop: 'end_turn' as const, usage, costUsd: 0 },
    ...(fallback && { fallback }),
    ...(fold !== undefined && { fold }),
    content: [...given.content, ...uses],
  };
  const model = { ...of, kind: 'model' as const, n: 0, step: at, input, ...(!failed && { reply }) };
  if (failed || uses.length === 0) return [model];
  const batch = uses.map(({ id }, i) => ({
    ...{ callId: String(id), name: 'look', outcome: i === 1 ? ('error' as const) : ('ok' as const) },
    ...{ content: results[i] ?? '', durationMs: 1 },
    ...(noted && { note: { message: 'Again?', code: 'loop' } as never }),
  }));
  return [model, { ...of, kind: 'tools', n: 0, replyTo: `m${at}`, results: batch }];
}

/** The requests of one conversation, in order: how much of it exists, which model reads it, and what is new. */
const asking = fc.array(
  fc.record({
    share: fc.integer({ min: 0, max: 18 }),
    fallback: fc.constantFrom(0, 0, 1),
    folded: fc.boolean(),
    input: fc.array(turn, { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 6 },
);
const readingOf = (
  slots: readonly Slot[],
  { fallback, folded }: { fallback: number; folded: boolean },
): Reading => {
  const found = folded ? slots.find((slot) => slot.kind === 'model' && slot.fold) : undefined;
  return { fallback, ...(found && { fold: found.n }) };
};

const system = 'You are a "clock".';
const tools = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', $schema: 'x' } }];
const extra = { temperature: 0, messages: ['none of ours'] };
const requestFor = (messages: readonly Message[]): ModelRequest =>
  modelRequest({ messages, system, tools, request: extra });

/** A request in the format of each API, as one text. */
const bodies: readonly [name: string, (request: ModelRequest) => string][] = [
  ['Messages', (request) => toMessagesBody(request, false).body],
  ['Messages, marked', (request) => toMessagesBody(request, true).body],
  ['Chat Completions', (request) => toChatBody(request, 'http://localhost/v1', 'native')],
  ['Chat Completions with XML', (request) => toChatBody(request, 'http://localhost/v1', 'xml')],
];

describe('an environment that has serialized a conversation before', () => {
  test.each(bodies)('sends the same bytes as a new one: %s', (_name, bodyOf) => {
    fc.assert(
      fc.property(history, asking, (given, asked) => {
        const slots = freezeDeep(slotsOf(given));
        for (const { share, input, ...reader } of asked) {
          const upTo = slots.slice(0, share);
          const reading = readingOf(upTo, reader);
          const warm = requestFor(toMessages(upTo, freezeDeep(input), reading));
          const cold = requestFor(toMessages(structuredClone(upTo), structuredClone(input), reading));
          expect(bodyOf(freezeDeep(warm))).toBe(bodyOf(cold));
          expect(estimateTokens(warm)).toBe(estimateTokens(cold));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('has the same messages at each step, except for the end, which grows', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(turn, { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        (given, input, folded) => {
          // A batch of which T5 leaves one result whole and another not is serialized again: there are six at most.
          const slots = slotsOf({ ...given, fold: given.fold && { ...given.fold, shrunk: undefined } });
          const reading = readingOf(slots.slice(0, -1), { fallback: 0, folded });
          const before = toMessages(slots.slice(0, -1), input, reading);
          const after = toMessages(slots, input, reading);
          for (const [at, message] of before.slice(0, -1).entries()) expect(after[at]).toBe(message);
        },
      ),
    );
  });
});

/** The objects that the bodies are the JSON of. */
const rules = rulesOf({ provider: 'openai', baseUrl: 'http://localhost/v1', model: 'm' });
const common = { temperature: 0, model: 'claude-test-1', max_tokens: 1000, stream: true };
const chat = { ...common, stream_options: { include_usage: true } };
const chatTool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } };
const objects: readonly ((messages: readonly Message[]) => object)[] = [
  (messages) => ({ ...common, tools, system: [{ type: 'text', text: system }], messages }),
  (messages) => ({
    ...common,
    tools: [{ ...tools[0], cache_control: { type: 'ephemeral' } }],
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages: marked(messages),
  }),
  (messages) => ({
    ...chat,
    messages: [{ role: 'system', content: system }, ...toChatMessages(messages, rules)],
    tools: [{ type: 'function', function: chatTool }],
  }),
  (messages) => ({
    ...chat,
    messages: [{ role: 'system', content: withTools(system, tools) }, ...toXmlMessages(messages)],
  }),
];

describe('a body of joined texts', () => {
  test.each(bodies.map(([name, bodyOf], at) => [name, bodyOf, objects[at]] as const))(
    'equals the JSON of its object: %s',
    (_name, bodyOf, objectOf) => {
      fc.assert(
        fc.property(history, fc.array(turn), (given, input) => {
          const messages = toMessages(slotsOf(given), input);
          const expected = JSON.stringify(objectOf?.(structuredClone(messages)));
          const body = bodyOf(requestFor(messages));
          expect(JSON.parse(body)).toEqual(JSON.parse(expected));
          // Each field once.
          expect(JSON.stringify(JSON.parse(body))).toBe(body);
        }),
        { numRuns: 200 },
      );
    },
  );

  test('is estimated by the characters of all of it', () => {
    fc.assert(
      fc.property(history, (given) => {
        const messages = toMessages(slotsOf(given), []);
        const chars = [system, JSON.stringify(tools), JSON.stringify(messages)].join('').length;
        expect(estimateTokens(requestFor(messages))).toBe(Math.floor(chars / 4));
      }),
    );
  });
});

/** Breakpoints of the definition: on the last block that can carry one, and on the last of those at least 15 blocks before it. */
function marked(messages: readonly Message[]): unknown[] {
  const blocks = messages.flatMap(({ content }) => content);
  const takes = (one: Block) => one.type !== 'thinking' && one.text !== '';
  const last = blocks.findLastIndex(takes);
  const earlier = blocks.findLastIndex((one, at) => at <= last - 15 && takes(one));
  let at = 0;
  return messages.map(({ role, content }) => ({
    role,
    content: content.map((one) => {
      const here = at++;
      return here === last || here === earlier ? { ...one, cache_control: { type: 'ephemeral' } } : one;
    }),
  }));
}
