import { describe, expect, test } from 'vitest';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { type FakeSlack, fakeSlack } from '../../support/fake-slack.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { begin, close, finished, say, session, started } from '../../support/slack-session.ts';

const { TEAM, CHANNEL, USER } = recorded;
const THREAD = '1515449522.000016';
const text = 'Hello **you**, here it is.';
const answer: AgUiEvent[][] = [
  [started(), begin('s1-0-0-1')],
  [say('s1-0-0-1', 'Hello **you**, ')],
  [say('s1-0-0-1', 'here it is.'), close('s1-0-0-1'), finished()],
];
const rated = (slack: FakeSlack, script = answer) => session(slack, script, undefined, { rates: true });
const methods = (slack: FakeSlack) => slack.calls.map(({ method }) => method.replace('chat.', ''));
const hasButtons = ({ blocks }: { readonly blocks?: unknown }) =>
  JSON.stringify(blocks ?? null).includes('feedback_buttons');
/** The messages with buttons, by their place in the thread. */
const withButtons = (slack: FakeSlack) =>
  slack.messages.flatMap((message, i) => (hasButtons(message) ? [i] : []));

describe('a finished answer', () => {
  test('has two buttons below it, which come with the end of its stream', async () => {
    await using slack = await fakeSlack();
    await rated(slack).deliver();
    expect(methods(slack)).toEqual(['postMessage', 'startStream', 'stopStream', 'update']);
    expect(slack.messages[1]).toMatchObject({
      text,
      blocks: [
        {
          type: 'context_actions',
          elements: [
            {
              type: 'feedback_buttons',
              action_id: 'steploop.rate',
              positive_button: { value: 'good/s1-0@1.1' },
              negative_button: { value: 'bad/s1-0@1.1' },
            },
          ],
        },
      ],
    });
    expect(withButtons(slack)).toEqual([1]);
  });

  test('has none without the setting', async () => {
    await using slack = await fakeSlack();
    await session(slack, answer).deliver();
    expect(withButtons(slack)).toEqual([]);
  });

  test('waits a moment for the end of the run with its stream open, and shows all of its text meanwhile', async () => {
    await using slack = await fakeSlack();
    const late = [
      ...answer.slice(0, 2),
      [say('s1-0-0-1', 'here it is.'), close('s1-0-0-1')],
      [],
      [finished()],
    ];
    await rated(slack, late).deliver();
    expect(methods(slack).filter((method) => method === 'stopStream')).toHaveLength(1);
    expect(slack.messages[1]).toMatchObject({ text });
    expect(withButtons(slack)).toEqual([1]);
  });

  test('whose run ends much later gets them then, in the same message', async () => {
    await using slack = await fakeSlack();
    const late = [
      ...answer.slice(0, 2),
      [say('s1-0-0-1', 'here it is.'), close('s1-0-0-1')],
      ...Array.from({ length: 10 }, () => []),
      [finished()],
    ];
    await rated(slack, late).deliver();
    expect(slack.messages).toHaveLength(2);
    expect(slack.messages[1]).toMatchObject({
      blocks: [{ type: 'markdown', text }, { type: 'context_actions' }],
    });
  });

  test('that was posted has them too', async () => {
    await using slack = await fakeSlack({ streams: false });
    await rated(slack).deliver();
    expect(withButtons(slack)).toEqual([1]);
    expect(slack.messages[1]).toMatchObject({
      blocks: [{ type: 'markdown', text }, { type: 'context_actions' }],
    });
  });

  test('in several messages has them below the last one', async () => {
    await using slack = await fakeSlack();
    const long = 'A sentence of an answer that is long. '.repeat(700);
    await rated(slack, [
      [started(), begin('s1-0-0-1'), say('s1-0-0-1', long), close('s1-0-0-1'), finished()],
    ]).deliver();
    expect(slack.messages.length).toBeGreaterThan(3);
    expect(withButtons(slack)).toEqual([slack.messages.length - 1]);
  });

  test('has them below its last text alone, and a text before a call has none', async () => {
    await using slack = await fakeSlack();
    const script: AgUiEvent[][] = [
      [started(), begin('s1-0-0-1'), say('s1-0-0-1', 'Let me look.'), close('s1-0-0-1')],
      [{ type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look' }],
      [{ type: 'TOOL_CALL_RESULT', messageId: 'm', toolCallId: 'c1', content: 'x', role: 'tool' }],
      [begin('s1-0-0-2'), say('s1-0-0-2', 'Found.'), close('s1-0-0-2'), finished()],
    ];
    await rated(slack, script).deliver();
    expect(slack.texts().slice(1)).toEqual(['Let me look.', 'Found.']);
    expect(withButtons(slack)).toEqual([2]);
  });

  test.each(['RUN_ERROR', 'cancelled'])('that did not come about (%s) has none', async (how) => {
    await using slack = await fakeSlack();
    const end: AgUiEvent =
      how === 'RUN_ERROR'
        ? { type: 'RUN_ERROR', message: 'no', code: 'crash_loop' }
        : { ...(finished() as Extract<AgUiEvent, { type: 'RUN_FINISHED' }>), outcome: { type: 'cancelled' } };
    await rated(slack, [...answer.slice(0, 2), [close('s1-0-0-1'), end]]).deliver();
    expect(withButtons(slack)).toEqual([]);
  });

  test('is shown without them where Slack takes none, and later answers do not try again', async () => {
    for (const streams of [true, false]) {
      await using slack = await fakeSlack({ streams });
      slack.next('chat.stopStream', { error: 'invalid_blocks' });
      if (!streams) slack.next('chat.postMessage', 'ok', 'ok');
      if (!streams) slack.next('chat.update', { error: 'invalid_blocks' });
      const thread = rated(slack);
      await thread.deliver();
      expect(slack.texts()[1]).toBe(text);
      expect(withButtons(slack)).toEqual([]);
      expect(thread.state.thread).toMatchObject({ rating: 'never' });
      expect(thread.state.thread.markdown).toBeUndefined();
    }
  });

  test('has them once, however a delivery dies', async () => {
    for (let dieAtSave = 1; ; dieAtSave++) {
      await using slack = await fakeSlack();
      const thread = rated(slack);
      const first = await thread.deliver({ dieAtSave });
      await thread.deliver();
      expect({ dieAtSave, at: withButtons(slack), count: slack.messages.length }).toEqual({
        ...{ dieAtSave, at: [1], count: 2 },
      });
      if (first !== 'died') return;
    }
  });
});

describe('a click on one of the buttons', () => {
  const place = { team: TEAM, channel: CHANNEL, thread: THREAD };
  const idOf = () => sessionIdFor('slack', placeKeyOf(place));
  const click = (value: string, at = '1728000000.000200') => {
    const payload = recorded.blockActions('steploop.rate', value);
    return { ...payload, actions: payload.actions.map((one) => ({ ...one, action_ts: at })) };
  };
  async function begun() {
    const it = await slackApp();
    await it.event(recorded.appMention({ ts: THREAD }));
    await it.work();
    const sessionId = await idOf();
    const key = { tenant: 'acme', sessionId };
    return { it, runId: `${sessionId}-0`, all: () => it.context.feedback.all(key) };
  }

  test('stores the rating beside the run, and a later click replaces it', async () => {
    const { it, runId, all } = await begun();
    await it.click(click(`good/${runId}@${THREAD}`));
    await it.click(click(`good/${runId}@${THREAD}`));
    const by = `slack:${TEAM}:${USER}`;
    expect(await all()).toEqual([{ runId, by, rating: 'good', at: 1_728_000_000_000 }]);
    await it.click(click(`bad/${runId}.2@${THREAD}`, '1728000001.000200'));
    expect(await all()).toEqual([{ runId, by, rating: 'bad', at: 1_728_000_001_000 }]);
    expect(it.sent).toEqual([]);
  });

  test.each(['good/other-0', 'great/s1-0', 'good/', 'good'])(
    'with the value %s stores nothing',
    async (value) => {
      const { it, all } = await begun();
      await it.click(click(`${value}@${THREAD}`));
      expect(await all()).toEqual([]);
      expect(it.sent).toEqual([]);
    },
  );

  test('after the session was deleted stores nothing, and says so', async () => {
    const { it, runId, all } = await begun();
    it.world.table.heads.clear();
    await it.click(click(`good/${runId}@${THREAD}`));
    expect(await all()).toEqual([]);
    expect(await it.work()).toEqual([
      ['postEphemeral', { channel: CHANNEL, thread: THREAD }, USER, expect.stringContaining('was deleted')],
    ]);
  });
});
