import { expect, test } from 'vitest';
import { rulesOf } from '../../../shared/models/dialects.ts';
import type { ChatMessage } from '../../../shared/models/openai/chat.ts';
import { inOrder } from '../../../shared/models/openai/order.ts';

const user: ChatMessage = { role: 'user', content: 'Hi.' };
const paused: ChatMessage = { role: 'assistant', content: 'It is' };
const rules = (dialect: 'mistral' | 'gemini' | 'compatible') =>
  rulesOf({ provider: 'openai', baseUrl: 'http://x', model: 'm', dialect });

test.each(['mistral', 'gemini'] as const)(
  '%s: a reply that another model paused is followed by a user message',
  (name) => {
    const once = inOrder([user, paused], rules(name));
    expect(once.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    const later = inOrder([user, paused, paused, user], rules(name));
    expect(later.slice(0, 3)).toEqual(once);
    expect(later.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  },
);

test('for other servers the order stays', () => {
  expect(inOrder([user, paused], rules('compatible'))).toEqual([user, paused]);
});
