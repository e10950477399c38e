import fc from 'fast-check';
import type { Turn } from '../../../shared/agent/history/turns.ts';

const said = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => `${text.toWellFormed()}.`)
  .filter((text) => text.trim() !== '');

/** Values as JSON writes them: it writes -0 as 0. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { maxKeys: 3 });
const call = fc.record({ name: fc.constantFrom('look', 'send', 'book_flight'), input });

/** A step of the assistant: its text, its calls, and the result of each; it has a text, calls, or both. */
const step = fc
  .record({
    text: fc.option(said, { nil: undefined }),
    calls: fc.array(fc.tuple(call, fc.record({ text: said, failed: fc.boolean() })), { maxLength: 3 }),
  })
  .filter(({ text, calls }) => text !== undefined || calls.length > 0);

/**
 * Conversations as sessions have them: exchanges of some messages of the user and some steps, all but the last of which have
 * calls.
 */
export const conversations: fc.Arbitrary<Turn[]> = fc
  .array(
    fc.record({
      user: fc.array(said, { minLength: 1, maxLength: 2 }),
      steps: fc.array(step, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((exchanges) => {
    let n = 0;
    return exchanges.flatMap(({ user, steps }): Turn[] => [
      ...user.map((text): Turn => ({ kind: 'user', at: 0, parts: [{ text }] })),
      ...steps.flatMap(({ text, calls }, i): Turn[] => {
        // Two replies without calls between them count as one.
        if (calls.length === 0 && i < steps.length - 1) return [];
        const own = calls.map(([one, result]) => ({ one: { ...one, id: `call_${++n}` }, result }));
        const reply: Turn = {
          ...{ kind: 'reply', at: 0, texts: text === undefined ? [] : [text] },
          calls: own.map(({ one }) => one),
        };
        const results = own.map(({ one, result: { text: content, failed } }) => ({
          ...{ callId: one.id, text: content },
          ...(failed && { failed: true as const }),
        }));
        return [reply, ...(results.length > 0 ? [{ kind: 'results' as const, at: 0, results }] : [])];
      }),
    ]);
  });
