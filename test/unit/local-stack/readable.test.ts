import { expect, test } from 'vitest';
import { readable } from '../../../local/stack/readable.ts';

test.each([
  [
    'a line of ours',
    { timestamp: 'T', level: 'INFO', message: 'step', sessionId: 's1', usd: 0.5 },
    'INFO step sessionId=s1 usd=0.5',
  ],
  [
    'a failure, with its places below',
    { level: 'WARN', message: 'a tool failed', requestId: 'r', tool: 'get', stack: '    at a\n    at b' },
    'WARN a tool failed tool=get\n    at a\n    at b',
  ],
  ['a text with blanks', { level: 'ERROR', message: 'x', detail: 'no key' }, 'ERROR x detail="no key"'],
  [
    'a metric',
    { _aws: { Timestamp: 1 }, reason: 'provider_error', RunsFailed: 1 },
    'METRIC reason=provider_error RunsFailed=1',
  ],
])('%s is shown as words and figures', (_what, line, expected) => {
  expect(readable(JSON.stringify(line))).toBe(expected);
});

test.each(['(node:1) Warning: something', '{ not json', '{"a":1}'])('%s is shown as it is', (line) => {
  expect(readable(line)).toBe(line);
});
