import { expect, test } from 'vitest';
import type { AgUiEvent, Folded } from '../../../shared/contract/events.ts';
import { foldMessage } from '../../../shared/contract/folds.ts';
import { status } from '../../../shared/slack/blocks.ts';
import { toStories } from '../../../shared/slack/story.ts';

const told = (events: readonly AgUiEvent[]) =>
  toStories(events.map((event, i) => ({ seq: i + 1, prev: i, event })));

test.for([
  ['in its first AG-UI run', 's1-0'],
  ['after an approval', 's1-0.1'],
] as const)('committed text of a dead attempt is told again: %s', ([, runId]) => {
  const [story] = told([
    { type: 'RUN_STARTED', threadId: 's1', runId },
    { type: 'TEXT_MESSAGE_START', messageId: 's1-0-2-7', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 's1-0-2-7', delta: 'Half a sent' },
    { type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds: ['s1-0-2-7'], toolCallIds: [] } },
    {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        { id: 's1-9-0-1', role: 'assistant', content: 'From another run.' },
        { id: 's1-0-2-8', role: 'assistant', content: 'A whole sentence.' },
      ],
    },
  ] as AgUiEvent[]);
  expect(story?.said.map(({ text, retracted }) => [text, retracted])).toEqual([['A whole sentence.', false]]);
});

test('the status shows a compaction while it is going, and the thread shows nothing of it', () => {
  const folding: AgUiEvent = {
    type: 'CUSTOM',
    name: 'steploop.folding',
    value: { why: 'size', tokens: 9, chars: 0 },
  };
  const folded: Folded = {
    slot: 4,
    why: 'size',
    tokens: { before: 9, after: 3 },
    left: { messages: 2, tokens: 6 },
    costUsd: 0,
    summary: 'They greeted.',
  };
  const begun: AgUiEvent[] = [
    { type: 'RUN_STARTED', threadId: 's1', runId: 's1-0' },
    { type: 'STEP_STARTED', stepName: '1' },
    { type: 'TEXT_MESSAGE_START', messageId: 's1-0-2-7', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 's1-0-2-7', delta: 'Hello.' },
    { type: 'TEXT_MESSAGE_END', messageId: 's1-0-2-7' },
    folding,
  ];
  const statusAfter = (...events: AgUiEvent[]) => {
    const [story] = told([...begun, ...events]);
    return story && status(story).text;
  };
  expect(statusAfter()).toBe(':hourglass_flowing_sand: Summarizing the conversation');
  const ends: AgUiEvent[] = [
    { type: 'CUSTOM', name: 'steploop.folded', value: folded },
    { type: 'STEP_STARTED', stepName: '2' },
  ];
  for (const end of ends) expect(statusAfter(end)).toBe(':hourglass_flowing_sand: Working');
  const [story] = told([...begun, ...ends, { type: 'MESSAGES_SNAPSHOT', messages: [foldMessage(folded)] }]);
  expect(story?.said.map(({ text }) => text)).toEqual(['Hello.']);
});

test('a message that a snapshot has shown whole is not told again: it was read after later events', () => {
  const messageId = 's1-0-2-7';
  const [story] = told([
    { type: 'RUN_STARTED', threadId: 's1', runId: 's1-0' },
    { type: 'MESSAGES_SNAPSHOT', messages: [{ id: messageId, role: 'assistant', content: 'All of it.' }] },
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'All of it.' },
    { type: 'TEXT_MESSAGE_END', messageId },
  ]);
  expect(story?.said).toEqual([{ messageId, text: 'All of it.', open: false, retracted: false }]);
});

test.each([
  ['tool_source_unreachable', 'Waiting for the server of its tools, next try'],
  ['overloaded', 'Waiting for the model, next try'],
])('the status names the wait: %s', (code, says) => {
  const value = {
    code,
    message: 'It failed.',
    retry: 1,
    delayMs: 1_000,
    nextTryAt: '2026-01-01T00:00:01.000Z',
  };
  const [story] = told([
    { type: 'RUN_STARTED', threadId: 's1', runId: 's1-0' },
    { type: 'CUSTOM', name: 'steploop.retry', value },
  ]);
  expect(story && status(story).text).toContain(says);
});

const result = (object?: unknown) => {
  const totals = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
  const done = { success: true, state: 'completed', reason: 'completed', steps: 1, toolCalls: 0, totals };
  return { ...done, ...(object !== undefined && { object }) };
};
const texts = (...events: unknown[]) => {
  const begun: AgUiEvent = { type: 'RUN_STARTED', threadId: 's1', runId: 's1-0' };
  const [story] = told([begun, ...(events as AgUiEvent[])]);
  return story?.said.map(({ text }) => text);
};
const said = (messageId: string, delta: string) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
];
const ended = (object?: unknown) => ({ type: 'CUSTOM', name: 'steploop.ended', value: result(object) });
const finished = (object?: unknown) => [
  ended(object),
  {
    ...{ type: 'RUN_FINISHED', threadId: 's1', runId: 's1-0', result: result(object) },
    outcome: { type: 'success' },
  },
];

test('an answer that is an object is held back while it is written, and is shown field by field', () => {
  const half = said('a', '{"title":"It cr');
  const looking = said('b', 'Let me look.');
  const whole = said('c', '```json\n{"title":"It crashes"}\n```');
  expect(texts(...half, ...looking, ...whole)).toEqual(['', 'Let me look.', '']);
  const object = {
    title: 'It crashes',
    remainingWork: ['one\nmore', { file_name: 'a.ts', lines: [1, 2] }],
    labels: [],
    note: null,
    isOpen: false,
    body: 'a\nb\ud800',
    more: { n: 1 },
  };
  expect(texts(...half, ...looking, ...whole, ...finished(object))).toEqual([
    '',
    'Let me look.',
    [
      '**Title:** It crashes',
      '**Remaining work:**\n- one more\n- File name: a.ts; Lines: [1,2]',
      '**Labels:** none',
      '**Is open:** false',
      '**Body:**\na\nb\ufffd',
      '**More:**\n```\n{\n  "n": 1\n}\n```',
    ].join('\n\n'),
  ]);
});

test('a run without success still shows its object', () => {
  const failed = { type: 'RUN_ERROR', message: 'Too dear.', code: 'cost_limit' };
  expect(texts(...said('a', '{"a":1}'), ended({ a: 1 }), failed)).toEqual(['**A:** 1']);
});

test('JSON of a run without an object is shown as text, once the run has ended or waits', () => {
  const json = said('a', '{"a":1}');
  expect(texts(...json)).toEqual(['']);
  expect(texts(...json, ...finished())).toEqual(['{"a":1}']);
  expect(texts(...json, { type: 'RUN_ERROR', message: 'No.', code: 'answer_invalid' })).toEqual(['{"a":1}']);
});

test('the status shows the progress of the task list, and the current task', () => {
  const tasks = (mend: 'in_progress' | 'done'): AgUiEvent => ({
    type: 'CUSTOM',
    name: 'steploop.tasks',
    value: {
      tasks: [
        { id: 1, title: 'Read', state: 'done' },
        { id: 2, title: 'Mend <it>', state: mend },
      ],
    },
  });
  const begun: AgUiEvent = { type: 'RUN_STARTED', threadId: 's1', runId: 's1-0' };
  const statusAfter = (...events: AgUiEvent[]) => {
    const [story] = told([begun, ...events]);
    return story && status(story).text;
  };
  expect(statusAfter(tasks('in_progress'))).toBe(
    ':hourglass_flowing_sand: Working · 1 of 2 tasks done: Mend &lt;it&gt;',
  );
  expect(statusAfter(tasks('in_progress'), tasks('done'))).toBe(
    ':hourglass_flowing_sand: Working · 2 of 2 tasks done',
  );
});

test('the status names the skills that a run has read, each once, and the agent that it was handed to', () => {
  const read = (skill: string): AgUiEvent => ({
    type: 'CUSTOM',
    name: 'steploop.skill',
    value: { toolCallId: 'c1', skill },
  });
  const begun: AgUiEvent = { type: 'RUN_STARTED', threadId: 's1', runId: 's1-0' };
  const statusAfter = (...events: AgUiEvent[]) => {
    const [story] = told([begun, ...events]);
    return story && status(story).text;
  };
  expect(statusAfter(read('refunds'))).toBe(':hourglass_flowing_sand: Working · skill: refunds');
  expect(statusAfter(read('refunds'), read('a<b>'), read('refunds'))).toBe(
    ':hourglass_flowing_sand: Working · skills: refunds, a&lt;b&gt;',
  );
  expect(statusAfter(read('refunds'), ...(finished() as AgUiEvent[]))).toMatch(/ · skill: refunds · \$/);
  const handed: AgUiEvent = {
    type: 'CUSTOM',
    name: 'steploop.handoff',
    value: { toolCallId: 'c1', from: 'triage', to: 'billing' },
  };
  expect(statusAfter(handed)).toBe(':hourglass_flowing_sand: Working · now with billing');
});
