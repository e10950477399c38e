import { expect, test } from 'vitest';
import type { Outcome } from '../../../shared/agent/events/wait-outcomes.ts';
import { byOf, outcomeTexts } from '../../../shared/slack/asks.ts';
import { ask } from '../../../shared/slack/blocks.ts';

test.for<[Outcome, string]>([
  [{ outcome: 'approved', by: byOf('T1', 'U1') }, ':white_check_mark: Approved by <@U1>'],
  [{ outcome: 'denied', by: byOf('T1', 'U1') }, ':no_entry: Denied by <@U1>'],
  [{ outcome: 'answered' }, ':white_check_mark: Answered'],
  [{ outcome: 'approved', by: 'user:ann' }, ':white_check_mark: Approved by `user:ann`'],
  [{ outcome: 'denied', by: 'user:<!here>`' }, ':no_entry: Denied by `user:&lt;!here&gt;`'],
  [{ outcome: 'expired' }, ':hourglass: Not decided in time: it counts as denied.'],
  [{ outcome: 'cancelled' }, ':octagonal_sign: No longer needed: the run was stopped.'],
])('%j is worded as %s', ([outcome, text]) => {
  expect(outcomeTexts([{ id: 'w1', reason: 'approval' }], { w1: outcome })).toEqual({ w1: text });
});

test('an expired question is not shown as denied', () => {
  const asks = [{ id: 'w1', reason: 'question' }, { id: 'w2', reason: 'question' }, { id: 'w3' }];
  expect(outcomeTexts(asks, { w1: { outcome: 'expired' }, w3: { outcome: 'expired' } })).toEqual({
    w1: ':hourglass: Not answered in time.',
    w3: ':hourglass: Not decided in time: it counts as denied.',
  });
});

test.for([
  ['approval', 'Counts as denied after'],
  ['question', 'Waiting for an answer until'],
] as const)('the deadline of %s has its own wording', ([reason, words]) => {
  const shown = JSON.stringify(
    ask({ id: 'w1', reason, message: 'Which?', expiresAt: '2027-01-01T00:00:00Z' }),
  );
  expect(shown).toContain(words);
  expect(shown.includes('denied')).toBe(reason === 'approval');
});
