import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { showChanges } from '../../../shared/agent/tools/show-changes.ts';
import { ask } from '../../../shared/slack/blocks.ts';
import { changesIn, choiceOf } from '../../../shared/slack/choice.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const ship = defineTool({
  name: 'ship',
  description: 'Ships.',
  effect: 'once',
  input: z.object({ note: z.string() }),
  run: () => 'shipped',
});

/** A plan of so many calls, as people see it. */
async function planOf(count: number, note: string, room?: number) {
  const calls = Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: 'ship', input: { note } }));
  const { message } = await showChanges(
    {
      key: { tenant: 'acme', sessionId: 's1' },
      calls,
      changes: calls.map(({ id: callId }) => ({ callId, digest: 'd' })),
      tools: [ship],
      blobs: { getBytes: async () => undefined },
    },
    room ?? 16_000,
  );
  return message;
}

test.each([1, 2, 50])('for a plan of %i changes as many can be chosen', async (count) => {
  expect(changesIn(await planOf(count, 'Plan: 7 changes\nPlan: 9 changes'))).toBe(count);
});

test('a plan has a menu of its changes, and one with a single change has none', async () => {
  const blocks = ask({ id: 'wait1', reason: 'plan', message: await planOf(3, 'now') }).blocks ?? [];
  expect(blocks.filter(({ accessory }) => accessory)).toMatchObject([
    { type: 'section', block_id: 'steploop.changes', accessory: choiceOf(3) },
  ]);
  expect(JSON.stringify(blocks)).toContain('steploop.approve_chosen');
  const one = JSON.stringify(ask({ id: 'wait1', reason: 'plan', message: await planOf(1, 'now') }).blocks);
  expect(one).not.toMatch(/approve_chosen|multi_static_select/);
});

/** Slack's payload for the menu (docs.slack.dev, "block_actions"). */
const standingAt = (...values: string[]) => ({
  state: {
    values: {
      'steploop.changes': {
        'steploop.changes': {
          type: 'multi_static_select',
          selected_options: values.map((value) => ({ text: { type: 'plain_text', text: value }, value })),
        },
      },
    },
  },
});

test('the chosen calls are approved, and without a choice nothing is decided', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await it.click(recorded.blockActions('steploop.approve_chosen', 'wait1', standingAt('1', '3')));
  expect(it.decided).toMatchObject([{ id: 'wait1', approved: [1, 3] }]);
  for (const over of [standingAt(), { state: { values: {} } }, { state: undefined }])
    await it.click(recorded.blockActions('steploop.approve_chosen', 'wait2', over));
  expect(it.decided).toHaveLength(1);
  const whispered = {
    kind: 'whisper',
    user: recorded.USER,
    text: expect.stringContaining('Nothing is selected'),
  };
  expect(it.sent).toMatchObject([whispered, whispered, whispered]);
});

test('a choice without a button click decides nothing', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await it.click(recorded.blockActions('steploop.changes', '', standingAt('1')));
  expect(it.decided).toEqual([]);
});
