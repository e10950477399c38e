import { describe, expect, test } from 'vitest';
import type { WaitInfo } from '../../../shared/contract/http.ts';
import { type State, states } from '../../../shared/contract/session.ts';
import { goesOn, isOver, runNamed, taskStateOf } from '../../../shared/doors/a2a/run.ts';
import { contentOf, decisionsFor } from '../../../shared/doors/a2a/sent.ts';

test.each<[State, string]>([
  ['idle', 'working'],
  ['running', 'working'],
  ['waiting_for_tool', 'working'],
  ['waiting_for_input', 'input_required'],
  ['completed', 'completed'],
  ['cancelled', 'canceled'],
  ['error', 'failed'],
  ['timed_out', 'failed'],
  ['max_steps', 'failed'],
  ['budget_exceeded', 'failed'],
])('a session that is %s shows a task that is %s', (state, shown) => {
  expect(taskStateOf(state)).toBe(shown);
});

test('each task state goes on, asks people or is over', () => {
  for (const state of states.map(taskStateOf))
    expect([goesOn(state), isOver(state), state === 'input_required'].filter(Boolean)).toHaveLength(1);
});

test.each([
  ['s1-0', { sessionId: 's1', slot: 0 }],
  ['a-b-12', { sessionId: 'a-b', slot: 12 }],
  ['s1', undefined],
  ['-1', undefined],
  ['s1-x', undefined],
  ['s1-99999999999', undefined],
])('the task id %s names a run, or nothing', (id, named) => {
  expect(runNamed(id)).toEqual(named);
});

describe('a message', () => {
  test('has its texts and its data, and no files', () => {
    expect(
      contentOf([
        { kind: 'text', text: 'One.' },
        { kind: 'data', data: { n: 2 } },
        { kind: 'data', data: { decision: 'approve', more: 1 } },
      ]),
    ).toEqual({ text: 'One.\n\n{"n":2}\n\n{"decision":"approve","more":1}', decisions: [] });
    expect(contentOf([{ kind: 'text', text: 'x' }, { kind: 'file' }])).toBeUndefined();
  });

  const wait = (id: string, kind: WaitInfo['kind']): WaitInfo => ({
    ...{ id, kind, tool: 'pay', toolCallId: 'c1', message: 'pay' },
    expiresAt: '2026-11-24T00:00:00.000Z',
  });
  const text = (said: string) => ({ text: said, decisions: [] });
  const data = (...decisions: NonNullable<ReturnType<typeof contentOf>>['decisions'][number][]) => ({
    ...{ text: '', decisions },
  });

  test.each([
    [
      'a text answers the only question',
      text('Blue.'),
      [wait('w1', 'question')],
      [{ id: 'w1', approved: true, note: 'Blue.' }],
    ],
    [
      'a part approves the only wait',
      data({ decision: 'approve' }),
      [wait('w1', 'approval')],
      [{ id: 'w1', approved: true }],
    ],
    [
      'a part refuses with a reason',
      data({ wait: 'w2', decision: 'refuse', why: 'No.' }),
      [wait('w1', 'approval'), wait('w2', 'approval')],
      [{ id: 'w2', approved: false, note: 'No.' }],
    ],
    [
      'a part answers',
      data({ wait: 'w1', answer: 'Blue.' }),
      [wait('w1', 'question')],
      [{ id: 'w1', approved: true, note: 'Blue.' }],
    ],
  ])('decides: %s', (_what, content, asks, decided) => {
    expect(decisionsFor(content, asks)).toEqual(decided);
  });

  test.each([
    ['a text does not approve', text('yes'), [wait('w1', 'approval')], /data part/],
    [
      'a text does not answer one of two',
      text('Blue.'),
      [wait('w1', 'question'), wait('w2', 'question')],
      /data part/,
    ],
    ['nothing answers nothing', text(''), [wait('w1', 'question')], /data part/],
    [
      'a part names one of two',
      data({ decision: 'approve' }),
      [wait('w1', 'approval'), wait('w2', 'approval')],
      /Name the wait/,
    ],
  ])('decides nothing: %s', (_what, content, asks, sentence) => {
    expect(decisionsFor(content, asks)).toMatch(sentence);
  });
});
