import { describe, expect, test } from 'vitest';
import { brokenRule } from '../../../local/slack/emulated/message-rules.ts';
import type { SessionView } from '../../../shared/agent/ports/sessions.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import { type HomeEntry, home, standingOf } from '../../../shared/slack/home.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, USER, CHANNEL } = recorded;
const NOW = 1_000_000;
const wait = (kind: Wait['kind'], id: string, expiresAt = NOW + 1): Wait => ({
  ...{ id, callId: id, tool: 'pay', kind, message: 'Pay 500 EUR to Ada?', expiresAt },
});
const view = (state: string, over: object = {}, waits: readonly Wait[] = []) =>
  ({
    session: { state, batch: { waits } },
    fence: { pending: waits.map(({ id }) => id) },
    ...over,
  }) as unknown as SessionView;

describe('a session of the App Home', () => {
  test.each<[string, SessionView, string]>([
    ['an approval', view('waiting_for_input', {}, [wait('approval', 'a')]), 'waiting: waits for 1 approval'],
    [
      'approvals and an answer',
      view('waiting_for_input', {}, [wait('approval', 'a'), wait('plan', 'b'), wait('question', 'c')]),
      'waiting: waits for 2 approvals and 1 answer',
    ],
    [
      'an approval whose time is over',
      view('waiting_for_input', {}, [wait('approval', 'a', NOW)]),
      'open: waits for an answer',
    ],
    ['a result', view('waiting_for_tool'), 'open: waits for a result'],
    ['nothing: it is due', view('completed', { dueAt: NOW }), 'open: at work'],
    ['nothing: it is over', view('completed'), 'over: done'],
    ['nothing: it was stopped', view('cancelled'), 'over: stopped'],
    ['nothing: it failed', view('error'), 'over: failed'],
  ])('waits for %s', (_what, of, stands) => {
    const { group, words } = standingOf(of, NOW);
    expect(`${group}: ${words}`).toBe(stands);
  });

  test('does not show what is asked, which its channel alone may see', () => {
    const standing = standingOf(view('waiting_for_input', {}, [wait('approval', 'a')]), NOW);
    expect(JSON.stringify(standing)).not.toContain('500 EUR');
  });
});

const entry = (title: string, group: HomeEntry['standing']['group'], at: number): HomeEntry => ({
  ...{ title, standing: { group, words: 'x' }, at },
});

describe('the App Home', () => {
  test('lists sessions that wait for people first, each group by time', () => {
    const shown = JSON.stringify(
      home([
        entry('old', 'over', 1),
        entry('busy', 'open', 2),
        entry('ask', 'waiting', 1),
        entry('ask2', 'waiting', 2),
      ]),
    );
    const order = ['Waiting for people', 'ask2', 'ask\\n', 'At work', 'busy', 'Earlier', 'old'];
    expect(order.map((text) => shown.indexOf(text))).toEqual(
      order.map((text) => shown.indexOf(text)).toSorted((a, b) => a - b),
    );
    expect(order.every((text) => shown.includes(text))).toBe(true);
  });

  test('with as many sessions as it may have, and odd titles, is a view that Slack takes', () => {
    const many = Array.from({ length: 25 }, (_, i) => ({
      ...entry(`<b> | & ${'x'.repeat(300)}`, 'over', i),
      link: 'https://acme.slack.com/archives/C1/p1',
      sessionId: `s${i}`,
    }));
    const shown = home(many, 3, 'A notice.');
    expect(brokenRule('views.publish', { view: JSON.stringify(shown) })).toBeUndefined();
    expect(JSON.stringify(shown)).toContain('And 3 earlier sessions');
    expect(brokenRule('views.publish', { view: JSON.stringify(home([])) })).toBeUndefined();
    expect(brokenRule('views.publish', { view: '{"type":"modal"}' })).toBe('invalid_arguments');
  });

  test('leaves out sessions that were deleted', async () => {
    const it = await slackApp();
    await it.event(recorded.appMention());
    it.world.table.heads.clear();
    await it.event(recorded.appHomeOpened);
    const [published] = (await it.work()).filter(([name]) => name === 'publishHome');
    expect(JSON.stringify(published)).toContain('No sessions yet');
  });

  test('of one person has no sessions of others', async () => {
    const it = await slackApp();
    await it.event(recorded.appMention());
    await it.work();
    await it.event({ ...recorded.appHomeOpened, user: 'U0OTHER' });
    const [published] = await it.work();
    expect(published?.[1]).toBe('U0OTHER');
    expect(JSON.stringify(published)).not.toContain(CHANNEL);
    expect(await it.context.store.sessionsOf('acme', TEAM, USER)).toHaveLength(1);
  });

  test('is not published when a person opens the messages of the app', async () => {
    const it = await slackApp();
    await it.event({ ...recorded.appHomeOpened, tab: 'messages' });
    expect(it.sent).toEqual([]);
  });
});
