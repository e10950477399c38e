import { describe, expect, test } from 'vitest';
import { hash } from '../../../shared/agent/plain/hash.ts';
import { forOwner, type ResumeEntry, toDecision } from '../../../shared/contract/ag-ui.ts';
import { eventIdFor } from '../../../shared/contract/ids.ts';

describe('what an AG-UI client sends', () => {
  const resolved = (payload?: unknown): ResumeEntry => ({ interruptId: 'i', status: 'resolved', payload });
  test.each<[ResumeEntry, object]>([
    [resolved(), { id: 'i', approved: true }],
    [resolved(true), { id: 'i', approved: true }],
    [resolved(false), { id: 'i', approved: false }],
    [resolved({ approved: false }), { id: 'i', approved: false }],
    [resolved({ approved: true, answer: 'blue' }), { id: 'i', approved: true, note: 'blue' }],
    [resolved({ approved: false, note: 'no' }), { id: 'i', approved: false, note: 'no' }],
    [resolved('blue'), { id: 'i', approved: true, note: 'blue' }],
    [resolved(null), { id: 'i', approved: true }],
    [
      { interruptId: 'i', status: 'cancelled', payload: true },
      { id: 'i', approved: false },
    ],
  ])('%j is read as the decision %j', (entry, decision) => {
    expect(toDecision(entry)).toEqual(decision);
  });
});

test('a client does not get its own messages back as events, and finds them in snapshots under its own ids', () => {
  const show = forOwner(new Map([['user-key-1', 'mine']]));
  expect(show({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'user-key-1', delta: 'x' })).toEqual([]);
  expect(show({ type: 'TEXT_MESSAGE_END', messageId: 'other' })).toHaveLength(1);
  const messages = [{ id: 'user-key-1', role: 'user' as const, content: 'x' }];
  expect(show({ type: 'MESSAGES_SNAPSHOT', messages })).toEqual([
    { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'mine', role: 'user', content: 'x' }] },
  ]);
});

test('a browser and the server derive the same event id for a message', async () => {
  expect(await eventIdFor('a key')).toBe(`key-${hash('a key')}`);
});
