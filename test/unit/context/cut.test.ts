import { describe, expect, test } from 'vitest';
import { saidIn } from '../../../shared/agent/context/asked.ts';
import { piecesOf } from '../../../shared/agent/context/cut.ts';
import { charsOf } from '../../../shared/agent/context/estimate.ts';
import { planFold } from '../../../shared/agent/context/stages.ts';
import { type Called, empty, foldTo, from, type History, measured, readOf, step } from './history.fixture.ts';

const words = 'word '.repeat(1_000);
const calling = (...calls: readonly Called[]): History =>
  step(step(empty({}), { input: [from('Look.')], calls }), { text: 'Seen.' });

/** A context in which every result is cleared. */
function cleared(history: History): History {
  const { version } = history.session;
  const plan = planFold(measured(history), 'thinking');
  if (typeof plan !== 'object') throw new Error('no fold');
  return foldTo(history, { ...plan, fold: { ...plan.fold, clearedBelow: version } });
}

/** Characters of the message with the results, as the model reads it. */
const readLength = (history: History): number =>
  charsOf(readOf(history).filter(({ content }) => content.some(({ type }) => type === 'tool_result')));

const note = { message: 'This is the fourth time.', action: 'warn' } as const;

describe('the size that a cut counts for a batch', () => {
  test.each<[string, Called]>([
    ['a text', { content: words }],
    ['a text with the note of a guard on it', { content: words, note }],
    ['an object', { content: JSON.stringify({ words }), json: true }],
    ['an object with the note of a guard in it', { content: JSON.stringify({ words }), json: true, note }],
    ['what is short', { content: 'ok', note }],
  ])('is the size that the model reads, whole and cleared: %s', (_what, call) => {
    const history = calling(call, { content: 'ok' });
    const [, batch] = piecesOf(history);
    expect(batch?.whole).toBe(readLength(history));
    expect(batch?.cleared).toBe(readLength(cleared(history)));
  });
});

test('a cut counts no thinking: the thinking after it is bound to another context', () => {
  const thinks = (thinking: string): History => {
    const history = calling({ content: 'ok' });
    const slots = history.slots.map((slot) =>
      slot.kind === 'model' && slot.reply
        ? {
            ...slot,
            reply: {
              ...slot.reply,
              content: slot.reply.content.map((block) =>
                block.type === 'thinking' ? { ...block, thinking } : block,
              ),
            },
          }
        : slot,
    );
    return { ...history, slots };
  };
  const lengths = (history: History) => piecesOf(history).map(({ whole }) => whole);
  expect(lengths(thinks(words))).toEqual(lengths(thinks('Hm.')));
});

test('a context has nothing of what it left out, even if those slots are at hand', () => {
  const history = calling({ content: 'ok' });
  const later = { ...history, session: { ...history.session, contextStart: 2 } };
  expect(saidIn(later).map(({ n }) => n)).toEqual([2]);
  expect(piecesOf(later).map(({ slot }) => slot.n)).toEqual([2]);
});
