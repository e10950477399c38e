/** Forms in a channel that is shared with another organisation, to which `mira` belongs: altered, repeated, and sent by others. */

import { expect, test } from 'vitest';
import type { SlackMessage } from '../../../local/slack/emulated/caller.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { action } from '../../../shared/slack/blocks.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { until } from '../../support/slack-workspace.ts';
import { attempt } from '../attempts.ts';
import { becomes, type Company } from '../company.ts';

const hasForm = ({ blocks }: SlackMessage): boolean =>
  blocks?.some(({ elements }) => elements?.some(({ action_id }) => action_id === action.answer)) === true;
const entered = { size: 'M', count: '2' };

export function slackForms(it: () => Company): void {
  /** Ada mentions the bot, and her session asks for values. */
  async function asked() {
    const { slack } = it();
    const { ts } = await slack.say('ada', `<@${slack.botUser}> fill x`);
    const shown = await until(
      () => slack.read(slack.channel, ts),
      (all) => all.some(hasForm),
    );
    const message = shown.find(hasForm);
    if (!message) throw new Error('no form');
    const place = { team: slack.team, channel: slack.channel, thread: ts };
    return { message, id: await sessionIdFor('slack', placeKeyOf(place)) };
  }

  async function opened(who: string) {
    const { slack } = it();
    const question = await asked();
    expect(await slack.click(who, question.message, slack.channel, action.answer)).toBe(200);
    const modal = slack.modal(who);
    if (!modal?.submit) throw new Error('nothing has opened');
    return { ...question, modal };
  }

  const isOpen = async (id: string) => expect((await it().world.session(id)).waits).toHaveLength(1);
  const wordsOf = (answer: object) => JSON.stringify(answer);

  test('a form is answered once, in the name of the person who has filled it in; its repetition changes nothing', async () => {
    const { slack, world } = it();
    const { id, modal } = await opened('jonas');
    attempt('forms in Slack', 3);
    expect(await slack.submit('jonas', entered)).toEqual({ status: 200 });
    await becomes(it(), id, 'completed');
    expect(JSON.stringify(await world.messages(id))).toContain('{\\"size\\":\\"M\\",\\"count\\":2}');
    const jonas = `slack:${slack.team}:${slack.users.jonas}`;
    expect(await it().requestersOf(id)).toContain(jonas);
    const before = await world.messages(id);
    for (const values of [entered, { size: 'S', count: '9' }]) {
      const replay = await slack
        .submit('jonas', values, { view: { ...modal, state: { values: {} } } })
        .catch((error: Error) => error.message);
      expect(wordsOf([replay])).toMatch(/sees no form|no longer open/);
    }
    expect(await world.messages(id)).toEqual(before);
  });

  test("another person's form, an altered handle and a place of one's own decide nothing", async () => {
    const { slack } = it();
    const theirs = await opened('jonas');
    const own = await opened('ada');
    const state = {
      values: {
        'field-0': { value: { selected_option: { value: '0' } } },
        'field-1': { value: { value: '1' } },
      },
    };
    const { team, channel, users } = slack;
    const place = { id: 'x', channel, user: users.ada, userTeam: team };
    const handles = [
      theirs.modal.private_metadata,
      `${own.modal.private_metadata}x`,
      '',
      '__proto__',
      '../INSTALLATION',
      JSON.stringify(place),
      'x'.repeat(3_000),
    ];
    for (const private_metadata of handles) {
      attempt('forms in Slack');
      const answer = await slack.submit('ada', {}, { view: { ...own.modal, private_metadata, state } });
      expect(wordsOf(answer), private_metadata).toContain('not yours');
      // The refusal took the place of the form.
      await slack.click('ada', own.message, channel, action.answer);
    }
    await isOpen(theirs.id);
    await isOpen(own.id);
  });

  test('another organisation, and a workspace that has not installed the app, decide nothing with a form of others', async () => {
    const { slack } = it();
    const { id, modal } = await opened('ada');
    const { users, team } = slack;
    const senders = [
      { user: { id: users.mira, team_id: 'T0PARTNER' } },
      { user: { id: users.ada, team_id: 'T0PARTNER' } },
      { user: { id: users.ada, team_id: 'T0OTHER' }, team: { id: 'T0OTHER' } },
      { user: { id: users.ada, team_id: team }, team: { id: 'T0OTHER' } },
    ];
    for (const over of senders) {
      attempt('forms in Slack');
      const state = {
        values: {
          'field-0': { value: { selected_option: { value: '0' } } },
          'field-1': { value: { value: '1' } },
        },
      };
      const { status } = await slack.submit('ada', entered, { ...over, view: { ...modal, state } });
      expect(status).toBe(200);
      await isOpen(id);
      const { message } = await asked();
      await slack.click('ada', message, slack.channel, action.answer);
    }
  });

  test('values that the form does not have are errors at their fields', async () => {
    const { slack } = it();
    const { id, modal } = await opened('ada');
    const of = (size: unknown, count: unknown) => ({
      'field-0': { value: { selected_option: size } },
      'field-1': { value: { value: count } },
    });
    const states = [
      of({ value: '7' }, '1'),
      of({ value: '-1' }, '1'),
      of({ value: 'constructor' }, '1'),
      of({ value: '0' }, '10'),
    ];
    for (const values of [...states, {}, JSON.parse('{"__proto__":{"value":{"value":"1"}}}')]) {
      attempt('forms in Slack');
      const answer = await slack.submit('ada', {}, { view: { ...modal, state: { values } } });
      expect(answer).toMatchObject({ status: 200, response_action: 'errors' });
    }
    await isOpen(id);
  });
}
