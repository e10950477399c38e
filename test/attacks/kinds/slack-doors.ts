/** Words and clicks in a channel that is shared with another organisation, to which `mira` belongs. */

import { expect, test } from 'vitest';
import type { SlackMessage } from '../../../local/slack/emulated/caller.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { action } from '../../../shared/slack/blocks.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { until } from '../../support/slack-workspace.ts';
import { attempt } from '../attempts.ts';
import { becomes, type Company } from '../company.ts';

const hasButton =
  (actionId: string) =>
  ({ blocks }: SlackMessage): boolean =>
    blocks?.some(({ elements }) => elements?.some(({ action_id }) => action_id === actionId)) === true;

export function slackDoors(it: () => Company): void {
  const member = (name: string) => `slack:${it().slack.team}:${it().slack.users[name]}`;
  /** Ada mentions the bot, and her session waits for a person. */
  async function asked(words: string) {
    const { slack, world } = it();
    const { ts } = await slack.say('ada', `<@${slack.botUser}> ${words}`);
    const id = await sessionIdFor(
      'slack',
      placeKeyOf({ team: slack.team, channel: slack.channel, thread: ts }),
    );
    await expect.poll(async () => (await world.session(id)).waits ?? [], { timeout: 20_000 }).toHaveLength(1);
    expect(await it().requestersOf(id)).toEqual([member('ada')]);
    return { ts, id };
  }

  test('who begins, and who answers in the thread, are requesters', async () => {
    attempt('borrowed rights', 2);
    const { slack } = it();
    const { ts, id } = await asked('ask x');
    await slack.say('jonas', `<@${slack.botUser}> FIN`, ts);
    await becomes(it(), id, 'completed');
    expect(await it().requestersOf(id)).toEqual([member('ada'), member('jonas')]);
  });

  /** A click has no words, so it makes no one a requester; people of other organisations may not decide. */
  const clicks = [action.approve, action.approveRun, action.approveSession, action.deny];
  test.each(clicks)(
    '%s makes no one a requester, and one of another organisation may not',
    async (actionId) => {
      const { slack, world } = it();
      const click = async (who: string) => {
        attempt('borrowed rights');
        const { ts, id } = await asked('transfer x');
        const thread = () => slack.read(slack.channel, ts);
        const shown = await until(thread, (all) => all.some(hasButton(actionId)));
        const message = shown.find(hasButton(actionId));
        if (!message) throw new Error(`no button ${actionId}`);
        const told = slack.whispers().length;
        expect(await slack.click(who, message, slack.channel, actionId)).toBe(200);
        return { id, told };
      };
      for (const who of ['ada', 'jonas']) {
        const { id } = await click(who);
        await becomes(it(), id, 'completed');
        expect(await it().requestersOf(id), who).toEqual([member('ada')]);
      }
      const { id, told } = await click('mira');
      await until(
        async () => slack.whispers(),
        (all) => all.length > told,
      );
      expect((await world.session(id)).waits).toHaveLength(1);
      expect(await it().requestersOf(id)).toEqual([member('ada')]);
    },
  );

  test('a person who gives a message with a reaction or a shortcut is a requester, and its author is not', async () => {
    const { slack } = it();
    const uses = {
      reaction: (who: string, message: SlackMessage) => slack.react(who, message, slack.channel, 'memo'),
      shortcut: (who: string, message: SlackMessage) =>
        slack.shortcut(who, message, slack.channel, 'file_it'),
    };
    for (const use of ['reaction', 'shortcut'] as const)
      for (const [who, team] of [
        ['ada', slack.team],
        ['mira', 'T0PARTNER'],
      ] as const) {
        attempt('borrowed rights');
        const { ts } = await slack.say('jonas', `say x: ${use} of ${who}`);
        const message = (await slack.read(slack.channel)).find((one) => one.ts === ts);
        if (!message) throw new Error('the message is not there');
        expect(await uses[use](who, message)).toBe(200);
        const place = { team: slack.team, channel: slack.channel, thread: ts };
        const id = await sessionIdFor('slack', placeKeyOf(place));
        await becomes(it(), id, 'completed');
        expect(await it().requestersOf(id), `${use} of ${who}`).toEqual([
          `slack:${team}:${slack.users[who]}`,
        ]);
      }
  });
}
