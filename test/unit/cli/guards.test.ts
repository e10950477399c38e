import { describe, expect, test } from 'vitest';
import { replayLines } from '../../../cli/guards/table.ts';
import { plain } from '../../../local/paint.ts';
import type { GuardReplay, ReplayAnswer, ReplayedVerdict } from '../../../web/client/index.ts';

const advice: ReplayedVerdict = {
  ...{ runId: 's1-0', step: 3, slot: 4, guard: 'cycles', code: 'cycle', effect: 'advised' },
  text: 'You have asked for this three times.',
  message: 'look was asked for 3 times,\nand nothing new has come of it.',
};
const silent: GuardReplay = { preset: 'chat', said: [], ends: [] };
const ends: GuardReplay = {
  ...{ preset: 'default', said: [advice], more: 2 },
  ends: [{ runId: 's1-0', step: 4, state: 'error', reason: 'loop_halt' }],
};
const replay: ReplayAnswer = {
  from: 0,
  runs: [{ runId: 's1-0', steps: 7 }],
  ran: { said: [] },
  presets: [ends, silent],
};
const lines = (answer: ReplayAnswer, text = false) => replayLines(answer, { text, width: 120, paint: plain });

describe('a replay in lines', () => {
  test('has each preset with its end and its verdicts', () => {
    expect(lines(replay)).toEqual([
      '1 run, 7 steps',
      '',
      'as it ran  its own guards',
      '  silent',
      '',
      'default  ends after step 4: loop_halt',
      '  step  guard   code   effect   what',
      '  3     cycles  cycle  advised  look was asked for 3 times, and nothing new has come of it.',
      '  and 2 more',
      '',
      'chat  ends no run early',
      '  silent',
    ]);
  });

  test('has under each verdict what the model would have read, if asked to', () => {
    expect(lines(replay, true)[8]).toBe('        You have asked for this three times.');
  });

  test('numbers the runs if there are several, and says which slots are left out', () => {
    const runs = [...replay.runs, { runId: 's1-9', steps: 1 }];
    const later = { ...advice, runId: 's1-9', step: 1 };
    const said = lines({ ...replay, from: 12, runs, presets: [{ ...ends, said: [advice, later] }] });
    expect(said[0]).toBe('2 runs, 8 steps; the slots before 12 are not replayed');
    expect(said).toContain('default  ends after step 1.4: loop_halt');
    expect(said.filter((line) => /^ {2}[12]\./.test(line)).map((line) => line.slice(2, 5))).toEqual([
      '1.3',
      '2.1',
    ]);
  });

  test('does not call an end early that is the end of the stored run', () => {
    const done: GuardReplay = {
      ...silent,
      ends: [{ runId: 's1-0', step: 7, state: 'completed', reason: 'completed' }],
    };
    expect(lines({ ...replay, presets: [done] })).toContain('chat  ends no run early');
  });

  test('writes no control characters to the terminal', () => {
    const message = '\u001b[2Jgone';
    const said = lines({ ...replay, presets: [{ ...ends, said: [{ ...advice, message }] }] });
    expect(said.join('\n')).not.toContain('\u001b');
  });
});
