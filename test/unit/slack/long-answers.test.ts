import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { type FakeSlack, fakeSlack, type Scripted } from '../../support/fake-slack.ts';
import type { FakeMessage } from '../../support/memory-slack.ts';
import { read, wrongIn } from '../../support/shown.ts';
import { aborted, begin, close, finished, say, session, started } from '../../support/slack-session.ts';

const DONE = ':white_check_mark: 1 step · $0.0123';

const scripts = {
  russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю. ',
  chinese: '我能吞下玻璃而不伤身体。天地玄黄宇宙洪荒日月盈昃，',
  arabic: 'نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر. ',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 é́ ok ',
  quotes: '“It’s here”—she said—“and ‘there’…” ',
  html: '<p class="a">a && b</p> <br/> & <i>x</i> > y ',
  words: 'no word is longer than these are ',
};
type Script = keyof typeof scripts;
const inScript = (script: Script, length: number) =>
  scripts[script]
    .repeat(Math.ceil(length / scripts[script].length))
    .slice(0, length)
    .toWellFormed();

/** An answer that is streamed piece by piece, a piece a second. */
const spoken = (text: string, pieces: number): AgUiEvent[][] => {
  const size = Math.ceil(text.length / pieces);
  const deltas = Array.from({ length: pieces }, (_, i) => text.slice(i * size, (i + 1) * size));
  return [
    [started(), begin('s1-0-0-1')],
    ...deltas.filter((delta) => delta !== '').map((delta) => [say('s1-0-0-1', delta)]),
    [close('s1-0-0-1'), finished()],
  ];
};

const isStatus = ({ blocks }: FakeMessage) =>
  blocks !== undefined && !JSON.stringify(blocks).includes('context_actions');
const answerIn = (slack: FakeSlack) =>
  slack.messages
    .filter((message) => !isStatus(message))
    .map(read)
    .join('');
const statusIn = (slack: FakeSlack) => slack.messages.filter(isStatus).map(({ text }) => text);

/** Delivers until the thread is idle, with the requested waits. */
async function rest(thread: ReturnType<typeof session>, most = 200) {
  for (let n = 0; n < most; n++) {
    const followed = await thread.deliver({ forMs: 20_000 });
    if (followed === 'died') continue;
    if (followed.end.kind === 'quiet' && thread.isSaid()) return;
    thread.wait(followed.end.kind === 'again' ? followed.end.ms : 1_000);
  }
  throw new Error('the thread does not come to rest');
}

test.for(Object.keys(scripts) as Script[])(
  'a long answer in %s is in the thread, complete',
  async (script) => {
    for (const streams of [true, false])
      for (const length of [10, 4_000, 10_600, 20_000]) {
        await using slack = await fakeSlack({ streams });
        const text = inScript(script, length);
        const thread = session(slack, spoken(text, 6));
        await rest(thread);
        expect(answerIn(slack)).toBe(text);
        expect(statusIn(slack)).toEqual([DONE]);
      }
  },
);

test('an answer that ends before any post is not marked as done before it is posted', async () => {
  await using slack = await fakeSlack();
  slack.next('chat.postMessage', 'ok', { limited: 9 });
  const thread = session(slack, [spoken(inScript('russian', 9_000), 1).flat()]);
  expect(await thread.deliver()).toMatchObject({ end: { kind: 'again', ms: 9_000 } });
  expect(statusIn(slack)).toEqual([':hourglass_flowing_sand: Working']);
  expect(JSON.stringify(slack.messages[0]?.blocks)).not.toContain('action_id');
  await rest(thread);
  expect(statusIn(slack)).toEqual([DONE]);
});

test('after one 429 for a stream a long answer is posted completely', async () => {
  await using slack = await fakeSlack();
  slack.next('chat.startStream', { limited: 30 });
  const text = inScript('quotes', 8_000);
  await rest(session(slack, spoken(text, 12)));
  expect(answerIn(slack)).toBe(text);
});

test('a closed stream that Slack rejects in Markdown becomes several messages', async () => {
  await using slack = await fakeSlack();
  slack.next('chat.stopStream', { error: 'message_not_in_streaming_state' });
  slack.next('chat.update', { error: 'invalid_arguments' });
  const text = inScript('chinese', 9_000);
  await rest(session(slack, spoken(text, 4)));
  expect(answerIn(slack)).toBe(text);
  expect(slack.messages.filter((message) => !isStatus(message)).length).toBeGreaterThan(5);
});

test.for([true, false])(
  'after a person deletes a message while it is written, the rest is posted in another one (streams: %s)',
  async (streams) => {
    await using slack = await fakeSlack({ streams });
    const text = inScript('words', 3_000);
    const thread = session(slack, spoken(text, 10));
    await thread.deliver({ forMs: 5_000 });
    const half = slack.messages.at(-1);
    slack.remove(half?.ts ?? '');
    await rest(thread);
    expect((half?.text ?? '') + answerIn(slack)).toBe(text);
    expect(answerIn(slack).length).toBeGreaterThan(500);
    expect(statusIn(slack)).toEqual([DONE]);
  },
);

test('the replacement of a deleted attempt is posted completely', async () => {
  await using slack = await fakeSlack({ streams: false });
  const thread = session(slack, [
    [started(), begin('s1-0-0-1'), say('s1-0-0-1', 'Words of an attempt ')],
    [],
    [],
    [close('s1-0-0-1'), aborted('s1-0-0-1')],
    [begin('s1-0-0-2'), say('s1-0-0-2', 'What is so.'), close('s1-0-0-2'), finished()],
  ]);
  await thread.deliver({ forMs: 2_500 });
  slack.remove(slack.messages.at(-1)?.ts ?? '');
  await rest(thread);
  expect(answerIn(slack)).toBe('What is so.');
});

test('if messages cannot be changed, each is posted when it is full, and the status again at the end', async () => {
  await using slack = await fakeSlack({
    streams: false,
    fault: (method) => (method === 'chat.update' ? { error: 'edit_window_closed' } : 'ok'),
  });
  const text = inScript('words', 9_000);
  await rest(session(slack, spoken(text, 30)));
  expect(answerIn(slack)).toBe(text);
  expect(slack.messages.filter((message) => !isStatus(message)).length).toBeLessThan(6);
  expect(statusIn(slack)).toEqual([':hourglass_flowing_sand: Working', DONE]);
});

test('a message that Slack finds too long by another count is split once more', async () => {
  let long = 0;
  await using slack = await fakeSlack({
    streams: false,
    fault: (method) => (method !== 'chat.startStream' && ++long % 3 === 0 ? { error: 'msg_too_long' } : 'ok'),
  });
  const text = inScript('russian', 9_000);
  const thread = session(slack, spoken(text, 3));
  await rest(thread);
  expect(answerIn(slack)).toBe(text);
  expect(thread.missing).toEqual([]);
});

test('a server without Markdown gets mrkdwn from then on, and tables in columns', async () => {
  await using slack = await fakeSlack({ streams: false });
  slack.next('chat.postMessage', 'ok', { error: 'no_text' });
  const table = '| a | b |\n|---|---|\n| 1 | 2 |';
  await rest(session(slack, [spoken(`**Hi**\n\n${table}`, 1).flat()]));
  expect(slack.messages.filter((message) => !isStatus(message))[0]).toMatchObject({
    format: 'mrkdwn',
    text: '*Hi*\n\n```\na | b\n--|--\n1 | 2\n```',
  });
});

test('text that Slack rejects in every form is missing, and the status says so', async () => {
  await using slack = await fakeSlack({ streams: false });
  const refusal = { error: 'restricted_content' };
  slack.next('chat.postMessage', 'ok', 'ok', refusal, refusal, refusal, refusal);
  const text = inScript('words', 30_000);
  const thread = session(slack, [spoken(text, 1).flat()]);
  await rest(thread);
  const parts = slack.messages.filter((message) => !isStatus(message));
  expect(parts.map(({ text: part }) => text.indexOf(part)).every((at) => at >= 0)).toBe(true);
  expect(answerIn(slack).length).toBeLessThan(text.length);
  expect(thread.missing).toEqual(['restricted_content']);
  const missing = text.length - answerIn(slack).length;
  expect(statusIn(slack)).toEqual([
    `:warning: 1 step · $0.0123 · ${missing.toLocaleString('en')} characters of the answer could not be shown: Slack refuses them (\`restricted_content\`)`,
  ]);
});

test('a text that is blank at its end, or for long within, is posted', async () => {
  for (const text of ['Well.\n\n', `one${'\n'.repeat(9_000)}two`, `${'x'.repeat(3_900)}\n \n`]) {
    await using slack = await fakeSlack({ streams: false });
    const thread = session(slack, spoken(text, 5));
    await rest(thread);
    expect(answerIn(slack).replaceAll(/\s+/g, ' ').trim()).toBe(text.replaceAll(/\s+/g, ' ').trim());
    expect(thread.missing).toEqual([]);
  }
});

test('whatever is refused, limited, lost, deleted or killed: the thread shows the answer once', async () => {
  const refusals = {
    'chat.postMessage': ['msg_too_long', 'invalid_arguments'],
    'chat.update': ['msg_too_long', 'cant_update_message', 'invalid_arguments'],
    'chat.startStream': ['channel_type_not_supported'],
    'chat.appendStream': ['message_not_in_streaming_state', 'msg_too_long'],
    'chat.stopStream': ['message_not_in_streaming_state', 'invalid_blocks'],
  } as Record<string, string[]>;
  const fault = fc.record({
    method: fc.constantFrom(...Object.keys(refusals)),
    what: fc.constantFrom('refuse', 'refuse', 'limit', 'drop', 'fail', 'none', 'none', 'none'),
    which: fc.nat(9),
  });
  const delivery = fc.record({
    dieAtSave: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 4, nil: undefined }),
    forMs: fc.integer({ min: 1_500, max: 9_000 }),
    remove: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(scripts) as Script[])),
      fc.integer({ min: 10, max: 20_000 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      fc.boolean(),
      fc.array(fault, { maxLength: 40 }),
      fc.array(delivery, { maxLength: 6 }),
      async (script, length, pieces, streams, rates, faults, deliveries) => {
        const text = inScript(script, length);
        await using slack = await fakeSlack({ streams });
        const unsure =
          faults.some((one) => one.method === 'chat.update' && one.what === 'drop') ||
          deliveries.some(({ dieAtSave }) => dieAtSave);
        for (const { method, what, which } of faults) {
          // How far a message shows its text is unknown if a change may have succeeded, and the next one is refused.
          if (unsure && method === 'chat.update' && what === 'refuse') continue;
          const errors = refusals[method] ?? [];
          const scripted: Record<string, Scripted> = {
            refuse: { error: errors[which % errors.length] ?? '' },
            limit: { limited: 2 },
          };
          slack.next(method, what === 'none' ? 'ok' : (scripted[what] ?? (what as 'drop' | 'fail')));
        }
        const thread = session(slack, spoken(text, pieces), undefined, rates ? { rates } : {});
        const deleted: FakeMessage[] = [];
        for (const { remove, dieAtSave, forMs } of deliveries) {
          const followed = await thread.deliver({ forMs, ...(dieAtSave && { dieAtSave }) });
          if (followed !== 'died' && followed.end.kind === 'again') thread.wait(followed.end.ms);
          const last = slack.messages.at(-1);
          if (remove && last && !isStatus(last)) {
            deleted.push(last);
            slack.remove(last.ts);
          }
        }
        await rest(thread);
        if (thread.missing.length > 0) {
          // A channel that also rejects the status is reported in the log only.
          expect(statusIn(slack).at(-1) ?? 'could not be shown').toContain('could not be shown');
          return;
        }
        const all = [...slack.messages, ...deleted]
          .filter((message) => !isStatus(message))
          .sort((a, b) => Number(a.ts) - Number(b.ts))
          .map((message) => ({ shown: read(message), deleted: deleted.includes(message) }));
        expect(wrongIn(text, all)).toBeUndefined();
        expect(statusIn(slack).at(-1)).toBe(DONE);
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
