import { expect, test, vi } from 'vitest';
import type { Request } from '../../../functions/slack/context.ts';
import { onEvents } from '../../../functions/slack/events.ts';
import { runJob } from '../../../functions/slack/jobs.ts';
import { verifiedBody } from '../../../functions/slack/verified.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { newRun, type Run } from '../../../shared/agent/session/session.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { signatureOf } from '../../../shared/slack/signature.ts';
import { agent, slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { writtenBy } from '../../support/written.ts';

test('url_verification is answered with its challenge', async () => {
  const { context } = await slackApp();
  const answer = await onEvents(JSON.stringify(recorded.urlVerification), context);
  expect(JSON.parse(answer.body ?? '')).toEqual({ challenge: recorded.urlVerification.challenge });
});

test('a mention reaches the session of its thread, without the mention, with its author', async () => {
  const it = await slackApp();
  expect((await it.event(recorded.appMention())).statusCode).toBe(200);
  expect(await it.inboxes()).toEqual([
    {
      place: { team: recorded.TEAM, channel: recorded.CHANNEL, thread: recorded.TS },
      texts: [`Slack message from <@${recorded.USER}>:\n\nWhat is the hour of the pearl, ?`],
      outbound: true,
    },
  ]);
  expect(it.wakes()).toBe(1);
});

test('both events of one mention, and every retry of them, are one message', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await it.event(recorded.messageInChannel(), { event_id: 'Ev0OTHER' });
  await it.event(recorded.appMention());
  await it.event(recorded.messageInChannel(), { event_id: 'Ev0OTHER' });
  expect((await it.inboxes()).map(({ texts }) => texts.length)).toEqual([1]);
});

test('an event whose first delivery failed is accepted when Slack sends it again', async () => {
  const it = await slackApp();
  const send = vi.spyOn(it.world.queue, 'send').mockRejectedValueOnce(new Error('SQS is away'));
  await expect(it.event(recorded.appMention())).rejects.toThrow('SQS is away');
  await it.event(recorded.appMention());
  expect((await it.inboxes()).map(({ texts }) => texts.length)).toEqual([1]);
  expect(send).toHaveBeenCalledTimes(2);
  expect(it.wakes()).toBe(1);
});

test('a reply in the thread joins its session; direct messages are one session, their threads others', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await it.event(
    recorded.appMention({ ts: '1515449600.000001', thread_ts: recorded.TS, text: `<@${recorded.BOT}> more` }),
  );
  await it.event(recorded.directMessage());
  await it.event(recorded.directMessage({ ts: '1355517524.000005', text: 'and again' }));
  await it.event(recorded.directMessage({ ts: '1355517525.000005', thread_ts: '1355517523.000005' }));
  await it.work();
  const found = (await it.inboxes()).map(({ place, texts }) => [place.channel, place.thread, texts.length]);
  expect(found.sort(([a, b = ''], [c, d = '']) => `${a}${b}`.localeCompare(`${c}${d}`))).toEqual([
    [recorded.CHANNEL, recorded.TS, 2],
    [recorded.DIRECT, undefined, 2],
    [recorded.DIRECT, '1355517523.000005', 1],
  ]);
});

test.for([
  ['an edit', recorded.messageChanged],
  ['another bot', recorded.botMessage],
  ['another bot with a user', recorded.directMessage({ bot_id: 'B1' })],
  ['Slackbot', recorded.directMessage({ user: 'USLACKBOT' })],
  ['a reminder, which Slackbot says in a channel', recorded.appMention({ user: 'USLACKBOT' })],
  [
    'an app with a user’s token',
    recorded.appMention({ bot_profile: { id: 'B1', app_id: 'A1', name: 'ci' } }),
  ],
  ['its own words', recorded.directMessage({ user: recorded.BOT })],
  ['a channel message without a mention', recorded.messageInChannel({ text: 'hello all' })],
  ['a mention of another user', recorded.messageInChannel({ text: '<@U0SOMEONE> hello' })],
  ['a user who joins', recorded.messageInChannel({ subtype: 'channel_join' })],
  ['an event that is not read', { type: 'reaction_added', user: recorded.USER }],
  ['an event of another shape', recorded.appMention({ channel: { id: 'C1' } })],
] as const)('%s starts nothing, and is acknowledged', async ([, event]) => {
  const it = await slackApp();
  expect((await it.event(event)).statusCode).toBe(200);
  expect(await it.inboxes()).toEqual([]);
  expect(it.sent).toEqual([]);
  expect(it.wakes()).toBe(0);
});

test('a workspace that has not installed the app starts nothing, also under another tenant’s ids', async () => {
  const it = await slackApp();
  expect((await it.event(recorded.appMention(), recorded.from('T0OTHER'))).statusCode).toBe(200);
  expect(it.wakes()).toBe(0);
  expect(
    (await it.click({ ...recorded.blockActions('steploop.stop', 'x'), team: { id: 'T0OTHER' } })).statusCode,
  ).toBe(200);
});

test('in a channel of another organisation the workspace with the installation counts', async () => {
  const it = await slackApp();
  const abroad = { ...recorded.sharedWith(recorded.PARTNER), team_id: recorded.PARTNER };
  const said = { user_team: recorded.TEAM, source_team: recorded.TEAM, team: recorded.PARTNER };
  await it.event(recorded.appMention(said), abroad);
  await it.event(recorded.messageInChannel({ team: recorded.TEAM }), recorded.sharedWith(recorded.PARTNER));
  expect((await it.inboxes()).map(({ place, texts }) => [place.team, texts])).toEqual([
    [recorded.TEAM, [`Slack message from <@${recorded.USER}>:\n\nWhat is the hour of the pearl, ?`]],
  ]);
});

test('in a shared channel a mention of the other organisation’s bot is ignored', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention({ text: '<@U0THEIRBOT> hello' }), recorded.sharedWith(recorded.PARTNER));
  expect(it.wakes()).toBe(0);
});

test("the configuration gets the author's origin: the user’s team, and whether the channel is shared", async () => {
  const asked: unknown[] = [];
  const it = await slackApp({ config: { agentFor: (request) => void asked.push(request) } });
  const { TEAM: team, CHANNEL: channel, USER: user, PARTNER } = recorded;
  await it.event(recorded.appMention());
  await it.event(recorded.appMention({ user_team: PARTNER }), recorded.sharedWith(PARTNER));
  await it.command('hello');
  const [job] = it.sent;
  if (job) await runJob(job, it.context);
  const where = { team, channel, user };
  expect(asked).toEqual([
    { ...where, userTeam: team, external: false, shared: false, kind: 'mention' },
    { ...where, userTeam: PARTNER, external: true, shared: true, kind: 'mention' },
    // No agent answered there, so the channel was not recorded, and a command does not name it.
    { ...where, userTeam: team, external: false, shared: undefined, kind: 'command' },
  ]);
  expect(it.wakes()).toBe(0);
});

test('an external person is marked as such for the model, and differs from one of ours with the same id', async () => {
  const it = await slackApp();
  const { PARTNER, USER } = recorded;
  await it.event(recorded.appMention({ user_team: PARTNER }), recorded.sharedWith(PARTNER));
  expect(await it.inboxes()).toEqual([]);
  const [session] = await it.context.store.sessionsOf('acme', PARTNER, USER);
  const key = { tenant: 'acme', sessionId: session?.sessionId ?? '' };
  const view = await it.world.sessions.read(key);
  expect(await it.world.inbox.read(key, view?.fence.inbox ?? [])).toMatchObject([
    {
      by: `slack:${PARTNER}:${USER}`,
      text: expect.stringContaining(`<@${USER}>, who is of another organisation:`),
    },
  ]);
});

test('a click of another organisation passes its own team to the rule, and a refusal is ephemeral', async () => {
  const it = await slackApp({ decision: { kind: 'forbidden', why: 'Other organisations do not.' } });
  const { PARTNER, USER, TEAM, CHANNEL } = recorded;
  await it.click(
    recorded.blockActions('steploop.approve', 'wait1', { user: { id: USER, team_id: PARTNER } }),
  );
  const slack = { team: TEAM, channel: CHANNEL, user: USER, userTeam: PARTNER, external: true, shared: true };
  expect(it.decided).toMatchObject([{ by: { subject: `slack:${PARTNER}:${USER}`, kind: 'slack', slack } }]);
  expect(it.sent).toMatchObject([
    { kind: 'whisper', user: USER, text: expect.stringContaining('Other org') },
  ]);
});

test.for([
  ['what one of ours has begun', {}, {}, false],
  ['what they have begun', { user_team: recorded.PARTNER }, recorded.sharedWith(recorded.PARTNER), true],
] as const)('Stop by an external person: %s', async ([, said, envelope, stops]) => {
  const it = await slackApp();
  const { PARTNER, USER, TEAM, CHANNEL: channel, TS: thread } = recorded;
  await it.event(recorded.appMention(said), envelope);
  const cancel = vi.spyOn(it.world.sessions, 'cancel');
  const id = await sessionIdFor('slack', placeKeyOf({ team: TEAM, channel, thread }));
  const theirs = { user: { id: USER, team_id: PARTNER } };
  await it.click(recorded.blockActions('steploop.stop', `${id}-0`, theirs));
  expect(cancel).toHaveBeenCalledTimes(stops ? 1 : 0);
  expect(it.sent.map((job) => 'text' in job && job.text)).toEqual(
    stops ? [] : ['People of other organisations can stop only what they began themselves.'],
  );
});

test('without an agent nothing is started', async () => {
  const it = await slackApp({
    config: { agentFor: ({ channel }) => (channel === recorded.DIRECT ? 'helper' : undefined) },
  });
  await it.event(recorded.appMention());
  expect(it.wakes()).toBe(0);
  await it.event(recorded.directMessage());
  expect(it.wakes()).toBe(1);
});

test('a session that another agent took beforehand gets nothing, and the log says so as an error', async () => {
  const it = await slackApp();
  const other = defineAgent({ ...agent, name: 'other' });
  const { TEAM: team, CHANNEL: channel, TS: thread } = recorded;
  const key = {
    tenant: 'acme',
    sessionId: await sessionIdFor('slack', placeKeyOf({ team, channel, thread })),
  };
  await openSession(key, other, it.context.priceOf, it.context.io);
  const lines = await writtenBy(async () => {
    expect((await it.event(recorded.appMention())).statusCode).toBe(200);
  });
  expect(it.wakes()).toBe(0);
  expect(await it.inboxes()).toEqual([]);
  expect(lines).toMatchObject([{ level: 'ERROR' }]);
  expect(JSON.stringify(lines)).toContain(key.sessionId);
});

test('a thread keeps its first agent, even if another one would answer now', async () => {
  let name = 'helper';
  const agents = [agent, defineAgent({ ...agent, name: 'other' })];
  const it = await slackApp({ agents, config: { agentFor: () => name } });
  await it.event(recorded.directMessage());
  name = 'other';
  await it.event(recorded.directMessage({ ts: '1355517524.000005', text: 'And again' }));
  expect((await it.inboxes()).map(({ texts }) => texts.length)).toEqual([2]);
});

test("messages beyond the inbox's room wait beside it, in order: Slack stops sending them again", async () => {
  const it = await slackApp();
  const say = (text: string, ts: string) => it.event(recorded.directMessage({ ts, text }));
  for (let n = 0; n < 100; n++) await say('early', `1355517523.${String(n).padStart(6, '0')}`);
  expect((await say('last', '1355517599.000000')).statusCode).toBe(200);
  await say('before it', '1355517598.000000');
  await say('before it', '1355517598.000000');
  const [waiting] = await it.inboxes();
  expect(waiting?.texts).toHaveLength(100);
  const place = { team: recorded.TEAM, channel: recorded.DIRECT };
  const key = { tenant: 'acme', sessionId: await sessionIdFor('slack', placeKeyOf(place)) };
  const { sessions, inbox } = it.world;
  const now = it.world.clock.now();
  const claim = { key, invocationId: 'i1', messageId: 'm1', now, leaseMs: 60_000 };
  const claimed = await sessions.claim(claim);
  if (claimed.kind !== 'claimed') throw new Error(`not claimed but ${claimed.kind}`);
  // A step that has read them makes room for the next ones.
  const { fence } = claimed.view;
  await inbox.markDone(key, fence.inbox);
  const refilled = await inbox.refill(key, { ...fence, inbox: [] });
  const later = (await inbox.read(key, refilled.inbox)).filter(({ done }) => !done);
  expect(later.map(({ text }) => text.split('\n').at(-1))).toEqual(['before it', 'last']);
});

test('slow work becomes a job: files, the App Home, uninstallations', async () => {
  const it = await slackApp();
  await it.event(recorded.fileShare);
  await it.event(recorded.appHomeOpened);
  await it.event(recorded.appUninstalled);
  await it.event(recorded.tokensRevoked);
  await it.event({ ...recorded.tokensRevoked, tokens: { oauth: ['U1'] } });
  await onEvents(JSON.stringify(recorded.appRateLimited), it.context);
  expect(it.sent.map(({ kind }) => kind)).toEqual(['message', 'home', 'uninstall', 'uninstall']);
});

test('the text beside a file reaches the session with the readable part of the file', async () => {
  const it = await slackApp();
  await it.event(recorded.fileShare);
  const fetched = vi
    .spyOn(globalThis, 'fetch')
    .mockResolvedValue(new Response('# Notes', { headers: { 'content-type': 'text/markdown' } }));
  const [job] = it.sent;
  if (job) await runJob(job, it.context);
  expect(fetched.mock.calls[0]?.[1]?.headers).toEqual({ authorization: 'Bearer xoxb-test' });
  fetched.mockRestore();
  const [inbox] = await it.inboxes();
  expect(inbox?.texts[0]).toContain('sum this up');
  expect(inbox?.texts[0]).toContain('```\n# Notes\n```');
  expect(inbox?.attachments).toMatchObject([[{ as: 'file', path: 'slack/F0RDC39U1/notes.md' }]]);
});

test('a file that Slack does not return now is requested again, and then its message goes without it', async () => {
  const it = await slackApp();
  await it.event(recorded.fileShare);
  const fetched = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => new Response('', { status: 503 }));
  await it.work();
  expect(fetched).toHaveBeenCalledTimes(3);
  fetched.mockRestore();
  const [inbox] = await it.inboxes();
  expect(inbox?.texts).toHaveLength(1);
  expect(inbox?.texts[0]).toContain('sum this up');
  expect(inbox?.texts[0]).toContain('[file "notes.md": Slack did not give it (HTTP 503)]');
});

test('the first stored version of a file stands, also if its session was not woken and Slack then returns another one', async () => {
  const it = await slackApp();
  await it.event(recorded.fileShare);
  const [job] = it.sent;
  if (!job) throw new Error('no job');
  const gives = (text: string) =>
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(text));
  gives('first');
  vi.spyOn(it.world.queue, 'send').mockRejectedValueOnce(new Error('SQS is away'));
  await expect(runJob(job, it.context)).rejects.toThrow('SQS is away');
  expect(it.wakes()).toBe(0);
  gives('second');
  await runJob(job, it.context);
  vi.restoreAllMocks();
  expect(it.wakes()).toBe(1);
  const [inbox] = await it.inboxes();
  expect(inbox?.texts).toHaveLength(1);
  expect(inbox?.texts[0]).toContain('first');
  expect(inbox?.attachments?.[0]).toMatchObject([{ bytes: 5 }]);
});

test('an uninstallation deletes the workspace and its token; one from before the installation does not', async () => {
  const it = await slackApp();
  await runJob({ kind: 'uninstall', team: recorded.TEAM, at: 500, tries: 0 }, it.context);
  const { secretId = '' } = (await it.context.store.installation(recorded.TEAM)) ?? {};
  expect(await it.context.tokens.get(secretId)).toEqual({ token: 'xoxb-test' });
  await runJob({ kind: 'uninstall', team: recorded.TEAM, at: 5_000, tries: 0 }, it.context);
  expect(await it.context.store.installation(recorded.TEAM)).toBeUndefined();
  await expect(it.context.tokens.get(secretId, true)).rejects.toThrow('there is no secret');
});

test("Approve and Deny settle the wait of this thread's session, in the name of the user who clicked", async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  const [session] = await it.context.store.sessionsOf('acme', recorded.TEAM, recorded.USER);
  await it.click(recorded.blockActions('steploop.approve', 'wait1'));
  await it.click(recorded.blockActions('steploop.deny', 'wait2'));
  const { TEAM: team, CHANNEL: channel, USER: user } = recorded;
  const slack = { team, channel, user, userTeam: team, external: false, shared: false };
  const by = { subject: `slack:${recorded.TEAM}:${recorded.USER}`, kind: 'slack', slack };
  const key = { tenant: 'acme', sessionId: session?.sessionId };
  expect(it.decided).toEqual([
    { by, key, id: 'wait1', approved: true },
    { by, key, id: 'wait2', approved: false },
  ]);
  expect(it.sent).toEqual([]);
});

test('a button with a duration also grants later calls of that tool', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await it.click(recorded.blockActions('steploop.approve_run', 'wait1'));
  await it.click(recorded.blockActions('steploop.approve_session', 'wait2'));
  expect(it.decided).toMatchObject([
    { id: 'wait1', approved: true, grant: { scope: 'run', alike: 'tool' } },
    { id: 'wait2', approved: true, grant: { scope: 'session', alike: 'tool' } },
  ]);
});

test.for([
  ['already_decided', 'This was already decided.'],
  ['closed', 'This request is no longer open: it was decided, has expired, or was stopped.'],
  ['unknown', 'This request is no longer open: it was decided, has expired, or was stopped.'],
  ['busy', 'That did not work. Please click again.'],
  ['forbidden', 'You may not decide this. Ask &lt;Ada&gt;.'],
  ['ungrantable', 'Ask &lt;Ada&gt;.'],
] as const)('a click without effect (%s) is explained to the user', async ([kind, text]) => {
  const it = await slackApp({
    decision: kind === 'forbidden' || kind === 'ungrantable' ? { kind, why: 'Ask <Ada>.' } : { kind },
  });
  await it.click(recorded.blockActions('steploop.approve', 'wait1'));
  expect(it.sent).toMatchObject([{ kind: 'whisper', user: recorded.USER, text }]);
  const [job] = it.sent;
  if (job) await runJob(job, it.context);
  expect(it.calls).toEqual([
    ['postEphemeral', { channel: recorded.CHANNEL, thread: recorded.TS }, recorded.USER, text],
  ]);
});

test.for([
  ['in its first model call, which HEAD does not know of yet', {}, (id: string) => `${id}-0`],
  ['after an approval, which begins another AG-UI run', { resumes: 1 }, (id: string) => `${id}-0.1`],
] as const)('Stop stops the run of its button: %s', async ([, more, runOf]) => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  const id = (await it.context.store.sessionsOf('acme', recorded.TEAM, recorded.USER))[0]?.sessionId ?? '';
  if ('resumes' in more) await inRun(it, { ...newRun, id: `${id}-0`, ...more });
  const cancel = vi.spyOn(it.world.sessions, 'cancel');
  await it.click(recorded.blockActions('steploop.stop', runOf(id)));
  expect(cancel.mock.calls.map(([key]) => key)).toEqual([{ tenant: 'acme', sessionId: id }]);
  expect(it.sent).toEqual([]);
});

test.for([
  ['of a run that is over', { ended: true }, '-0', 'There is nothing to stop: this run is over.'],
  ['of an earlier run', {}, '-x', 'There is nothing to stop: this run is over, and another one has begun.'],
] as const)('the Stop %s stops nothing, and tells the user so', async ([, more, suffix, text]) => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  const id = (await it.context.store.sessionsOf('acme', recorded.TEAM, recorded.USER))[0]?.sessionId ?? '';
  await inRun(it, { ...newRun, id: `${id}-0`, ...more });
  const cancel = vi.spyOn(it.world.sessions, 'cancel');
  await it.click(recorded.blockActions('steploop.stop', `${id}${suffix}`));
  expect(cancel).not.toHaveBeenCalled();
  expect(it.sent).toMatchObject([
    { kind: 'whisper', user: recorded.USER, text: expect.stringContaining(text) },
  ]);
});

/** As if a step of this run had been committed. */
async function inRun({ world }: Awaited<ReturnType<typeof slackApp>>, run: Run) {
  const { read } = world.sessions;
  world.sessions.read = async (key) => {
    const view = await read(key);
    return view && { ...view, session: { ...view.session, version: 2, run } };
  };
}

test('a Stop in the App Home that stops nothing says so there', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  const [session] = await it.context.store.sessionsOf('acme', recorded.TEAM, recorded.USER);
  it.world.sessions.cancel = async () => 'idle';
  await it.click(recorded.homeAction('steploop.stop', `session:${session?.sessionId}`));
  const [job] = it.sent;
  if (job) await runJob(job, it.context);
  expect(JSON.stringify(it.calls[0])).toContain('There is nothing to stop: this run is over.');
});

test('from the App Home a user stops their own sessions only', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  const [session] = await it.context.store.sessionsOf('acme', recorded.TEAM, recorded.USER);
  const cancel = vi.spyOn(it.world.sessions, 'cancel');
  const value = `session:${session?.sessionId}`;
  await it.click({
    ...recorded.homeAction('steploop.stop', value),
    user: { id: 'U0OTHER', team_id: recorded.TEAM },
  });
  await it.click(recorded.homeAction('steploop.stop', 'session:another'));
  expect(cancel).not.toHaveBeenCalled();
  await it.click(recorded.homeAction('steploop.stop', value));
  expect(cancel).toHaveBeenCalledOnce();
});

test('the App Home lists the user’s sessions with their state and a link', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await runJob({ kind: 'home', team: recorded.TEAM, user: recorded.USER, tries: 0 }, it.context);
  const view = JSON.stringify(it.calls[0]);
  expect(view).toContain('https://acme.slack.com/archives/C123ABC456/p1515449522000016');
  expect(view).toContain('What is the hour of the pearl');
  expect(view).toContain('steploop.stop');
});

test('one use of a slash command begins one session, however often Slack or the queue brings it', async () => {
  const it = await slackApp();
  await it.command('hello');
  await it.command('hello');
  const [job] = it.sent;
  if (job) it.sent.push(job);
  const found = {
    ts: '2000000000.000100',
    label: { sessionId: '', slot: `command/${(job as { trigger: string }).trigger}` },
  };
  let looks = 0;
  (it.api as { ownMessages: unknown }).ownMessages = async () => ({
    kind: 'ok',
    value: looks++ === 0 ? [found] : [],
  });
  const calls = await it.work();
  expect(calls.filter(([name]) => name === 'post')).toHaveLength(1);
  expect(await it.inboxes()).toHaveLength(1);
});

test('/steploop shows its help, stops, and starts a session in its own thread', async () => {
  const it = await slackApp();
  expect((await it.command('help')).text).toContain('/steploop stop');
  expect((await it.command('')).text).toContain('/steploop stop');
  expect((await it.command('stop')).text).toBe('You have no run in this channel.');
  expect(await it.command('sum up *this* & <that>')).toMatchObject({ response_type: 'ephemeral' });
  const [job] = it.sent;
  if (job) await runJob(job, it.context);
  expect(it.calls[0]).toMatchObject([
    'post',
    { channel: recorded.CHANNEL },
    { text: expect.stringContaining(`<@${recorded.USER}> asked:\n> sum up`) },
    {},
  ]);
  const [inbox] = await it.inboxes();
  expect(inbox).toMatchObject({ place: { channel: recorded.CHANNEL, thread: '2000000000.000100' } });
  // As a phone writes it.
  expect((await it.command('Stop.')).text).toBe('Stopping.');
  expect((await it.command(' Help')).text).toContain('/steploop stop');
  expect(it.sent).toHaveLength(1);
});

test('a command in a channel without the bot is answered in direct messages', async () => {
  const it = await slackApp();
  const post = it.api.post;
  (it.api as { post: unknown }).post = async (target: { channel: string }, ...rest: never[]) =>
    target.channel === recorded.CHANNEL
      ? { kind: 'refused', error: 'not_in_channel' }
      : (post as never as (...args: unknown[]) => unknown)(target, ...rest);
  await it.command('hello');
  const [job] = it.sent;
  if (job) await runJob(job, it.context);
  expect((await it.inboxes())[0]?.place).toEqual({
    team: recorded.TEAM,
    channel: 'D0OPENED',
    thread: '2000000000.000100',
  });
});

test('the result of a click is posted in direct messages if the bot has left the channel', async () => {
  const it = await slackApp();
  (it.api as { postEphemeral: unknown }).postEphemeral = async () => ({
    kind: 'refused',
    error: 'not_in_channel',
  });
  await it.click(recorded.blockActions('steploop.stop', 's-0'));
  const said = await it.work();
  expect(said.map(([name, where]) => [name, where])).toEqual([
    ['openDirect', recorded.USER],
    ['post', { channel: 'D0OPENED' }],
  ]);
  expect(said[1]?.[2]).toEqual({ text: 'There is nothing to stop here.' });
});

test('a job that Slack refuses for now goes back to the queue for the requested time, a limited number of times', async () => {
  const it = await slackApp();
  (it.api as { publishHome: unknown }).publishHome = async () => ({ kind: 'limited', retryAfterMs: 30_000 });
  const job = { kind: 'home', team: recorded.TEAM, user: recorded.USER, tries: 3 } as const;
  await runJob(job, it.context);
  expect(it.sent).toEqual([{ ...job, tries: 4 }]);
  expect(it.delays).toEqual([30_000]);
  await runJob({ ...job, tries: 20 }, it.context);
  expect(it.sent).toHaveLength(1);
});

test('a retried command finds the message that it has posted', async () => {
  const it = await slackApp();
  const found = { ts: '1999999999.000100', label: { sessionId: '', slot: 'command/t1' } };
  (it.api as { ownMessages: unknown }).ownMessages = async () => ({ kind: 'ok', value: [found] });
  const job = {
    kind: 'command',
    team: recorded.TEAM,
    channel: recorded.CHANNEL,
    user: recorded.USER,
    text: 'x',
    trigger: 't1',
    at: 1,
  } as const;
  await runJob({ ...job, tries: 1 }, it.context);
  expect(it.calls).toEqual([]);
  expect((await it.inboxes())[0]?.place.thread).toBe(found.ts);
});

test("requests without Slack's signature are refused before anything is read", async () => {
  const now = 1_600_000_000_000;
  const timestamp = '1600000000';
  const body = recorded.slashCommand('help');
  const request = (headers: Record<string, string>, sent = body, base64 = false) =>
    ({
      headers,
      body: base64 ? Buffer.from(sent).toString('base64') : sent,
      isBase64Encoded: base64,
    }) as unknown as Request;
  const secret = async () => 'secret';
  const headers = {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signatureOf(body, timestamp, 'secret'),
  };
  expect(await verifiedBody(request(headers), secret, now)).toBe(body);
  // As API Gateway passes on forms.
  expect(await verifiedBody(request(headers, body, true), secret, now)).toBe(body);
  const unread = vi.fn();
  await expect(verifiedBody(request({}), unread, now)).rejects.toMatchObject({ problem: { status: 401 } });
  expect(unread).not.toHaveBeenCalled();
  await expect(verifiedBody(request(headers, `${body} `), secret, now)).rejects.toMatchObject({
    problem: { status: 401 },
  });
  await expect(verifiedBody(request(headers), secret, now + 301_000)).rejects.toMatchObject({
    problem: { status: 401 },
  });
  // As long as a valid one, but not in bytes; and invalid times.
  for (const broken of [
    { 'x-slack-signature': `v0=${'é'.repeat(64)}` },
    { 'x-slack-signature': 'v0=' },
    { 'x-slack-signature': '' },
    { 'x-slack-request-timestamp': '' },
    { 'x-slack-request-timestamp': 'NaN' },
    { 'x-slack-request-timestamp': `-${timestamp}` },
  ])
    await expect(verifiedBody(request({ ...headers, ...broken }), secret, now)).rejects.toMatchObject({
      problem: { status: 401 },
    });
});
