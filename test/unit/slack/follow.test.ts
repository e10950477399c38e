import { expect, test } from 'vitest';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';
import { type FakeSlack, fakeSlack } from '../../support/fake-slack.ts';
import {
  aborted,
  begin,
  close,
  finished,
  result,
  say,
  session,
  started,
  totals,
} from '../../support/slack-session.ts';

const answer: AgUiEvent[][] = [
  [started(), begin('s1-0-0-1')],
  [say('s1-0-0-1', 'Hello **you**, ')],
  [say('s1-0-0-1', 'here is '), say('s1-0-0-1', 'more of ')],
  [say('s1-0-0-1', 'it.'), close('s1-0-0-1'), finished()],
];
const done = ':white_check_mark: 1 step · $0.0123';
const methods = (slack: FakeSlack) => slack.calls.map(({ method }) => method.replace('chat.', ''));

test('an answer streams into one message, and the status shows the steps', async () => {
  await using slack = await fakeSlack();
  const thread = session(slack, answer);
  expect(await thread.deliver()).toMatchObject({ end: { kind: 'quiet' } });
  expect(slack.texts()).toEqual([done, 'Hello **you**, here is more of it.']);
  expect(methods(slack)).toEqual(['postMessage', 'startStream', 'appendStream', 'stopStream', 'update']);
  expect(slack.messages.every(({ streaming, thread }) => !streaming && thread === '1.1')).toBe(true);
  expect(thread.state.cursor).toBe(8);
});

test('without streams the answer is posted and updated, in Markdown', async () => {
  await using slack = await fakeSlack({ streams: false });
  const thread = session(slack, answer);
  await thread.deliver();
  expect(slack.texts()).toEqual([done, 'Hello **you**, here is more of it.']);
  expect(methods(slack).filter((method) => method === 'startStream')).toHaveLength(1);
  expect(
    slack.calls.filter(({ method }) => method === 'chat.postMessage').map(({ args }) => args),
  ).toMatchObject([
    { unfurl_links: 'false', unfurl_media: 'false' },
    { unfurl_links: 'false', unfurl_media: 'false' },
  ]);
  expect(thread.state.thread.streams).toBe('never');
});

test('more streams a minute than Slack allows: this run is posted, the next one streams again', async () => {
  await using slack = await fakeSlack();
  slack.next('chat.startStream', { limited: 30 });
  const thread = session(slack, answer);
  await thread.deliver();
  expect(slack.texts()).toEqual([done, 'Hello **you**, here is more of it.']);
  expect(thread.state.thread.streams).not.toBe('never');
});

test('a delivery that ends in the middle of a stream is continued by the next one in the same message', async () => {
  await using slack = await fakeSlack();
  const thread = session(slack, answer);
  expect(await thread.deliver({ forMs: 2_500 })).toMatchObject({ end: { kind: 'again' } });
  expect(slack.messages.at(-1)?.streaming).toBe(true);
  await thread.deliver();
  expect(slack.texts()).toEqual([done, 'Hello **you**, here is more of it.']);
});

test('a delivery may die at any save: nothing is posted twice, and nothing is missing', async () => {
  for (let dieAtSave = 1; ; dieAtSave++) {
    await using slack = await fakeSlack();
    const thread = session(slack, answer);
    const first = await thread.deliver({ dieAtSave });
    await thread.deliver();
    expect({ dieAtSave, texts: slack.texts() }).toEqual({
      dieAtSave,
      texts: [done, 'Hello **you**, here is more of it.'],
    });
    if (first !== 'died') return;
  }
});

test('a delivery may die between an append and its next save: nothing is posted twice', async () => {
  for (let dieAtSleep = 1; ; dieAtSleep++) {
    await using slack = await fakeSlack();
    const thread = session(slack, answer);
    const first = await thread.deliver({ dieAtSleep });
    await thread.deliver();
    const texts = [done, 'Hello **you**, here is more of it.'];
    expect({ dieAtSleep, texts: slack.texts() }).toEqual({ dieAtSleep, texts });
    if (first !== 'died') return;
  }
});

test('frames that a dead attempt logged too late are removed from the thread', async () => {
  for (const streams of [true, false]) {
    await using slack = await fakeSlack({ streams });
    const at = (seq: number, event: AgUiEvent, prev = seq - 1): Frame => ({ seq, prev, event });
    const recovered = { attempt: 2, adopted: false, upTo: 1_000_001 };
    const thread = session(slack, [
      [at(1_000_001, started())],
      [at(1_000_002, begin('s1-0-0-1')), at(1_000_003, say('s1-0-0-1', 'Words of the dead '))],
      [at(2_000_001, { type: 'CUSTOM', name: 'steploop.recovered', value: recovered }, recovered.upTo)],
      [at(2_000_002, begin('s1-0-0-2')), at(2_000_003, say('s1-0-0-2', 'Words of the living.'))],
      [at(2_000_004, close('s1-0-0-2')), at(2_000_005, finished())],
    ]);
    await thread.deliver();
    expect(slack.texts()).toEqual([done, 'Words of the living.']);
  }
});

test('text of a dead attempt that has no replacement is removed', async () => {
  await using slack = await fakeSlack();
  const at = (seq: number, event: AgUiEvent, prev = seq - 1): Frame => ({ seq, prev, event });
  const recovered = { attempt: 2, adopted: false, upTo: 1_000_001 };
  const thread = session(slack, [
    [at(1_000_001, started())],
    [at(1_000_002, begin('s1-0-0-1')), at(1_000_003, say('s1-0-0-1', 'Words of the dead '))],
    [at(2_000_001, { type: 'CUSTOM', name: 'steploop.recovered', value: recovered }, recovered.upTo)],
    [at(2_000_002, { type: 'RUN_ERROR', message: 'no', code: 'crash_loop' })],
  ]);
  await thread.deliver();
  expect(slack.texts()).toEqual([':warning: no (crash_loop)', '_This part was retracted._']);
});

test('an attempt over several messages is replaced by one that is shorter, or as long', async () => {
  const words = (word: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${word}${i} `).join('');
  for (const streams of [true, false]) {
    for (const count of [10, 2_500]) {
      await using slack = await fakeSlack({ streams });
      const thread = session(slack, [
        [started(), begin('s1-0-0-1')],
        [say('s1-0-0-1', words('first', 2_400))],
        [],
        [close('s1-0-0-1'), aborted('s1-0-0-1')],
        [begin('s1-0-0-2'), say('s1-0-0-2', words('second', 5))],
        [],
        [say('s1-0-0-2', words('third', count)), close('s1-0-0-2'), finished()],
      ]);
      await thread.deliver();
      const said = slack.texts().slice(1);
      const kept = said.filter((text) => text !== '_This part was retracted._');
      expect(kept.join('')).toBe(words('second', 5) + words('third', count));
      if (count === 2_500) expect(kept).toEqual(said);
    }
  }
});

test.for(['chat.postMessage', 'chat.startStream', 'chat.appendStream', 'chat.stopStream', 'chat.update'])(
  'the answer to %s is lost, before or after the call took effect: the thread is still right',
  async (method) => {
    for (const loss of ['drop', 'fail'] as const) {
      await using slack = await fakeSlack();
      slack.next(method, loss);
      const thread = session(slack, answer);
      for (let tries = 0; tries < 5; tries++) {
        const followed = await thread.deliver();
        if (followed !== 'died' && followed.end.kind === 'quiet') break;
      }
      expect({ loss, texts: slack.texts() }).toEqual({
        loss,
        texts: [done, 'Hello **you**, here is more of it.'],
      });
    }
  },
);

test('a 429 goes back to the queue, with the delay that Slack asks for', async () => {
  for (const method of ['chat.postMessage', 'chat.appendStream', 'chat.stopStream', 'chat.update']) {
    await using slack = await fakeSlack();
    slack.next(method, { limited: 17 });
    const thread = session(slack, answer);
    expect(await thread.deliver()).toMatchObject({ end: { kind: 'again', ms: 17_000 } });
    await thread.deliver();
    expect({ method, texts: slack.texts() }).toEqual({
      method,
      texts: [done, 'Hello **you**, here is more of it.'],
    });
  }
});

test('a retracted attempt is replaced in its own message', async () => {
  for (const streams of [true, false]) {
    await using slack = await fakeSlack({ streams });
    const thread = session(slack, [
      [started(), begin('s1-0-0-1'), say('s1-0-0-1', 'I think that ')],
      [say('s1-0-0-1', 'it is so ')],
      [close('s1-0-0-1'), aborted('s1-0-0-1')],
      [begin('s1-0-0-2'), say('s1-0-0-2', 'No, it is ')],
      [say('s1-0-0-2', 'not.'), close('s1-0-0-2'), finished()],
    ]);
    await thread.deliver();
    expect(slack.texts()).toEqual([done, 'No, it is not.']);
  }
});

test('a stream that Slack has closed is written again; after one that a person has deleted, the rest is posted', async () => {
  await using slack = await fakeSlack();
  const thread = session(slack, answer);
  await thread.deliver({ forMs: 2_500 });
  slack.expire(slack.messages[1]?.ts ?? '');
  await thread.deliver();
  expect(slack.texts()).toEqual([done, 'Hello **you**, here is more of it.']);

  await using other = await fakeSlack();
  const deleted = session(other, answer);
  await deleted.deliver({ forMs: 2_500 });
  other.remove(other.messages[1]?.ts ?? '');
  expect(await deleted.deliver()).toMatchObject({ end: { kind: 'quiet' } });
  expect(other.texts()).toEqual([done, 'it.']);
});

test('a long silence within a text stops the stream, and the rest is written by updates', async () => {
  await using slack = await fakeSlack();
  const silence = Array.from({ length: 25 }, () => []);
  const thread = session(slack, [
    [started(), begin('s1-0-0-1'), say('s1-0-0-1', 'One moment ')],
    ...silence,
    [say('s1-0-0-1', 'please.'), close('s1-0-0-1'), finished()],
  ]);
  await thread.deliver();
  expect(slack.texts()).toEqual([done, 'One moment please.']);
  expect(methods(slack).filter((method) => method.endsWith('Stream'))).toEqual(['startStream', 'stopStream']);
});

test('a long answer becomes several messages, which together are the answer', async () => {
  for (const streams of [true, false]) {
    await using slack = await fakeSlack({ streams });
    const words = Array.from({ length: 4_000 }, (_, i) => `word${i} `);
    const thread = session(slack, [
      [started(), begin('s1-0-0-1')],
      ...Array.from({ length: 8 }, (_, i) => [say('s1-0-0-1', words.slice(i * 500, i * 500 + 500).join(''))]),
      [close('s1-0-0-1'), finished()],
    ]);
    await thread.deliver();
    const [, ...texts] = slack.texts();
    expect(texts.join('')).toBe(words.join(''));
    expect(texts.length).toBe(streams ? 4 : 3);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(12_000);
  }
});

test('a channel that refuses posts for good is given up without retries', async () => {
  await using slack = await fakeSlack();
  slack.next('chat.postMessage', { error: 'is_archived' });
  const thread = session(slack, answer);
  expect(await thread.deliver()).toMatchObject({ end: { kind: 'lost', error: 'is_archived' } });
  expect(slack.calls).toHaveLength(1);
});

test('a stream with an unknown start is never searched for in an earlier answer', async () => {
  for (const loss of ['fail', 'drop'] as const) {
    await using slack = await fakeSlack();
    slack.next('chat.startStream', 'ok', loss);
    const second = [begin('s1-1-1-2'), say('s1-1-1-2', 'The second '), say('s1-1-1-2', 'answer.')];
    const thread = session(slack, [
      ...answer,
      [started('s1-1'), ...second],
      [close('s1-1-1-2'), finished('s1-1')],
    ]);
    await thread.deliver();
    thread.wait(1_000);
    await thread.deliver();
    thread.wait(5_000);
    await thread.deliver();
    const texts = [done, 'Hello **you**, here is more of it.', done, 'The second answer.'];
    expect({ loss, texts: slack.texts() }).toEqual({ loss, texts });
  }
});

test('two runs in one log are posted one after the other', async () => {
  await using slack = await fakeSlack();
  const thread = session(slack, [
    [started(), begin('s1-0-0-1'), say('s1-0-0-1', 'First.'), close('s1-0-0-1'), finished()],
    [started('s1-1'), begin('s1-1-1-2'), say('s1-1-1-2', 'Second.'), close('s1-1-1-2'), finished('s1-1')],
  ]);
  await thread.deliver();
  await thread.deliver({ expecting: true });
  expect(slack.texts()).toEqual([done, 'First.', done, 'Second.']);
});

test('a question waits with buttons, and loses them when the session continues', async () => {
  await using slack = await fakeSlack();
  const interrupt = {
    id: 'w1',
    reason: 'approval',
    message: 'Pay 5 EUR to <Ada>?',
    expiresAt: '2027-01-15T08:00:00Z',
  };
  const waiting = { ...finished(), outcome: { type: 'interrupt', interrupts: [interrupt] } } as AgUiEvent;
  const thread = session(slack, [
    [started(), waiting],
    [started('s1-1'), finished('s1-1')],
  ]);
  await thread.deliver({ forMs: 1_500 });
  const ask = slack.messages[1];
  expect(JSON.stringify(ask?.blocks)).toContain('"action_id":"steploop.approve"');
  expect(JSON.stringify(ask?.blocks)).toContain('Pay 5 EUR to &lt;Ada&gt;?');
  await thread.deliver({ expecting: true });
  expect(JSON.stringify(ask?.blocks)).not.toContain('action_id');
});

test('what another session asks joins what is asked already, which stays as it is', async () => {
  await using slack = await fakeSlack();
  const work = { id: 'w1', reason: 'child', message: 'research is at work.' };
  const pay = { id: 'w2', reason: 'approval', message: 'clerk asks:\nPay 5 EUR?' };
  const waiting = (...interrupts: (typeof work)[]) =>
    ({ ...finished(), outcome: { type: 'interrupt', interrupts } }) as AgUiEvent;
  const outcomes: Record<string, string> = {};
  const thread = session(
    slack,
    [
      [started(), begin('s1-0-0-1'), say('s1-0-0-1', 'I ask.'), close('s1-0-0-1'), waiting(work)],
      [started('s1-0.1'), waiting(work, pay)],
      [started('s1-0.2'), waiting(work)],
    ],
    () => outcomes,
  );
  await thread.deliver({ forMs: 1_500 });
  await thread.deliver({ expecting: true, forMs: 1_500 });
  const asks = () => slack.messages.slice(2);
  expect(asks().map(({ text }) => text)).toEqual(['research is at work.', 'clerk asks:\nPay 5 EUR?']);
  expect(JSON.stringify(asks()[1]?.blocks)).toContain('"action_id":"steploop.approve"');
  outcomes.w2 = 'Approved by Ada.';
  await thread.deliver({ expecting: true });
  expect(asks().map(({ text }) => text)).toEqual(['research is at work.', 'Approved by Ada.']);
  expect(JSON.stringify(asks()[1]?.blocks)).not.toContain('action_id');
});

test('a plan is shown as code, and approved as a whole or not', async () => {
  await using slack = await fakeSlack();
  const message = 'Plan: 1 change\n1. write_file: a.ts\n--- a/a.ts\n+++ b/a.ts\n+<b>';
  const interrupt = { id: 'w1', reason: 'plan', message };
  const waiting = { ...finished(), outcome: { type: 'interrupt', interrupts: [interrupt] } } as AgUiEvent;
  const thread = session(slack, [[started(), waiting]]);
  await thread.deliver({ forMs: 1_500 });
  const blocks = JSON.stringify(slack.messages[1]?.blocks);
  expect(blocks).toContain('```\\nPlan: 1 change');
  expect(blocks).toContain('+&lt;b&gt;');
  expect(blocks).toMatch(/Approve all.*Deny all/);
});

const none: Readonly<Record<string, string>> = {};

test('a question that has expired says so, although the end of its run is read before its outcome', async () => {
  await using slack = await fakeSlack();
  const interrupt = { id: 'w1', reason: 'approval', message: 'Pay?', expiresAt: '2027-01-15T08:00:00Z' };
  const waiting = { ...finished(), outcome: { type: 'interrupt', interrupts: [interrupt] } } as AgUiEvent;
  const decided = { id: 'w1', toolCallId: 'c1', outcome: 'expired' } as const;
  const thread = session(
    slack,
    [
      [started(), waiting],
      [started('s1-0.1')],
      [{ type: 'CUSTOM', name: 'steploop.decided', value: decided }],
      [begin('s1-0-2-1'), say('s1-0-2-1', 'Nothing was paid.'), close('s1-0-2-1'), finished('s1-0.1')],
    ],
    (log) => (log.some(({ event }) => event.type === 'CUSTOM') ? { w1: 'Not decided in time.' } : none),
  );
  await thread.deliver({ forMs: 1_500 });
  await thread.deliver({ expecting: true });
  expect(slack.messages[1]?.text).toBe('Not decided in time.');
  expect(JSON.stringify(slack.messages[1]?.blocks)).not.toContain('action_id');
});

test('A9: an estimated price is shown as an estimate', async () => {
  await using slack = await fakeSlack();
  const guessed = { ...result, totals: { ...totals, estimated: true } as const };
  const end: AgUiEvent = { ...finished(), result: guessed } as AgUiEvent;
  await session(slack, [[started(), end]]).deliver();
  expect(slack.texts()[0]).toBe(':white_check_mark: 1 step · about $0.0123');
});
