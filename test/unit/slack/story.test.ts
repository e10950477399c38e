import { expect, test } from 'vitest';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { toStories } from '../../../shared/slack/story.ts';

const told = (events: readonly AgUiEvent[]) =>
  toStories(events.map((event, i) => ({ seq: i + 1, prev: i, event })));

test.for([
  ['in its first AG-UI run', 's1-0'],
  ['after an approval', 's1-0.1'],
] as const)('what an attempt that died had committed is told again: %s', ([, runId]) => {
  const [story] = told([
    { type: 'RUN_STARTED', threadId: 's1', runId },
    { type: 'TEXT_MESSAGE_START', messageId: 's1-0-2-7', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 's1-0-2-7', delta: 'Half a sent' },
    { type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds: ['s1-0-2-7'], toolCallIds: [] } },
    {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        { id: 's1-9-0-1', role: 'assistant', content: 'Of another run.' },
        { id: 's1-0-2-8', role: 'assistant', content: 'A whole sentence.' },
      ],
    },
  ] as AgUiEvent[]);
  expect(story?.said.map(({ text, retracted }) => [text, retracted])).toEqual([['A whole sentence.', false]]);
});
