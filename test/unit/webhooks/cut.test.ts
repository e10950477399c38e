import { expect, test } from 'vitest';
import { cutToMax } from '../../../functions/webhooks/cut.ts';
import { MAX_TEXT } from '../../../shared/contract/message.ts';

test.each([
  ['short', '', 'short'],
  ['short', 'after', 'short\n\nafter'],
  ['', 'after', 'after'],
])('%j with %j is one message', (text, after, whole) => {
  expect(cutToMax(text, after)).toBe(whole);
});

test('a text that is too long is cut between characters, and says so', () => {
  for (const length of [MAX_TEXT + 1, MAX_TEXT + 2]) {
    const cut = cutToMax('😀'.repeat(length), 'after');
    expect(cut.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(cut).toContain(`[cut: the whole has ${2 * length} characters]`);
    expect(cut.endsWith('\n\nafter')).toBe(true);
    expect(cutToMax(`x${'😀'.repeat(length)}`, 'after').isWellFormed()).toBe(true);
    expect(cut.isWellFormed()).toBe(true);
  }
});
