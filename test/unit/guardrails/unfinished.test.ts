import { expect, test } from 'vitest';
import { isUnfinished } from '../../../shared/agent/guardrails/loops/unfinished.ts';

const says = (content: string, name = 'get_job', input: unknown = { id: 1 }) =>
  isUnfinished(
    { id: 'c', name, input },
    { callId: 'c', name, durationMs: 0, outcome: 'ok', content },
    undefined,
  );

test.each([
  '{"status":"PENDING"}',
  '{"job":{"state":"CREATE_IN_PROGRESS"}}',
  '{"build_status":{"name":"queued"}}',
  '[{"id":8,"phase":"Running"}]',
  'in progress',
  'Not ready yet',
])('%s is not finished', (content) => {
  expect(says(content)).toBe(true);
});

test.each([
  '{"status":"DONE"}',
  '{"note":"pending"}',
  '{"status":"unscheduled"}',
  'No pending jobs',
  'Server is not running',
  `A job that is running is ${'never '.repeat(20)}finished`,
])('%s is not a poll', (content) => {
  expect(says(content)).toBe(false);
});

test('calls, logs and changes are not polls either', () => {
  expect(says('found: pending', 'get_orders', { query: 'Pending' })).toBe(false);
  expect(says('starting', 'fetch_log')).toBe(false);
  expect(says('{"status":"queued"}', 'write_job')).toBe(false);
});
