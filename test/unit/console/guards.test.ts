import { describe, expect, test } from 'vitest';
import type { ReplayedVerdict } from '../../../web/client/index.ts';
import { cellsOf, columnsOf } from '../../../web/console/src/guards/grid.ts';

const verdict = (step: number, effect: ReplayedVerdict['effect'], runId = 'a'): ReplayedVerdict => ({
  ...{ runId, step, guard: 'cycles', code: 'cycle', effect, message: 'Again.' },
});
const columns = [1, 2, 3, 4].map((step) => ({ runId: 'a', step }));
const marks = (...asked: Parameters<typeof cellsOf>) => cellsOf(...asked).map(({ mark }) => mark);

describe('the grid of a replay', () => {
  test('has a column for each step of each run, and the latest if they are many', () => {
    expect(columnsOf({ runs: [{ runId: 'a', steps: 2 }] })).toEqual({
      columns: columns.slice(0, 2),
      cut: false,
    });
    const many = columnsOf({
      runs: [
        { runId: 'a', steps: 150 },
        { runId: 'b', steps: 100 },
      ],
    });
    expect(many.cut).toBe(true);
    expect(many.columns).toHaveLength(200);
    expect(many.columns[0]).toEqual({ runId: 'a', step: 51 });
  });

  test('marks a step by the strongest verdict', () => {
    const said = [verdict(2, 'advised'), verdict(3, 'refused'), verdict(3, 'warned'), verdict(4, 'unsaid')];
    expect(marks({ said }, columns)).toEqual(['silent', 'told', 'stopped', 'silent']);
  });

  test('shows where a run ends, and nothing after it', () => {
    const end = { runId: 'a', step: 2, reason: 'loop_halt', state: 'error' } as const;
    expect(marks({ said: [verdict(2, 'ended')], ends: [end] }, columns)).toEqual([
      'silent',
      'ended',
      'over',
      'over',
    ]);
    const accepted = { ...end, reason: 'completed', state: 'completed' } as const;
    expect(marks({ said: [], ends: [accepted] }, columns)).toEqual(['silent', 'silent', 'over', 'over']);
  });

  test('an end before the first step leaves the whole run empty', () => {
    const end = { runId: 'a', step: 0, reason: 'token_budget', state: 'budget_exceeded' } as const;
    expect(new Set(marks({ said: [], ends: [end] }, columns))).toEqual(new Set(['over']));
  });

  test('keeps runs apart', () => {
    const end = { runId: 'a', step: 1, reason: 'loop_halt', state: 'error' } as const;
    const two = [...columns.slice(0, 2), { runId: 'b', step: 1 }];
    expect(marks({ said: [verdict(1, 'warned', 'b')], ends: [end] }, two)).toEqual(['ended', 'over', 'told']);
  });
});
