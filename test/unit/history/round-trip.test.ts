import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { convertToModelMessages, validateUIMessages } from 'ai';
import fc from 'fast-check';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, test } from 'vitest';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { formats } from '../../../shared/agent/history/formats.ts';
import { beginsMessage, turnsOf } from '../../../shared/agent/history/of-slots.ts';
import { toSlots } from '../../../shared/agent/history/to-slots.ts';
import type { Turn } from '../../../shared/agent/history/turns.ts';
import { type AnthropicMessage, writeAnthropic } from '../../../shared/agent/history/write-anthropic.ts';
import { type OpenaiMessage, writeOpenai } from '../../../shared/agent/history/write-openai.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { historyFormats } from '../../../shared/contract/history.ts';
import { conversations } from './conversations.ts';

const making = {
  importId: 'import-1',
  attachmentOf: () => {
    throw new Error('nothing was sent');
  },
};
const slotsOf = (turns: readonly Turn[]) => toSlots(turns, making);

/**
 * The content of a conversation, independent of its format: failures are not part of it, as one of the formats cannot express
 * them.
 */
const told = (turns: readonly Turn[], withFailures: boolean) =>
  turns.map((turn) => {
    switch (turn.kind) {
      case 'user':
        return turn.parts.map((part) => ('text' in part ? part.text : '?'));
      case 'reply':
        return { texts: turn.texts.join(''), calls: turn.calls };
      case 'results':
        return turn.results.map(({ callId, text, failed }) => [callId, text, withFailures && failed]);
      default:
        return turn satisfies never;
    }
  });

/** Consecutive messages of the user are one if roles alternate. */
function joined(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last?.kind !== 'user' || turn.kind !== 'user') {
      all.push(turn);
      continue;
    }
    const texts = [...last.parts, ...turn.parts].flatMap((part) => ('text' in part ? [part.text] : []));
    all.splice(-1, 1, { ...last, parts: [{ text: texts.join('\n\n') }] });
  }
  return all;
}

/** Slots as the pages of an export may divide them, with each as small as it can be. */
function pagesOf(slots: readonly Slot[]): Slot[][] {
  const pages: Slot[][] = [];
  for (const slot of slots) {
    const last = pages.at(-1);
    if (!last || beginsMessage(slot, last.at(-1))) pages.push([slot]);
    else last.push(slot);
  }
  return pages;
}

describe('a conversation that is exported and imported again', () => {
  test.each(historyFormats)('keeps its texts, calls, results, and their order in %s', (name) => {
    const { read, write } = formats[name];
    fc.assert(
      fc.property(conversations, (turns) => {
        const slots = slotsOf(turns);
        const again = turnsOf(slotsOf(read(write(turnsOf(slots))).turns));
        const isJoined = name === 'anthropic';
        const wanted = isJoined ? joined(turns) : turns;
        expect(told(again, name !== 'openai')).toEqual(told(wanted, name !== 'openai'));
      }),
    );
  });

  test.each(historyFormats)('gives the same messages in %s when it is read in pages', (name) => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const slots = slotsOf(turns);
        const { read, write } = formats[name];
        const pages = pagesOf(slots);
        const whole = pages.flatMap((page) => write(turnsOf(page)));
        const ofWhole = told(turnsOf(slotsOf(read(whole).turns)), true);
        expect(ofWhole).toEqual(told(turnsOf(slotsOf(read(write(turnsOf(slots))).turns)), true));
        if (name !== 'ai-sdk') expect(whole).toEqual(write(turnsOf(slots)));
      }),
    );
  });

  test('reads the same for the model: results first, each call with one, roles alternate', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const messages = toMessages(slotsOf(turns), []);
        expect(messages.map(({ role }) => role)).toEqual(
          messages.map((_, i) => (i % 2 === 0 ? 'user' : 'assistant')),
        );
        assertAnswered(messages as unknown as AnthropicMessage[]);
      }),
    );
  });
});

/** Every `tool_use` is answered by the next message, in order and before anything else. */
function assertAnswered(messages: readonly Pick<AnthropicMessage, 'role' | 'content'>[]): void {
  messages.forEach(({ role, content }, i) => {
    if (role !== 'assistant') return;
    const asked = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = messages[i + 1]?.content ?? [];
    const answered = next.slice(0, asked.length);
    expect(answered.map((block) => 'tool_use_id' in block && block.tool_use_id)).toEqual(asked);
    expect(next.slice(asked.length).some(({ type }) => type === 'tool_result')).toBe(false);
  });
}

describe('an export', () => {
  test('as Anthropic’s messages alternates, and answers each tool_use in the next message', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const messages = writeAnthropic(turnsOf(slotsOf(turns)));
        // The SDK's own type accepts them.
        const typed = messages as MessageParam[] satisfies MessageParam[];
        expect(typed.map(({ role }) => role)).toEqual(
          typed.map((_, i) => (i % 2 === 0 ? 'user' : 'assistant')),
        );
        assertAnswered(messages);
      }),
    );
  });

  test('as OpenAI’s messages has the result of each call right after it', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const messages: readonly OpenaiMessage[] = writeOpenai(turnsOf(slotsOf(turns)));
        const typed: readonly ChatCompletionMessageParam[] = messages;
        typed.forEach((message, i) => {
          if (message.role !== 'assistant' || !message.tool_calls) return;
          const results = typed.slice(i + 1, i + 1 + message.tool_calls.length);
          expect(results.map((one) => one.role === 'tool' && one.tool_call_id)).toEqual(
            message.tool_calls.map(({ id }) => id),
          );
        });
      }),
    );
  });

  test('as UIMessages is valid for the AI SDK, and its model reads each call with its result', async () => {
    await fc.assert(
      fc.asyncProperty(conversations, async (turns) => {
        const written = turnsOf(slotsOf(turns));
        const messages = await validateUIMessages({ messages: formats['ai-sdk'].write(written) });
        const read = await convertToModelMessages(messages);
        const part = (type: string) =>
          read.flatMap(({ content }) =>
            typeof content === 'string' ? [] : content.filter((one) => one.type === type),
          );
        const calls = written.flatMap((turn) => (turn.kind === 'reply' ? turn.calls : []));
        expect(part('tool-call')).toMatchObject(
          calls.map(({ id, name, input }) => ({ toolCallId: id, toolName: name, input })),
        );
        expect(part('tool-result')).toMatchObject(calls.map(({ id }) => ({ toolCallId: id })));
      }),
      { numRuns: 50 },
    );
  });
});
