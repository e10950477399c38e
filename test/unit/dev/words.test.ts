import { expect, test } from 'vitest';
import { understand } from '../../../cli/dev/talk/words.ts';

const agents = ['support', 'sales'];
const approval = { id: 'w1', reason: 'approval' };
const question = { id: 'w2', reason: 'question' };

test('typed text is a message, unless the run waits for a person', () => {
  expect(understand(' Where is it? ', undefined, agents)).toEqual({ kind: 'message', text: 'Where is it?' });
  expect(understand('  ', undefined, agents)).toEqual({ kind: 'nothing' });
});

test.each([
  ['y', { approved: true }],
  ['YES', { approved: true }],
  ['n', { approved: false }],
  ['no, too dear', { approved: false, note: 'too dear' }],
  ['n: not today', { approved: false, note: 'not today' }],
])('an approval is decided by %j', (line, decision) => {
  expect(understand(line, approval, agents)).toEqual({
    kind: 'decision',
    decision: { id: 'w1', ...decision },
  });
});

test.each(['', 'maybe', 'yesterday', 'nothing'])('%j decides no approval', (line) => {
  expect(understand(line, approval, agents)).toMatchObject({ kind: 'wrong' });
});

test('a question takes any answer except an empty one', () => {
  expect(understand('no', question, agents)).toEqual({
    kind: 'decision',
    decision: { id: 'w2', approved: true, note: 'no' },
  });
  expect(understand(' ', question, agents)).toMatchObject({ kind: 'wrong' });
});

test('commands work at any time', () => {
  expect(understand('/new', approval, agents)).toEqual({ kind: 'new' });
  expect(understand('/quit', question, agents)).toEqual({ kind: 'leave' });
  expect(understand('/agent sales', undefined, agents)).toEqual({ kind: 'agent', name: 'sales' });
  expect(understand('/agent unknown', undefined, agents)).toEqual({
    kind: 'wrong',
    sentence: 'There is no agent unknown; there are: support, sales.',
  });
  expect(understand('/hepl', undefined, agents)).toMatchObject({ kind: 'wrong' });
});

test.each([
  ['y', { approved: true }],
  ['1, 3', { approved: [1, 3] }],
  ['2', { approved: [2] }],
  ['n too much', { approved: false, note: 'too much' }],
])('a plan is decided by %j', (line, decision) => {
  const plan = { id: 'w3', reason: 'plan' };
  expect(understand(line, plan, agents)).toEqual({ kind: 'decision', decision: { id: 'w3', ...decision } });
});
