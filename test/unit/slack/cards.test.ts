import { describe, expect, test } from 'vitest';
import { brokenRule } from '../../../local/slack/emulated/message-rules.ts';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';
import { planOf } from '../../../shared/slack/cards.ts';
import { toStories } from '../../../shared/slack/story.ts';
import { type FakeSlack, fakeSlack, type Scripted } from '../../support/fake-slack.ts';
import { aborted, begin, close, finished, say, session, started } from '../../support/slack-session.ts';

const call = (id: string, toolCallName = 'look'): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_START', toolCallId: id, toolCallName },
});
const result = (id: string, content = 'ok'): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_RESULT', messageId: `result-${id}`, toolCallId: id, role: 'tool', content },
});
const tasks = (...list: [string, 'open' | 'in_progress' | 'done'][]): AgUiEvent => ({
  type: 'CUSTOM',
  name: 'steploop.tasks',
  value: { tasks: list.map(([title, state], i) => ({ id: i + 1, title, state })) },
});
const script: AgUiEvent[][] = [
  [started(), tasks(['Read', 'in_progress'], ['Write', 'open']), call('c1')],
  [result('c1'), call('c2', 'save')],
  [result('c2', 'Error [failed]: no')],
  [tasks(['Read', 'done'], ['Write', 'done'])],
  [begin('s1-0-0-2'), say('s1-0-0-2', 'Done, all of it.'), close('s1-0-0-2'), finished()],
];
const final = ['Done', '[complete] Read', '[complete] Write', '[complete] look', '[error] save'].join('\n');

const shown = (slack: FakeSlack, run = script) => session(slack, run, undefined, { cards: true });
const plans = ({ messages }: FakeSlack) => messages.flatMap(({ plan }) => (plan ? [String(plan)] : []));
const methods = ({ calls }: FakeSlack) => calls.map(({ method }) => method.replace('chat.', ''));
const chunked = ({ calls }: FakeSlack) => calls.filter(({ args }) => args.chunks).map(({ method }) => method);

describe('task cards', () => {
  test('stream in a message of their own while the run works, and end with it', async () => {
    await using slack = await fakeSlack();
    const thread = shown(slack);
    await thread.deliver();
    expect(plans(slack)).toEqual([final]);
    expect(chunked(slack)[0]).toBe('chat.startStream');
    expect(chunked(slack).at(-1)).toBe('chat.stopStream');
    expect(slack.messages.map(({ streaming }) => streaming)).not.toContain(true);
    expect(slack.texts()).toEqual([expect.stringContaining(':white_check_mark:'), '', 'Done, all of it.']);
    expect(slack.calls[1]?.args).toMatchObject({ task_display_mode: 'plan', recipient_user_id: 'U1' });
    expect(thread.isSaid()).toBe(true);
  });

  test('are absent without the setting, and for a run without calls', async () => {
    await using slack = await fakeSlack();
    await session(slack, script).deliver();
    await shown(slack, [[started(), begin('m'), say('m', 'Hi.'), close('m'), finished()]]).deliver();
    expect(plans(slack)).toEqual([]);
  });

  test('are a plan that is rewritten where streams are not allowed', async () => {
    await using slack = await fakeSlack({ streams: false });
    await shown(slack).deliver();
    expect(plans(slack)).toEqual([final]);
    expect(methods(slack)).not.toContain('stopStream');
  });

  test('are a plan if the run is over before they are shown', async () => {
    await using slack = await fakeSlack();
    await shown(slack, [script.flat()]).deliver();
    expect(plans(slack)).toEqual([final]);
    expect(chunked(slack)).toEqual([]);
  });

  test.each([
    ['chat.startStream', 'invalid_chunks'],
    ['chat.startStream', 'invalid_arguments'],
    ['chat.appendStream', 'message_not_in_streaming_state'],
    ['chat.appendStream', 'streaming_mode_mismatch'],
    ['chat.appendStream', 'msg_too_long'],
    ['chat.stopStream', 'message_not_in_streaming_state'],
  ])('that %s refuses (%s) are rewritten as a plan, and texts stream on', async (method, error) => {
    await using slack = await fakeSlack();
    slack.next(method, { error });
    const thread = shown(slack);
    await thread.deliver();
    expect(plans(slack)).toEqual([final]);
    expect(slack.texts().at(-1)).toBe('Done, all of it.');
    expect(thread.state.thread.streams).toBe('yes');
    expect(thread.isSaid()).toBe(true);
  });

  test('are posted when the run is over where messages cannot be changed', async () => {
    await using slack = await fakeSlack({ streams: false });
    const thread = shown(slack);
    thread.state.thread = { ...thread.state.thread, edits: 'never' };
    await thread.deliver();
    expect(plans(slack)).toEqual([final]);
    expect(slack.calls.filter(({ args }) => args.blocks?.includes('"plan"'))).toHaveLength(1);
  });

  test('that Slack does not let change are left as they are, and no message is tried from then on', async () => {
    await using slack = await fakeSlack({ streams: false });
    slack.next('chat.update', { error: 'cant_update_message' });
    const thread = shown(slack);
    await thread.deliver();
    expect(plans(slack)).toHaveLength(1);
    expect(thread.state.thread).toMatchObject({ edits: 'never' });
    expect(thread.state.thread.taskCards).toBeUndefined();
    expect(slack.texts().at(-1)).toBe('Done, all of it.');
  });

  test('that Slack takes in no way are left out from then on', async () => {
    await using slack = await fakeSlack({ streams: false });
    slack.next('chat.postMessage', 'ok', { error: 'invalid_blocks' });
    const thread = shown(slack);
    await thread.deliver();
    expect(plans(slack)).toEqual([]);
    expect(slack.texts()).toContain('Done, all of it.');
    expect(thread.state.thread).toMatchObject({ taskCards: 'never' });
    expect(thread.missing).toEqual([]);
  });

  test('that a person deletes stay away', async () => {
    await using slack = await fakeSlack();
    const thread = shown(slack);
    await thread.deliver({ dieAtSleep: 2 });
    const streamed = slack.messages.find(({ plan }) => plan);
    slack.remove(streamed?.ts ?? '');
    thread.wait(1_000);
    await thread.deliver();
    await thread.deliver();
    expect(plans(slack)).toEqual([]);
    expect(slack.texts().at(-1)).toBe('Done, all of it.');
  });

  test('stand once, and right, however a delivery dies', async () => {
    for (let dieAtSave = 1; ; dieAtSave++) {
      await using slack = await fakeSlack();
      const thread = shown(slack);
      const first = await thread.deliver({ dieAtSave });
      for (let n = 0; n < 6 && !thread.isSaid(); n++) {
        thread.wait(10_000);
        await thread.deliver();
      }
      expect({ dieAtSave, plans: plans(slack), count: slack.messages.length }).toEqual({
        ...{ dieAtSave, plans: [final], count: 3 },
      });
      expect(slack.messages.some(({ streaming }) => streaming)).toBe(false);
      if (first !== 'died') return;
    }
  });

  test.each([
    ['chat.startStream', 'drop'],
    ['chat.startStream', 'fail'],
    ['chat.startStream', { limited: 2 }],
    ['chat.appendStream', 'drop'],
    ['chat.appendStream', 'fail'],
    ['chat.appendStream', { limited: 2 }],
    ['chat.stopStream', 'drop'],
    ['chat.stopStream', 'fail'],
  ] as [string, Scripted][])('stand once, and right, if %s answers with %j', async (method, answer) => {
    await using slack = await fakeSlack();
    slack.next(method, answer);
    const thread = shown(slack);
    for (let n = 0; n < 8 && !thread.isSaid(); n++) {
      await thread.deliver();
      thread.wait(6_000);
    }
    expect(plans(slack)).toEqual([final]);
    expect(slack.messages).toHaveLength(3);
  });

  test('of a long call end their stream before Slack does, and go on as a plan', async () => {
    await using slack = await fakeSlack();
    const long = [...script.slice(0, 1), ...Array.from({ length: 40 }, () => []), ...script.slice(1)];
    const thread = shown(slack, long);
    const at: number[] = [];
    for (let n = 0; n < 8 && !thread.isSaid(); n++) {
      await thread.deliver();
      at.push(slack.calls.length);
    }
    expect(plans(slack)).toEqual([final]);
    expect(chunked(slack)).toEqual(['chat.startStream']);
    expect(slack.messages).toHaveLength(3);
  });

  test('do not stay open while the model is waited for', async () => {
    await using slack = await fakeSlack();
    const retry: AgUiEvent = {
      ...{ type: 'CUSTOM', name: 'steploop.retry' },
      value: {
        attempt: 1,
        code: 'overloaded',
        nextTryAt: new Date(1_800_000_090_000).toISOString(),
      } as never,
    };
    const run = [[started(), call('c1')], [result('c1'), retry], ...Array.from({ length: 90 }, () => [])];
    await shown(slack, run).deliver();
    expect(plans(slack)).toEqual(['Working\n[complete] look']);
    expect(slack.messages.some(({ streaming }) => streaming)).toBe(false);
  });

  test('show calls that never ended as they are', async () => {
    await using slack = await fakeSlack();
    const end: AgUiEvent = { type: 'RUN_ERROR', message: 'no', code: 'crash_loop' };
    await shown(slack, [
      [started(), call('c1')],
      [aborted('m'), call('c2')],
      [result('c2')],
      [end],
    ]).deliver();
    expect(plans(slack)).toEqual(['Failed\n[error] look\n[complete] look']);
  });
});

describe('the cards of a story', () => {
  const storyOf = (...events: AgUiEvent[]) => {
    const frames: Frame[] = events.map((event, i) => ({ seq: i + 1, prev: i, event }));
    const [story] = toStories(frames, undefined, { cards: true });
    if (!story) throw new Error('no story');
    return story;
  };

  test('are as many as a plan takes, and their order only grows', () => {
    const many = Array.from({ length: 60 }, (_, i) => call(`c${i}`));
    const all = tasks(
      ...Array.from({ length: 40 }, (_, i): [string, 'open'] => [`t${i} ${'x'.repeat(400)}`, 'open']),
    );
    const story = storyOf(started(), all, ...many);
    expect(story.cards).toHaveLength(45);
    expect(story.cards?.at(-1)).toEqual({ id: 'more', title: 'And 36 more calls', status: 'in_progress' });
    expect(brokenRule('chat.postMessage', { blocks: JSON.stringify(planOf(story).blocks) })).toBeUndefined();
    const before = storyOf(started(), all, ...many.slice(0, 10)).cards ?? [];
    expect(story.cards?.slice(0, before.length)).toEqual(before);
  });

  test('wait while people are waited for', () => {
    const waiting = { ...finished(), outcome: { type: 'interrupt', interrupts: [] } } as AgUiEvent;
    expect(storyOf(started(), call('c1'), waiting).cards).toMatchObject([
      { title: 'look', status: 'pending' },
    ]);
  });
});

const card = { type: 'task_update', id: 'a', title: 'A', status: 'pending' };
test.each([
  [{ chunks: [card] }, undefined],
  [{ chunks: [card], markdown_text: 'x' }, 'cannot_provide_both_markdown_text_and_chunks'],
  [{ chunks: [] }, 'invalid_chunks'],
  [{ chunks: [{ ...card, status: 'done' }] }, 'invalid_chunks'],
  [{ chunks: [{ ...card, title: 'x'.repeat(257) }] }, 'invalid_chunks'],
  [{ chunks: [{ type: 'plan_update', title: '' }] }, 'invalid_chunks'],
  [{ chunks: [{ type: 'other' }] }, 'invalid_chunks'],
])('the emulated Slack takes the chunks that Slack takes (%#)', ({ chunks, ...args }, error) => {
  expect(brokenRule('chat.appendStream', { ...args, chunks: JSON.stringify(chunks) })).toBe(error);
});
