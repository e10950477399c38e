import { expect, test } from 'vitest';
import { withoutLate } from '../../../shared/agent/events/late-frames.ts';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';

const started: AgUiEvent = { type: 'STEP_STARTED', stepName: 'step' };
const progress: AgUiEvent = {
  type: 'CUSTOM',
  name: 'steploop.progress',
  value: { toolCallId: 'call', message: 'goes on' },
};
/** A sequence of frames: [seq, prev], `progress` by a third entry. */
const framesOf = (line: readonly (readonly [number, number, true?])[]): Frame[] =>
  line.map(([seq, prev, isProgress]) => ({ seq, prev, event: isProgress ? progress : started }));

test.each([
  {
    of: 'one sequence',
    read: [
      [1, 0],
      [2, 1],
      [3, 2],
    ],
    stay: [1, 2, 3],
  },
  {
    of: 'a sequence with missing frames',
    read: [
      [1, 0],
      [5, 4],
      [6, 5],
    ],
    stay: [1, 5, 6],
  },
  {
    of: 'a takeover that has seen all of the dead one',
    read: [
      [101, 0],
      [102, 101],
      [201, 102],
    ],
    stay: [101, 102, 201],
  },
  {
    of: 'a takeover that has seen some',
    read: [
      [101, 0],
      [102, 101],
      [103, 102],
      [201, 101],
    ],
    stay: [101, 201],
  },
  {
    of: 'a sequence that continues from a commit, with late writes of others',
    read: [
      [1, 0],
      [101, 1],
      [102, 101],
      [301, 1],
      [302, 301],
    ],
    stay: [1, 301, 302],
  },
  {
    of: 'a takeover that was taken over itself, before it was seen',
    read: [
      [101, 0],
      [201, 0],
      [301, 101],
    ],
    stay: [101, 301],
  },
  {
    of: 'progress beside the sequence',
    read: [
      [1, 0],
      [40, 1, true],
      [60, 1, true],
      [101, 1],
    ],
    stay: [1, 40, 60, 101],
  },
  {
    of: 'progress of an attempt that died',
    read: [
      [1, 0],
      [101, 1],
      [102, 101, true],
      [201, 1],
    ],
    stay: [1, 201],
  },
  {
    of: 'progress in the sequence',
    read: [
      [1, 0],
      [2, 1, true],
      [3, 2],
    ],
    stay: [1, 2, 3],
  },
] as const)('$of', ({ read, stay }) => {
  for (const frames of [framesOf(read), framesOf(read).reverse()])
    expect(withoutLate(frames).map(({ seq }) => seq)).toEqual(stay);
});
