import { describe, expect, test } from 'vitest';
import { brokenRule } from '../../../local/slack/emulated/message-rules.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import { optionsIn } from '../../../shared/contract/form/options.ts';
import { ask } from '../../../shared/slack/blocks.ts';
import { optionOf } from '../../../shared/slack/options.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { type Waiting, waitInThreads } from '../../support/slack-waiting.ts';

const { TS } = recorded;
const message = 'Which colour?\n- Blue\n- Red & white';

describe('the answers that a question offers', () => {
  test.each([
    ['two lines at the end', message, ['Blue', 'Red & white']],
    ['no list', 'Which colour?', []],
    ['one line', 'Which colour?\n- Blue', []],
    ['a list that more words follow', `${message}\nOr another one?`, []],
    ['a list without a question', '- Blue\n- Red', []],
    ['an empty line of it', 'Which?\n- Blue\n- ', []],
    ['a list of findings', `Go on?\n${Array.from({ length: 11 }, (_, i) => `- ${i}`).join('\n')}`, []],
    ['fields', 'Which?\n- size (text)\n- nights (integer)\nAnswer with a line for each, "name: value".', []],
  ])('are read from its text: %s', (_what, text, options) => {
    expect(optionsIn(text)).toEqual(options);
  });

  test('are buttons that Slack takes, however long they are', () => {
    const long = `Which?\n${Array.from({ length: 10 }, (_, i) => `- ${i}${'W'.repeat(198)}`).join('\n')}`;
    const { text, blocks } = ask(
      { id: 'w1', reason: 'question', message: long },
      { channel: 'C1', thread: '1.1' },
    );
    expect(
      brokenRule('chat.postMessage', { channel: 'C1', text, blocks: JSON.stringify(blocks) }),
    ).toBeUndefined();
    const names = [...JSON.stringify(blocks).matchAll(/steploop\.option\.\d+/g)].map(([name]) => name);
    expect(names.map(optionOf)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(JSON.stringify(ask({ id: 'w1', reason: 'approval', message }))).not.toContain('steploop.option');
  });

  test('have no other names', () => {
    for (const name of ['steploop.option.', 'steploop.option.10', 'steploop.option.-1', 'steploop.approve'])
      expect(optionOf(name)).toBeUndefined();
  });
});

/** A thread that waits for an answer. */
async function asking(over: Parameters<typeof slackApp>[0] = {}) {
  const wait: Wait = {
    ...{ id: 'wait1', callId: 'c1', tool: 'ask_user', kind: 'question', message },
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  const it = await slackApp(over);
  await it.event(recorded.appMention());
  it.sent.splice(0);
  const state: Waiting = { waits: [wait], asks: [], decisions: {} };
  waitInThreads(it, state);
  const click = (option: number) =>
    it.click(recorded.blockActions(`steploop.option.${option}`, `wait1@${TS}`));
  return { it, state, click };
}

describe('a click on one', () => {
  test('answers with its words', async () => {
    const { click, it } = await asking();
    await click(1);
    expect(it.decided).toMatchObject([{ id: 'wait1', approved: true, note: 'Red & white' }]);
    expect(it.sent).toEqual([]);
  });

  test('that the question does not offer, or that comes too late, says so', async () => {
    const { click, state, it } = await asking();
    await click(7);
    state.waits = [];
    await click(0);
    expect(it.decided).toEqual([]);
    expect(it.sent).toMatchObject(
      [1, 2].map(() => ({ kind: 'whisper', text: expect.stringContaining('no longer open') })),
    );
  });

  test('by a person who may not answer is refused by the decision, whose sentence the person reads', async () => {
    const { click, it } = await asking({
      decision: { kind: 'forbidden', why: 'Questions are answered by ada.' },
    });
    await click(0);
    expect(it.decided).toMatchObject([{ id: 'wait1', note: 'Blue' }]);
    expect(it.sent).toMatchObject([
      { kind: 'whisper', text: expect.stringContaining('are answered by ada') },
    ]);
  });
});
