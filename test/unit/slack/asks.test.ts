import { expect, test } from 'vitest';
import type { Outcome } from '../../../shared/agent/doors/decided.ts';
import { byOf, outcomeTexts } from '../../../shared/slack/asks.ts';

test.for<[Outcome, string]>([
  [{ outcome: 'approved', by: byOf('T1', 'U1') }, ':white_check_mark: Approved by <@U1>'],
  [{ outcome: 'denied', by: byOf('T1', 'U1') }, ':no_entry: Denied by <@U1>'],
  [{ outcome: 'answered' }, ':white_check_mark: Answered'],
  [{ outcome: 'approved', by: 'user:ann' }, ':white_check_mark: Approved by `user:ann`'],
  [{ outcome: 'denied', by: 'user:<!here>`' }, ':no_entry: Denied by `user:&lt;!here&gt;`'],
  [{ outcome: 'expired' }, ':hourglass: Nobody decided in time: it counts as denied.'],
  [{ outcome: 'cancelled' }, ':octagonal_sign: Not needed any more: the run was stopped.'],
])('%j is told as %s', ([outcome, text]) => {
  expect(outcomeTexts({ w1: outcome })).toEqual({ w1: text });
});
