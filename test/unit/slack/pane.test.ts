import { describe, expect, test, vi } from 'vitest';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, DIRECT, USER, CHANNEL, BOT } = recorded;
const THREAD = '1729999327.187299';
/** The example of docs.slack.dev, with our ids. */
const opened = {
  type: 'assistant_thread_started',
  assistant_thread: {
    user_id: USER,
    context: { channel_id: CHANNEL, team_id: TEAM, enterprise_id: null },
    channel_id: DIRECT,
    thread_ts: THREAD,
  },
  event_ts: '1715873754.429808',
};
const prompts = [{ title: 'Paint', message: 'Paint my fence.' }];
const said = (over: object = {}) =>
  recorded.directMessage({ ts: '1729999330.000001', thread_ts: THREAD, parent_user_id: BOT, ...over });
const app = (assistant?: { prompts?: () => typeof prompts }) =>
  slackApp({ config: { agentFor: () => 'helper', ...(assistant && { assistant }) } });

describe("a conversation in the assistant's pane", () => {
  test('shows prompts, which may depend on the person and on what they look at', async () => {
    const suggest = vi.fn(() => prompts);
    const it = await app({ prompts: suggest });
    await it.event(opened);
    expect(await it.work()).toEqual([['suggestPrompts', DIRECT, THREAD, prompts]]);
    expect(suggest).toHaveBeenCalledWith({ team: TEAM, user: USER, viewing: CHANNEL });
  });

  test('is a session of its own, with a title and a status from its first message', async () => {
    const it = await app({});
    await it.event(recorded.directMessage());
    await it.event(opened);
    await it.event(said());
    const calls = await it.work();
    expect(calls).toEqual(
      expect.arrayContaining([
        ['setStatus', DIRECT, THREAD, 'is at work …'],
        ['setTitle', DIRECT, THREAD, 'Hello hello can you hear me?'],
      ]),
    );
    const places = (await it.inboxes()).map(({ place, texts }) => [place.thread, texts.length]);
    expect(places).toEqual(
      expect.arrayContaining([
        [THREAD, 1],
        [undefined, 1],
      ]),
    );
    await it.event(said({ ts: '1729999340.000001', text: 'More.' }));
    expect((await it.work()).map(([name]) => name)).not.toContain('setTitle');
  });

  test('without the setting, shows nothing, and a reply below our message is for the top level as before', async () => {
    const it = await app();
    await it.event(recorded.directMessage());
    await it.event(opened);
    await it.event(said());
    expect((await it.work()).map(([name]) => name)).not.toContain('suggestPrompts');
    expect((await it.inboxes()).map(({ place }) => place.thread)).toEqual([undefined]);
  });

  test('with more prompts than Slack takes fails loudly', async () => {
    const it = await app({ prompts: () => Array(5).fill(prompts[0]) });
    await it.event(opened);
    await expect(it.work()).rejects.toThrow();
  });
});
