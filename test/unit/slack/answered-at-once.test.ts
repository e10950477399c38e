import { describe, expect, test, vi } from 'vitest';
import { runJob } from '../../../functions/slack/jobs.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { newDestination } from '../../../shared/agent/outbound/destination.ts';
import { newRun, type Session } from '../../../shared/agent/session/session.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import { agent, slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { BOT, TS, CHANNEL, USER, TEAM, PARTNER } = recorded;
const LATER = '1515449600.000001';
const inThread = (text: string, over: object = {}) =>
  recorded.appMention({ ts: LATER, thread_ts: TS, text: text && `<@${BOT}> ${text}`, ...over });
const bare = (over: object = {}) => recorded.appMention({ text: `<@${BOT}>`, ...over });
const asTwoEvents = (event: object) => [event, { ...event, type: 'message', channel_type: 'channel' }];

type App = Awaited<ReturnType<typeof slackApp>>;

/** A thread whose session is as given. */
async function sessionOf(it: App, over: Partial<Session>, pending: readonly Wait[] = []) {
  await it.event(recorded.appMention());
  const { read } = it.world.sessions;
  it.world.sessions.read = async (key) => {
    const view = await read(key);
    if (!view || view.session.outbound === false) return view;
    const { dueAt, ...rest } = view;
    return {
      ...rest,
      session: { ...view.session, version: 2, ...over },
      fence: { ...view.fence, inbox: [], pending: pending.map(({ id }) => id) },
      ...(over.run?.ended === false && pending.length === 0 && { dueAt: 1 }),
    };
  };
  return it;
}

const wait = (kind: Wait['kind'], tool: string, message = ''): Wait => ({
  id: `wait-${tool}`,
  callId: 'c1',
  tool,
  kind,
  message,
  expiresAt: Number.MAX_SAFE_INTEGER,
});
const run = { ...newRun, id: 's-0', steps: 3, toolCalls: 1 };
const asking = (...waits: Wait[]) =>
  ({ run, state: 'waiting_for_input', batch: { slot: 1, waits, since: 0 } }) as const;
const posted = (calls: unknown[][]) =>
  calls.filter(([name]) => name === 'post').map(([, at, what]) => [at, what]);

describe('a mention without text', () => {
  test('is asked for its request, in its thread, once, however often Slack sends it; no session begins', async () => {
    const it = await slackApp();
    for (const event of [...asTwoEvents(bare()), bare()]) await it.event(event);
    expect(it.sent).toHaveLength(3);
    expect(posted(await it.work())).toEqual([
      [{ channel: CHANNEL, thread: TS }, { text: 'What can I do for you? Write it here, and mention me.' }],
    ]);
    expect(it.wakes()).toBe(0);
    expect(await it.inboxes()).toEqual([]);
  });

  test('in direct messages is asked for its request there', async () => {
    const it = await slackApp();
    await it.event(recorded.directMessage({ text: `<@${BOT}>` }));
    expect(posted(await it.work())).toEqual([
      [{ channel: recorded.DIRECT }, { text: 'What can I do for you? Write it here.' }],
    ]);
  });

  test('in a thread of others means: read this', async () => {
    const it = await slackApp();
    const messages = [{ ts: TS, user: 'U1', text: 'Who knows the tides?', files: [] }];
    (it.api as { replies: unknown }).replies = async () => ({ kind: 'ok', value: { messages, more: false } });
    await it.event(bare({ ts: LATER, thread_ts: TS }));
    expect(posted(await it.work())).toEqual([]);
    const [{ texts } = { texts: [] }] = await it.inboxes();
    expect(texts).toEqual([expect.stringContaining('They mention you and say no more')]);
    expect(texts[0]).toContain('<@U1>:\n> Who knows the tides?');
  });

  test.for([
    ['that cannot be read', { kind: 'refused', error: 'missing_scope' }],
    ['with nothing in it', { kind: 'ok', value: { messages: [], more: false } }],
  ])('in a thread %s is asked for its request', async ([, answer]) => {
    const it = await slackApp();
    (it.api as { replies: unknown }).replies = async () => answer;
    await it.event(bare({ ts: LATER, thread_ts: TS }));
    expect(posted(await it.work())).toHaveLength(1);
    expect(it.wakes()).toBe(0);
  });

  test('during a run is told so', async () => {
    const it = await sessionOf(await slackApp(), { run: { ...run, ended: false }, state: 'running' });
    await it.event(bare({ ts: LATER, thread_ts: TS }));
    expect(JSON.stringify(await it.work())).toContain('I am working on this.');
  });

  test('without an agent gets no answer', async () => {
    const it = await slackApp({ config: { agentFor: () => undefined } });
    await it.event(bare());
    await it.event(recorded.appMention({ text: `<@${BOT}> stop` }));
    expect(it.sent).toEqual([]);
  });

  test('is answered by the job that has begun, also if it died before it could record it', async () => {
    const it = await slackApp();
    await it.event(bare());
    const [first] = it.sent;
    await it.event(bare());
    if (first?.kind !== 'say') throw new Error('nothing is said');
    await it.context.store.once(TEAM, `say/${first.id}`, first.owner);
    const found = { ts: '1.1', label: { sessionId: '', slot: first.id } };
    (it.api as { ownMessages: unknown }).ownMessages = async () => ({ kind: 'ok', value: [found] });
    expect(posted(await it.work())).toEqual([]);
  });
});

describe('while the session waits for people', () => {
  test('a mention is told what the wait is for and who may decide, and is kept', async () => {
    const waits = [wait('approval', 'transfer'), wait('approval', 'delete_all')];
    const it = await sessionOf(await slackApp(), asking(...waits), waits);
    for (const event of asTwoEvents(inThread('what are you doing?'))) await it.event(event);
    expect(posted(await it.work())).toEqual([
      [
        { channel: CHANNEL, thread: TS },
        {
          text: [
            ':raised_hand: I am waiting for approval of `transfer`, `delete_all`. Approvers: everybody in this channel. The buttons are not here yet.',
            'I have kept your message and will read it when this is decided. The word *stop* stops me.',
          ].join('\n'),
        },
      ],
    ]);
    // One message, although each of its events woke the session.
    expect(it.wakes()).toBe(3);
  });

  test('the agent’s own rule is explained: who decides, who does not, and that there is more to it', async () => {
    const strict = defineAgent({
      ...agent,
      approvals: {
        deciders: ['slack:T1:U0BOSS', 'role:<ops>`'],
        requesterMayDecide: false,
      },
      mayDecide: () => true,
    });
    const waits = [wait('approval', 'transfer')];
    const it = await sessionOf(await slackApp({ agents: [strict] }), asking(...waits), waits);
    await it.event(inThread('well?'));
    expect(JSON.stringify(await it.work())).toContain(
      "Approvers: <@U0BOSS>, `role:&lt;ops&gt;`, but not the person who asked for it, if the agent's rule allows it.",
    );
  });

  test('in a shared channel it says that external people do not decide', async () => {
    const waits = [wait('approval', 'transfer')];
    const it = await sessionOf(await slackApp(), asking(...waits), waits);
    await it.event(inThread('well?', { user_team: TEAM }), recorded.sharedWith(PARTNER));
    expect(JSON.stringify(await it.work())).toContain(
      'everybody in this channel, except people of other organisations',
    );
  });

  test('a mention answers a question, as before, without another reply', async () => {
    const waits = [wait('question', 'ask_user', 'Which?')];
    const it = await sessionOf(await slackApp(), asking(...waits), waits);
    await it.event(inThread('green'));
    expect(it.sent).toEqual([]);
    expect(it.wakes()).toBe(2);
  });

  test('a mention of one who may not answer the question is kept, and they are told who may', async () => {
    const only = defineAgent({
      ...{ name: 'helper', version: '1', model: { name: 'm' }, system: 'Help.' },
      approvals: { answerers: ['slack:T0:U0FINANCE', 'role:finance'] },
    });
    const waits = [wait('question', 'ask_user', 'Which?')];
    const it = await sessionOf(await slackApp({ agents: [only] }), asking(...waits), waits);
    await it.event(inThread('the first'));
    const [[, { text }] = ['', { text: '' }]] = posted(await it.work()) as [unknown, { text: string }][];
    expect(text).toContain('Which? Answers come from: <@U0FINANCE>, `role:finance`.');
    expect(text).toContain('I have kept your message');
  });

  test('a mention without text is no answer to a question: the question is repeated, defused', async () => {
    const waits = [wait('question', 'ask_user', 'Which <!channel>?')];
    const it = await sessionOf(await slackApp(), asking(...waits), waits);
    await it.event(bare({ ts: LATER, thread_ts: TS }));
    expect(JSON.stringify(await it.work())).toContain(
      'I am waiting for an answer to this: Which &lt;!channel&gt;? Write it here, and mention me.',
    );
    expect(it.wakes()).toBe(1);
  });
});

test.for([
  ['all', ['one', 'two'], ' The buttons are above.'],
  ['some', ['one'], ' Some of the buttons are above; the others are not here yet.'],
  ['none', [], ' The buttons are not here yet.'],
] as const)('"above" is said of %s buttons that are there', async ([, shown, says]) => {
  const waits = [
    { ...wait('approval', 'transfer'), id: 'one' },
    { ...wait('approval', 'delete_all'), id: 'two' },
  ];
  const it = await sessionOf(await slackApp(), asking(...waits), waits);
  const asks = Object.fromEntries(
    ['one', 'two'].map((id) => [id, { shown: 'x', ...(shown.some((one) => one === id) && { ts: '1.1' }) }]),
  );
  it.context.io.outbound.list = async () => [{ ...newDestination('slack', 'slack', {}), memory: { asks } }];
  await it.event(inThread('what are you doing?'));
  expect(JSON.stringify(posted(await it.work()))).toContain(`everybody in this channel.${says}\\n`);
});

describe('the word stop', () => {
  test.for(['stop', 'Stop!', ' STOP. ', '*stop*', ', stop', ': Stop!', '– stop', 'stop,'])(
    '%j stops the current work, and says what it was',
    async (word) => {
      const it = await sessionOf(await slackApp(), { run: { ...run, ended: false }, state: 'running' });
      const cancel = vi.spyOn(it.world.sessions, 'cancel');
      await it.event(inThread(word));
      expect(cancel).toHaveBeenCalledOnce();
      expect(posted(await it.work())).toEqual([
        [
          { channel: CHANNEL, thread: TS },
          {
            text: ':octagonal_sign: Stopping: I am giving up the current run, after 3 steps and 1 tool call.',
          },
        ],
      ]);
    },
  );

  test('stops a wait', async () => {
    const waits = [wait('approval', 'transfer')];
    const it = await sessionOf(await slackApp(), asking(...waits), waits);
    const cancel = vi.spyOn(it.world.sessions, 'cancel');
    await it.event(inThread('stop'));
    expect(cancel).toHaveBeenCalledOnce();
    expect(JSON.stringify(await it.work())).toContain(
      '`transfer` will not run, and I am no longer waiting for approval.',
    );
  });

  test('stops a run during its first model call', async () => {
    const it = await slackApp();
    await it.event(recorded.appMention());
    await it.event(inThread('stop'));
    expect(JSON.stringify(await it.work())).toContain('I am not starting the next run.');
  });

  test('redelivered during another run, leaves that one alone and says nothing more', async () => {
    const it = await sessionOf(await slackApp(), { run: { ...run, ended: false }, state: 'running' });
    const cancel = vi.spyOn(it.world.sessions, 'cancel');
    for (const event of asTwoEvents(inThread('stop'))) await it.event(event);
    expect(posted(await it.work())).toHaveLength(1);
    const calls = cancel.mock.calls.length;
    const { read } = it.world.sessions;
    it.world.sessions.read = async (key) => {
      const view = await read(key);
      return view && { ...view, session: { ...view.session, run: { ...run, id: 's-9' } } };
    };
    await it.event(inThread('stop'));
    expect(cancel).toHaveBeenCalledTimes(calls);
    expect(posted(await it.work())).toEqual([]);
  });

  test('redelivered after a run that began later, when nothing was going at first, stops nothing', async () => {
    const it = await slackApp();
    await it.event(recorded.appMention({ text: `<@${BOT}> stop` }));
    expect(JSON.stringify(await it.work())).toContain('There is nothing to stop here.');
    expect(it.wakes()).toBe(0);
    const cancel = vi.spyOn(it.world.sessions, 'cancel');
    await it.event(recorded.appMention({ ts: LATER, thread_ts: TS, text: `<@${BOT}> go` }));
    await it.work();
    await it.event(recorded.appMention({ text: `<@${BOT}> stop` }));
    expect(cancel).not.toHaveBeenCalled();
  });

  test('in a thread of direct messages without a session means the top level', async () => {
    const it = await slackApp();
    await it.event(recorded.directMessage());
    const cancel = vi.spyOn(it.world.sessions, 'cancel');
    const reply = { ts: '1355517700.000001', thread_ts: '1355517523.000005', text: 'stop' };
    await it.event(recorded.directMessage({ ...reply, parent_user_id: USER }));
    expect(cancel).toHaveBeenCalledOnce();
    const [call] = posted(await it.work());
    expect(call?.[0]).toEqual({ channel: recorded.DIRECT, thread: '1355517523.000005' });
  });

  test('from an external person stops only their own run', async () => {
    const it = await slackApp();
    await it.event(recorded.appMention());
    const cancel = vi.spyOn(it.world.sessions, 'cancel');
    await it.event(inThread('stop', { user_team: PARTNER }), recorded.sharedWith(PARTNER));
    expect(cancel).not.toHaveBeenCalled();
    expect(JSON.stringify(await it.work())).toContain('can stop only what they began themselves');
  });

  test('within other words is an ordinary message', async () => {
    const it = await slackApp();
    await it.event(recorded.directMessage({ text: 'stop the deployment' }));
    expect(it.wakes()).toBe(1);
    expect(it.sent).toEqual([]);
  });
});

test('sent many times at once, each message is read once or answered once, in order', async () => {
  const it = await slackApp();
  const messages = [
    bare(),
    inThread('first'),
    inThread('second', { ts: '1515449601.000001' }),
    bare({ ts: '1515449602.000001', thread_ts: TS }),
    recorded.appMention({ ts: '1515449603.000001', text: `<@${BOT}> stop` }),
    recorded.directMessage({ text: '' }),
  ];
  const told = messages.flatMap((event) => [...asTwoEvents(event), event]);
  await Promise.all([...told, ...told.toReversed()].map((event) => it.event(event)));
  for (let jobs = it.sent.splice(0); jobs.length > 0; jobs = it.sent.splice(0))
    await Promise.all(jobs.toReversed().map((job) => runJob(job, it.context)));
  const slots = it.calls.filter(([name]) => name === 'post').map(([, , , label]) => label);
  const said = slots.map((label) => (label as { slot: string }).slot.split('/')[0]);
  expect(said.toSorted()).toEqual(['bare', 'bare', 'bare', 'stop']);
  const [{ texts } = { texts: [] }] = await it.inboxes();
  expect(texts.map((text) => text.split('\n\n')[1])).toEqual(['first', 'second']);
});
