import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SlackMessage } from '../../local/slack/emulated/caller.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { placeKeyOf } from '../../shared/slack/place.ts';
import { callTools, sayText } from '../support/rule-model.ts';
import { sharedWorkspace, until } from '../support/slack-workspace.ts';

const hasButton =
  (actionId: string) =>
  ({ blocks }: SlackMessage): boolean =>
    blocks?.some(({ elements }) => elements?.some(({ action_id }) => action_id === actionId)) === true;

let shared: Awaited<ReturnType<typeof sharedWorkspace>>;
beforeAll(async () => {
  shared = await sharedWorkspace({ shared: true });
});
afterAll(() => shared?.[Symbol.asyncDispose]());

test('in a shared channel the other organisation cannot decide or stop anything of ours; buttons of undecided questions disappear', async () => {
  const {
    slack,
    asked: requests,
    toolStarts,
    whispers,
    world,
  } = shared.answering(({ turn }) => (turn === 0 ? callTools(['transfer', { n: 7 }]) : sayText('Done.')));
  const { channel, users, botUser, team } = slack;
  const thread = (ts: string) => slack.read(channel, ts);
  const button = async (ts: string, actionId: string) => {
    const found = (
      await until(
        () => thread(ts),
        (all) => all.some(hasButton(actionId)),
      )
    ).find(hasButton(actionId));
    if (!found) throw new Error(`no button ${actionId}`);
    return found;
  };

  const ours = await slack.say('ada', `<@${botUser}> pay`);
  const ask = await button(ours.ts, 'steploop.approve');
  for (const actionId of ['steploop.approve', 'steploop.deny'])
    expect(await slack.click('mira', ask, channel, actionId)).toBe(200);
  const told = await until(
    async () => whispers(),
    (all) => all.length === 2,
  );
  expect(told).toEqual(
    Array(2).fill({
      user: users.mira,
      text: expect.stringContaining('People of other organisations may not decide'),
    }),
  );
  expect(toolStarts()).toEqual([]);

  // She may ask as well. Her agent waits for three seconds.
  const theirs = await slack.say('mira', `<@${botUser}> pay me`);
  await button(theirs.ts, 'steploop.approve');
  await until(
    () => thread(theirs.ts),
    (all) =>
      all.some(({ text }) => text.includes('Not decided in time')) &&
      !all.some(hasButton('steploop.approve')),
  );
  const asked = requests().find(({ messages }) => JSON.stringify(messages).includes('pay me'));
  expect(JSON.stringify(asked?.messages)).toContain('who is of another organisation');

  expect(
    await slack.click('jonas', await button(ours.ts, 'steploop.approve'), channel, 'steploop.approve'),
  ).toBe(200);
  await until(
    () => thread(ours.ts),
    (all) => all.some(({ text }) => text === 'Done.'),
  );
  expect(toolStarts()).toEqual(['transfer']);
  const sessionId = await sessionIdFor('slack', placeKeyOf({ team, channel, thread: ours.ts }));
  const decided = (await world.events(sessionId)).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.decided' ? [event.value.by] : [],
  );
  expect(decided).toEqual([`slack:${team}:${users.jonas}`]);
});

test('uninstalling stops the runs that were started in the workspace, and no others', async () => {
  let mayEnd = false;
  const { slack, whispers, world } = shared.answering(({ turn }) => async (...to) => {
    // A session with the maximum number of steps runs for longer than this whole test.
    await pause(300);
    await (mayEnd ? sayText('End.') : callTools(['look', { n: turn }]))(...to);
  });
  const { channel, botUser, team } = slack;
  const going = await slack.say('ada', `<@${botUser}> go on for ever`);
  const elsewhere = await world.start('go on for ever');
  const status = async () =>
    (
      await until(
        () => slack.read(channel, going.ts),
        (all) => all.some(hasButton('steploop.stop')),
      )
    ).find(hasButton('steploop.stop'));
  const stop = await status();
  if (!stop) throw new Error('no Stop');
  await slack.click('mira', stop, channel, 'steploop.stop');
  await until(
    async () => whispers(),
    (all) => all.some(({ text }) => text.includes('can stop only what they began')),
  );
  const id = await sessionIdFor('slack', placeKeyOf({ team, channel, thread: going.ts }));
  expect((await world.session(id)).state).toBe('running');

  expect(await slack.uninstall()).toBe(200);
  expect(await world.atRest(id)).toMatchObject({ state: 'cancelled' });
  mayEnd = true;
  expect(await world.atRest(elsewhere)).toMatchObject({ state: 'completed' });
  const late = await slack.say('ada', `<@${botUser}> still there?`, going.ts);
  expect(late.statuses).toEqual([200, 200]);
  expect((await world.session(id)).state).toBe('cancelled');
});
