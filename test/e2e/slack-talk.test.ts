import { expect, test } from 'vitest';
import type { SlackMessage } from '../../local/slack/caller.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { until, workspace } from '../support/slack-workspace.ts';

const hasButton = (actionId: string) => (message: SlackMessage) =>
  message.blocks?.some(({ elements }) => elements?.some(({ action_id }) => action_id === actionId)) === true;

test('in direct messages replies to a question answer it, and its buttons work when it has replies', async () => {
  await using model = await ruleModel(({ turn }) => {
    if (turn === 0) return callTools(['ask_user', { question: 'Which colour?' }]);
    if (turn === 1) return callTools(['transfer', { n: 7 }]);
    return sayText('Painted.');
  });
  await using it = await workspace(model);
  const { slack, world } = it;
  const { channel } = await slack.tell('ada', 'paint my fence');
  const seen = () => slack.read(channel);
  const asked = (await until(seen, (all) => all.some(({ text }) => text.includes('Which colour?')))).find(
    ({ text }) => text.includes('Which colour?'),
  );
  expect(JSON.stringify(asked?.blocks)).not.toContain('mention me');
  await slack.tell('ada', 'green', asked?.ts);
  const approve = (await until(seen, (all) => all.some(hasButton('steploop.approve')))).find(
    hasButton('steploop.approve'),
  );
  if (!approve) throw new Error('no buttons');
  expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('green');

  await slack.tell('ada', 'is this safe?', approve.ts);
  expect(await slack.click('ada', approve, channel, 'steploop.approve')).toBe(200);
  await until(seen, (all) => all.some(({ text }) => text === 'Painted.'));
  expect(world.toolStarts.map(({ name }) => name)).toEqual(['transfer']);
  expect(slack.whispers()).toEqual([]);
});
