import { expect, test } from 'vitest';
import { brokenRule } from '../../../local/slack/emulated/message-rules.ts';
import { startSlack } from '../../../local/slack/emulated/start.ts';
import { createSlackApi, webClient } from '../../../shared/slack/web-api.ts';

const section = (length: number) => ({
  type: 'section',
  text: { type: 'mrkdwn', text: 'x'.repeat(length) },
});

const markdown = (length: number) => ({ type: 'markdown', text: 'x'.repeat(length) });
const button = (text: number, value: number) => ({
  type: 'actions',
  elements: [
    {
      type: 'button',
      text: { type: 'plain_text', text: 'x'.repeat(text) },
      value: 'x'.repeat(value),
      action_id: 'a',
    },
  ],
});

test.for([
  ['chat.update', { text: 'x'.repeat(4_000) }, undefined],
  ['chat.update', { text: 'x'.repeat(4_001) }, 'msg_too_long'],
  ['chat.update', { text: 'я'.repeat(2_001) }, 'msg_too_long'],
  ['chat.update', { text: '<'.repeat(1_001) }, 'msg_too_long'],
  ['chat.update', { text: '&lt;'.repeat(1_000) }, undefined],
  ['chat.update', { markdown_text: 'я'.repeat(12_000) }, undefined],
  ['chat.appendStream', { markdown_text: 'x'.repeat(12_001) }, 'msg_too_long'],
  ['chat.postMessage', { text: 'x'.repeat(50_000) }, undefined],
  ['chat.postEphemeral', { text: 'x'.repeat(3_001) }, 'msg_too_long'],
  ['chat.postMessage', { blocks: JSON.stringify([section(3_001)]) }, 'invalid_blocks'],
  ['chat.postMessage', { blocks: JSON.stringify(Array(51).fill(section(1))) }, 'invalid_blocks'],
  ['chat.postMessage', { blocks: JSON.stringify(Array(5).fill(section(2_800))) }, 'msg_blocks_too_long'],
  ['chat.postMessage', { markdown_text: 'x'.repeat(12_000) }, undefined],
  ['chat.postMessage', { markdown_text: 'x'.repeat(12_001) }, 'msg_too_long'],
  ['chat.postMessage', { markdown_text: 'x', text: 'x' }, 'markdown_text_conflict'],
  ['chat.update', { markdown_text: 'x', blocks: '[]' }, 'markdown_text_conflict'],
  ['chat.postMessage', {}, 'no_text'],
  ['chat.postMessage', { blocks: JSON.stringify([markdown(12_000)]) }, undefined],
  ['chat.postMessage', { blocks: JSON.stringify([markdown(6_001), markdown(6_000)]) }, 'msg_blocks_too_long'],
  ['chat.postMessage', { blocks: JSON.stringify([{ type: 'unknown' }]) }, 'invalid_blocks'],
  ['chat.postMessage', { blocks: JSON.stringify([{ type: 'section' }]) }, 'invalid_blocks'],
  ['chat.postMessage', { blocks: JSON.stringify([section(0)]) }, 'invalid_blocks'],
  ['chat.postMessage', { blocks: '{}' }, 'invalid_blocks_format'],
  ['chat.postMessage', { blocks: JSON.stringify([button(75, 2_000)]) }, undefined],
  ['chat.postMessage', { blocks: JSON.stringify([button(76, 1)]) }, 'invalid_blocks'],
  ['chat.postMessage', { blocks: JSON.stringify([button(1, 2_001)]) }, 'invalid_blocks'],
] as const)('%s takes the part of a message that Slack takes (%#)', ([method, args, error]) => {
  expect(brokenRule(method, args)).toBe(error);
});

test('the emulated Slack refuses as scripted, and forgets messages that a person has deleted', async () => {
  const slack = await startSlack();
  const begun = await fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: 'Bearer xoxp-emulated-ada' },
    body: new URLSearchParams({ channel: slack.channel, text: 'Hello?' }),
  });
  const { ts: thread } = (await begun.json()) as { ts: string };
  const api = createSlackApi(webClient(slack.apiUrl, 'xoxp-emulated-ada'));
  const target = { channel: slack.channel, thread };
  const label = { sessionId: 's1', slot: 'a' };
  slack.refuse('chat.postMessage', 1, 'not_in_channel');
  expect(await api.post(target, { text: 'no' }, label)).toEqual({ kind: 'refused', error: 'not_in_channel' });
  const posted = await api.post(target, { text: 'x'.repeat(40_001) }, label);
  const streamed = await api.startStream(target, { user: 'U1', team: 'T1' }, 'Half of ');
  if (posted.kind !== 'ok' || streamed.kind !== 'ok') throw new Error('not posted');
  const texts = async () => (await slack.read(slack.channel, thread)).map(({ text }) => text);
  expect((await texts()).map(({ length }) => length)).toEqual([6, 40_000, 8]);
  const tooLong = await api.update(slack.channel, posted.value.ts, { text: 'я'.repeat(2_001) });
  expect(tooLong).toEqual({ kind: 'refused', error: 'msg_too_long' });

  for (const { ts } of [posted.value, streamed.value]) await slack.remove(slack.channel, ts);
  const gone = { kind: 'refused', error: 'message_not_found' };
  expect(await api.update(slack.channel, posted.value.ts, { text: 'more' })).toEqual(gone);
  expect(await api.appendStream(slack.channel, streamed.value.ts, 'more')).toEqual(gone);
  expect(await texts()).toEqual(['Hello?']);
  await slack.stop();
});
