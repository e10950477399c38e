import { describe, expect, test } from 'vitest';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { scopesFor } from '../../../shared/slack/scopes.ts';
import { isUploadUrl } from '../../../shared/slack/upload.ts';
import { type FakeSlack, fakeSlack, type Scripted } from '../../support/fake-slack.ts';
import { begin, close, finished, say, session, started } from '../../support/slack-session.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const hashOf = (letter: string) => letter.repeat(64);
const contents = { [hashOf('a')]: bytes('a,b\n1,2\n'), [hashOf('b')]: bytes('PDF') };
const report = { name: 'report.csv', hash: hashOf('a'), bytes: 8 };
const paper = { name: 'paper.pdf', hash: hashOf('b'), bytes: 3 };

const call = (id: string, toolCallName = 'send_files'): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_START', toolCallId: id, toolCallName },
});
const result = (id: string, content: unknown): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_RESULT', messageId: `result-${id}`, toolCallId: id, role: 'tool' },
  content: typeof content === 'string' ? content : JSON.stringify(content),
});
const gives = (...sent: object[]): AgUiEvent[][] => [
  [started(), call('c1')],
  [result('c1', { sent })],
  [begin('s1-0-0-2'), say('s1-0-0-2', 'Here it is.'), close('s1-0-0-2'), finished()],
];
const given = (slack: FakeSlack, script = gives(report)) => session(slack, script, undefined, {}, contents);
const filesIn = ({ messages }: FakeSlack) => messages.flatMap(({ files = [] }) => files);
const methods = ({ calls }: FakeSlack) =>
  calls.map(({ method }) => method).filter((method) => /upload|^files/i.test(method));

describe('a file that an agent gives to people', () => {
  test('arrives in the thread, whole and under its name', async () => {
    await using slack = await fakeSlack();
    await given(slack, gives(report, paper)).deliver();
    expect(filesIn(slack)).toMatchObject([
      { name: 'report.csv', title: 'report.csv', bytes: contents[hashOf('a')], sharedIn: 'C1' },
      { name: 'paper.pdf', bytes: contents[hashOf('b')] },
    ]);
    expect(slack.messages.filter(({ files }) => files).map(({ thread }) => thread)).toEqual(['1.1', '1.1']);
    const one = ['files.getUploadURLExternal', 'upload', 'files.completeUploadExternal'];
    expect(methods(slack)).toEqual([...one, ...one]);
    expect(slack.texts().filter((text) => text !== '')).toHaveLength(2);
  });

  test.each([
    ['a path', '../../etc/pass\u202ewd', 'pass_wd'],
    ['quotes and ends of lines', 'a"b\nc.txt', 'a_b_c.txt'],
    ['nothing', ' ', 'file'],
    ['more than fits', `${'x'.repeat(900)}.txt`, `${'x'.repeat(196)}.txt`],
  ])('has a clean name, given %s', async (_what, name, clean) => {
    await using slack = await fakeSlack();
    await given(slack, gives({ ...report, name })).deliver();
    expect(filesIn(slack)).toMatchObject([{ name: clean, title: clean }]);
  });

  test('arrives once, however a delivery dies', async () => {
    for (let dieAtSave = 1; ; dieAtSave++) {
      await using slack = await fakeSlack();
      const thread = given(slack, gives(report, paper));
      const first = await thread.deliver({ dieAtSave });
      for (let n = 0; n < 12 && !thread.isSaid(); n++) {
        thread.wait(10_000);
        await thread.deliver();
      }
      expect({ dieAtSave, names: filesIn(slack).map(({ name }) => name) }).toEqual({
        ...{ dieAtSave, names: ['report.csv', 'paper.pdf'] },
      });
      if (first !== 'died') return;
    }
  });

  test.each([
    ['files.getUploadURLExternal', { limited: 2 }],
    ['files.getUploadURLExternal', 'fail'],
    ['upload', 'fail'],
    ['upload', 'drop'],
    ['files.completeUploadExternal', { limited: 2 }],
    ['files.completeUploadExternal', 'fail'],
    ['files.completeUploadExternal', 'drop'],
    ['files.completeUploadExternal', { error: 'internal_error' }],
  ] as [string, Scripted][])('arrives once if %s answers with %j', async (method, answer) => {
    await using slack = await fakeSlack();
    slack.next(method, answer);
    const thread = given(slack);
    for (let n = 0; n < 12 && !thread.isSaid(); n++) {
      await thread.deliver();
      thread.wait(10_000);
    }
    expect(thread.isSaid()).toBe(true);
    expect(filesIn(slack)).toHaveLength(1);
    expect(thread.missing).toEqual([]);
  });

  test('is asked for first when its delivery died, and uploaded again only if it is not there', async () => {
    await using slack = await fakeSlack();
    slack.next('files.completeUploadExternal', 'drop');
    const thread = given(slack);
    expect(await thread.deliver()).toMatchObject({ end: { kind: 'again' } });
    await thread.deliver();
    expect(methods(slack)).toEqual([
      ...['files.getUploadURLExternal', 'upload', 'files.completeUploadExternal', 'files.info'],
    ]);
    expect(filesIn(slack)).toHaveLength(1);
  });

  test('that was told twice, by events and by a snapshot, arrives once; one of an earlier run is not repeated', async () => {
    await using slack = await fakeSlack();
    const of = (id: string) => ({
      id,
      type: 'function' as const,
      function: { name: 'send_files', arguments: '{}' },
    });
    const content = JSON.stringify({ sent: [report] });
    const snapshot: AgUiEvent = {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        { id: 's0-9-0-1', role: 'assistant', toolCalls: [of('other')] },
        { id: 'result-other', role: 'tool', toolCallId: 'other', content },
        { id: 's1-0-0-1', role: 'assistant', toolCalls: [of('c1')] },
        { id: 'result-c1', role: 'tool', toolCallId: 'c1', content },
      ],
    };
    const script: AgUiEvent[][] = [
      [started(), call('c1')],
      [result('c1', { sent: [report] })],
      [snapshot],
      [finished()],
    ];
    await given(slack, script).deliver();
    await given(slack, [[started(), snapshot, finished()]]).deliver();
    expect(filesIn(slack)).toHaveLength(2);
    const again = given(slack, [...script, [started('s1-0.2'), snapshot, finished('s1-0.2')]]);
    await again.deliver();
    expect(filesIn(slack)).toHaveLength(3);
  });

  test.each([
    ['another tool', [[started(), call('c1', 'look')], [result('c1', { sent: [report] })], [finished()]]],
    ['an error', [[started(), call('c1')], [result('c1', 'Error [failed]: no')], [finished()]]],
    [
      'odd values',
      [[started(), call('c1')], [result('c1', { sent: [{ ...report, hash: '../x' }] })], [finished()]],
    ],
    [
      'too many at once',
      [[started(), call('c1')], [result('c1', { sent: Array(11).fill(report) })], [finished()]],
    ],
  ] as [string, AgUiEvent[][]][])('is none in the result of %s', async (_what, script) => {
    await using slack = await fakeSlack();
    await given(slack, script).deliver();
    expect(methods(slack)).toEqual([]);
  });

  test('without the scope is told of by a sentence and once in the log, and Slack is asked once in a run', async () => {
    await using slack = await fakeSlack();
    slack.next('files.getUploadURLExternal', { error: 'missing_scope' });
    const thread = given(slack, gives(report, paper));
    await thread.deliver();
    expect(methods(slack)).toEqual(['files.getUploadURLExternal']);
    expect(thread.missing).toEqual(['missing_scope']);
    expect(slack.texts()[0]).toContain(
      '2 files could not be shown: Slack refuses them (`missing_scope`). An administrator has to install the app again',
    );
    await given(slack, gives(report)).deliver();
    expect(filesIn(slack)).toHaveLength(1);
  });

  test('whose content is gone, or that Slack refuses, is told of, and the others arrive', async () => {
    await using slack = await fakeSlack();
    slack.next('files.getUploadURLExternal', { error: 'file_type_not_allowed' });
    const gone = { name: 'x', hash: hashOf('c'), bytes: 3 };
    const thread = given(slack, gives(paper, gone, report));
    await thread.deliver();
    expect(thread.missing).toEqual(['file_type_not_allowed', 'file_not_readable']);
    expect(filesIn(slack)).toMatchObject([{ name: 'report.csv' }]);
    expect(slack.texts()[0]).toContain('2 files could not be shown');
  });

  test('is one of at most 20 of a run', async () => {
    await using slack = await fakeSlack();
    const ten = Array<object>(10).fill(report);
    const script: AgUiEvent[][] = [
      [started(), ...['c1', 'c2', 'c3'].map((id) => call(id))],
      ['c1', 'c2', 'c3'].map((id) => result(id, { sent: ten })),
      [finished()],
    ];
    await given(slack, script).deliver({ forMs: 1_000_000 });
    expect(filesIn(slack)).toHaveLength(20);
    expect(slack.texts()[0]).toContain('10 files could not be shown: Slack refuses them (`too_many_files`)');
  });

  test('waits for a channel that takes nothing', async () => {
    await using slack = await fakeSlack();
    slack.next('files.completeUploadExternal', { error: 'not_in_channel' });
    const thread = given(slack);
    expect(await thread.deliver()).toMatchObject({ end: { kind: 'lost', error: 'not_in_channel' } });
    await thread.deliver();
    expect(filesIn(slack)).toHaveLength(1);
  });

  test('is not taken for a stream whose beginning got no answer', async () => {
    await using slack = await fakeSlack();
    const script: AgUiEvent[][] = [
      [started(), call('c1'), result('c1', { sent: [report] })],
      [begin('s1-0-0-2'), say('s1-0-0-2', 'Here it is. ')],
      [say('s1-0-0-2', 'Enjoy.'), close('s1-0-0-2'), finished()],
    ];
    slack.next('chat.startStream', 'fail');
    const thread = given(slack, script);
    await thread.deliver();
    await thread.deliver();
    expect(filesIn(slack)).toHaveLength(1);
    expect(slack.messages.filter(({ files }) => files).map(({ text }) => text)).toEqual(['']);
    expect(slack.texts().filter((text) => text.includes('Enjoy.'))).toHaveLength(1);
  });
});

test.each([
  ['https://files.slack.com/upload/v1/ABC', true],
  ['https://files.slack.com.evil.example/upload/v1/ABC', false],
  ['http://files.slack.com/upload/v1/ABC', false],
  ['https://files.slack.com:8443/upload/v1/ABC', false],
  ['https://user@files.slack.com/upload/v1/ABC', false],
  ['https://files.slack.com/other', false],
  ['http://127.0.0.1:9/upload/v1/ABC', true],
  ['http://127.0.0.1:10/upload/v1/ABC', false],
  ['file:///upload/v1', false],
  ['', false],
])('bytes go to %s: %s', (url, goes) => {
  expect(isUploadUrl(url, 'http://127.0.0.1:9/api/')).toBe(goes);
});

test('the app asks for the scope', () => {
  expect(scopesFor({})).toContain('files:write');
});
