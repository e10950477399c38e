import { expect, test } from 'vitest';
import { shownOf } from '../../../local/slack/room/shown.ts';

const slack = { users: { ada: 'U1' }, botUser: 'UBOT' };

const shown = (message: object) =>
  shownOf(slack as never, 'ada', [{ ts: '1', user: 'U1', text: 'hi', ...message } as never], [undefined])
    .threads[0]?.messages[0];

test.each([
  ['mentions by name', '<@UBOT> and <@U1> and <@U2>', '@steploop and @ada and @U2'],
  ['dates as their fallback', 'until <!date^1795514422^{time}|14:00 UTC>', 'until 14:00 UTC'],
  ['links by their text', 'see <https://example.com|the page>', 'see the page'],
  ['emoji that the app uses', ':white_check_mark: and :unknown:', '✅ and :unknown:'],
  ['names that every object has as they are', ':constructor: :toString:', ':constructor: :toString:'],
  ['escapes last, so that what was escaped stays text', '&lt;@U1&gt; &amp;lt;', '<@U1> &lt;'],
])('a text shows %s', (_what, text, plain) => {
  expect(shown({ text })?.texts).toEqual([{ text: plain, isContext: false }]);
});

test('an answer in Markdown is shown with both buttons that rate it', () => {
  const blocks = [
    { type: 'markdown', text: '**Hi**' },
    { type: 'context_actions', elements: [{ type: 'feedback_buttons', action_id: 'rate' }] },
  ];
  expect(shown({ blocks })).toMatchObject({
    texts: [{ text: '**Hi**', isContext: false }],
    buttons: [
      { id: 'rate:positive', text: '👍' },
      { id: 'rate:negative', text: '👎' },
    ],
  });
});

test('files stand below the text, by their names', () => {
  expect(shown({ user: 'UBOT', text: '', files: [{ name: 'a.csv' }] })).toMatchObject({
    texts: [{ text: '📎 a.csv', isContext: true }],
  });
});

test('blocks replace the text, with their menu and their buttons', () => {
  const option = { value: '1', text: { text: 'First' } };
  const button = { type: 'button', action_id: 'approve', text: { text: 'Approve' }, style: 'primary' };
  const blocks = [
    { type: 'section', text: { text: 'Which?' }, accessory: { type: 'multi', options: [option] } },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'small' }, { type: 'image' }] },
    { type: 'actions', elements: [button] },
  ];
  expect(shown({ user: 'UBOT', blocks })).toEqual({
    ts: '1',
    who: 'steploop',
    isApp: true,
    texts: [
      { text: 'Which?', isContext: false },
      { text: 'small', isContext: true },
    ],
    options: [{ id: '1', text: 'First' }],
    buttons: [{ id: 'approve', text: 'Approve', style: 'primary' }],
  });
});
