import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { piecesOf } from '../../../shared/agent/context/cut.ts';
import { estimateOf, limitOf } from '../../../shared/agent/context/size.ts';
import { planFold } from '../../../shared/agent/context/stages.ts';
import type { Message } from '../../../shared/agent/ports/provider.ts';
import type { FoldReason } from '../../../shared/contract/events.ts';
import {
  anySteps,
  empty,
  foldTo,
  from,
  type History,
  measured,
  ours,
  readOf,
  step,
  textsIn,
} from './history.fixture.ts';

type Steps = typeof anySteps extends fc.Arbitrary<infer T> ? T : never;

const strategies = ['staged', 'compact', 'sliding_window'] as const;
const configs = fc.record({
  strategy: fc.constantFrom(...strategies),
  window: fc.constantFrom(4_000, 9_000, 30_000),
  keepToolTurns: fc.integer({ min: 1, max: 3 }),
});

interface Told {
  readonly said: readonly string[];
}

/** Plays a history whose context folds when it exceeds its share of the limit, and hands each request to `see`. */
function play(
  given: Steps,
  config: object,
  see: (history: History, told: Told & { readonly folded: boolean }) => void,
  why: FoldReason = 'size',
): History {
  let history = step(empty({ reserve: 0, ...config }), { input: [from('The task.')], text: 'Begun.' });
  const said = ['The task.'];
  let before: Partial<(typeof given)[number]> = {};
  for (const [i, one] of given.entries()) {
    const goesOn = 'goesOn' in before;
    if ('asks' in one && one.asks) {
      const text = `${i}: ${one.asks}`;
      said.push(text);
      history = { ...history, waiting: [from(text)] };
    } else if (goesOn || history.slots.at(-1)?.kind === 'model')
      history = { ...history, waiting: [ours('Go on.')] };
    const asked = measured(history);
    const limit = limitOf(history.pinned);
    const plan = asked.size > 0.8 * limit ? planFold(asked, why) : 'no_use';
    const folded = typeof plan === 'object';
    if (folded)
      history = foldTo(history, plan, plan.summaryChars > 0 ? `Summary of ${said.length}.` : undefined);
    see(history, { said, folded });
    history = step(history, one);
    before = one;
  }
  return history;
}

/** Calls and results of a request match, one to one, in order, results first. */
function expectWhole(messages: readonly Message[]): void {
  let open: unknown[] = [];
  for (const [i, { role, content }] of messages.entries()) {
    expect(role).toBe(i % 2 === 0 ? 'user' : 'assistant');
    expect(content.length).toBeGreaterThan(0);
    for (const block of content) if (block.type === 'text') expect(block.text).not.toBe('');
    const answered = content.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id);
    expect(answered).toEqual(open);
    const kinds = content.map(({ type }) => type === 'tool_result');
    expect(kinds).toEqual(kinds.toSorted((a, b) => Number(b) - Number(a)));
    open = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  expect(open).toEqual([]);
}

const runs = { numRuns: 100 };

describe('any history, folded again and again', () => {
  test('H15: calls and results match, results come first, roles alternate, and nothing is empty', () => {
    fc.assert(
      fc.property(anySteps, configs, (given, config) => {
        play(given, config, (history) => expectWhole(readOf(history)));
      }),
      runs,
    );
  });

  test('H1: each request begins with the bytes of the one before, until the next fold', () => {
    fc.assert(
      fc.property(anySteps, configs, (given, config) => {
        let before = '';
        play(given, config, (history, { folded }) => {
          const sent = JSON.stringify(readOf(history).slice(0, -1)).slice(1, -1);
          if (!folded) expect(JSON.stringify(readOf(history)).slice(1)).toContain(before);
          before = sent;
        });
      }),
      runs,
    );
  });

  test('H14: a plan fits, and has the size of the request that follows from it', () => {
    fc.assert(
      fc.property(anySteps, configs, (given, config) => {
        play(given, config, (history, { folded }) => {
          const fold = history.slots.find(({ n }) => n === history.session.fold?.slot);
          if (!folded || fold?.kind !== 'model' || !fold.fold) return;
          expect(estimateOf(history)).toBeLessThanOrEqual(fold.fold.tokens.after);
          // A5, A6: at least one message stays, whatever its length.
          const begins = piecesOf(history).filter((piece) => piece.begins);
          if (config.strategy === 'staged' || begins.length > 1)
            expect(fold.fold.tokens.after).toBeLessThanOrEqual(limitOf(history.pinned));
        });
      }),
      runs,
    );
  });

  test('nothing pinned is lost: the first message stays, and every other one is read, summed up, or counted', () => {
    fc.assert(
      fc.property(anySteps, configs, (given, config) => {
        play(given, config, (history, { said }) => {
          const read = textsIn(readOf(history)).join('\n');
          expect(read).toContain('The task.');
          const missing = said.filter((text) => !read.includes(text.slice(0, 100)));
          if (missing.length === 0) return;
          expect(read).toMatch(/messages (of this conversation|left out)/);
          if (config.strategy === 'staged') expect(missing).not.toContain(said.at(-1));
        });
      }),
      runs,
    );
  });

  test('a compaction is not repeated right after it', () => {
    fc.assert(
      fc.property(anySteps, configs, (given, config) => {
        play(given, config, (history, { folded }) => {
          if (!folded) return;
          const again = planFold(measured(history), 'size');
          if (typeof again === 'object') expect(again.fold.tokens.after).toBeLessThan(estimateOf(history));
        });
      }),
      runs,
    );
  });

  test('the same history always folds to the same bytes', () => {
    fc.assert(
      fc.property(anySteps, configs, (given, config) => {
        const texts = () => JSON.stringify(readOf(play(given, config, () => undefined)));
        expect(texts()).toBe(texts());
      }),
      { numRuns: 15 },
    );
  });
});
