import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { pngOf } from '../support/images.ts';
import { message, text } from '../support/model-events.ts';
import { type Piece, reply } from '../support/model-server.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { sharedWorkspace, until, workspace } from '../support/slack-workspace.ts';

/** Streams an answer with a pause of more than a second before each piece. */
const slowly = (...pieces: string[]) =>
  reply(
    message([text(...pieces)]).flatMap((event): Piece[] =>
      event.type === 'content_block_delta' ? [{ pauseMs: 1_300 }, event] : [event],
    ),
  );

const DONE = ':white_check_mark:';

let shared: Awaited<ReturnType<typeof sharedWorkspace>>;
beforeAll(async () => {
  shared = await sharedWorkspace();
});
afterAll(() => shared?.[Symbol.asyncDispose]());

test('a mention is answered in its thread, a second one joins the session, and retries start nothing', async () => {
  const {
    slack,
    world,
    installUrl,
    asked: requests,
  } = shared.answering(({ turn }) => slowly('This is ', 'the very slow ', `answer **${turn + 1}**.`));
  const texts = async (thread: string) => (await slack.read(slack.channel, thread)).map((one) => one.text);

  // Installing takes a ticket of the tenant, once. Requests without Slack's signature are refused.
  const appUrl = world.stack.outputs.HttpUrl;
  expect((await fetch(`${appUrl}/slack/install`, { redirect: 'manual' })).status).toBe(401);
  expect((await fetch(installUrl, { redirect: 'manual' })).status).toBe(401);
  expect((await fetch(`${appUrl}/slack/oauth/callback?code=x&state=made-up`)).status).toBe(400);
  expect((await fetch(`${appUrl}/slack/events`, { method: 'POST', body: '{}' })).status).toBe(401);

  const asked = await slack.say('ada', `<@${slack.botUser}> what is this?`);
  // Two events of one mention, both acknowledged.
  expect(asked.statuses).toEqual([200, 200]);
  // It streams: the beginning is there while the model is still answering.
  const begun = await until(
    () => texts(asked.ts),
    (all) => all.length === 3,
  );
  expect(begun[1]).toMatch(/^:hourglass_flowing_sand:/);
  const first = await until(
    () => texts(asked.ts),
    (all) => all[1]?.startsWith(DONE) === true,
  );
  expect(first.slice(2)).toEqual(['This is the very slow answer **1**.']);
  expect(await slack.again(asked)).toEqual([200, 200]);

  await slack.say('jonas', `and <@${slack.botUser}> what is that?`, asked.ts);
  const second = await until(
    () => texts(asked.ts),
    (all) => all.filter((one) => one.startsWith(DONE)).length === 2,
  );
  expect(second.at(-1)).toBe('This is the very slow answer **2**.');
  expect(requests()).toHaveLength(2);
  expect(requests()[1]?.lastText).toContain(`<@${slack.users.jonas}>`);
  expect(requests()[1]?.lastText).not.toContain(slack.botUser);
  // The answer is rated, and the API says so.
  const answer = (await slack.read(slack.channel, asked.ts)).at(-1);
  if (!answer) throw new Error('no answer');
  expect(await slack.rate('jonas', answer, slack.channel, 'negative')).toBe(200);
  expect(await slack.rate('jonas', answer, slack.channel, 'positive')).toBe(200);
  const [session] = (await world.api('GET', '/sessions')).body.sessions;
  const { feedback } = (await world.api('GET', `/sessions/${session.sessionId}/feedback`)).body;
  expect(feedback).toEqual([
    {
      runId: expect.stringContaining(session.sessionId),
      ...{ rating: 'good', by: `slack:${slack.team}:${slack.users.jonas}`, at: expect.any(String) },
    },
  ]);
  // A message that was not for the bot is not answered.
  await slack.say('ada', `<@${slack.users.jonas}> just between us`, asked.ts);
  expect(requests()).toHaveLength(2);
});

test('tasks and calls are shown as task cards, if the deployment says so', async () => {
  await using model = await ruleModel(({ turn }) =>
    turn < 2 ? callTools([turn === 0 ? 'look' : 'save', { n: turn }]) : sayText('Looked.'),
  );
  await using it = await workspace(model, {}, { variables: { [env.SLACK_TASK_CARDS]: 'on' } });
  const { slack } = it;
  const asked = await slack.say('ada', `<@${slack.botUser}> look, and save`);
  const shown = await until(
    () => slack.read(slack.channel, asked.ts),
    (all) => all.some(({ text }) => text.startsWith(':white_check_mark:')),
  );
  // On a busy machine the run may be over before it is shown: then the cards are not streamed.
  const cards = shown.filter(({ text }) => text.startsWith('Done'));
  const ways = cards.map(
    ({ text, blocks }) =>
      blocks?.[0]?.tasks?.map(({ status, title }) => `[${status}] ${title}`) ?? text.split('\n').slice(1),
  );
  expect(ways).toEqual([['[complete] look', '[complete] save']]);
  expect(shown.map(({ text }) => text)).toContain('Looked.');
});

test('Stop stops a run, also without streams, and the App Home shows the session', async () => {
  await using model = await ruleModel(({ turn }) =>
    turn < 50 ? callTools(['look', { n: turn }]) : sayText('End.'),
  );
  await using it = await workspace(model, { streams: false });
  const { slack } = it;
  const asked = await slack.say('ada', `<@${slack.botUser}> go on for ever`);
  const [status] = await until(
    async () => (await slack.read(slack.channel, asked.ts)).slice(1, 2),
    ([one]) =>
      one?.blocks?.some(({ elements }) =>
        elements?.some(({ action_id }) => action_id === 'steploop.stop'),
      ) === true,
  );
  if (!status) throw new Error('no status');
  expect(await slack.click('ada', status, slack.channel, 'steploop.stop')).toBe(200);
  await until(
    async () => (await slack.read(slack.channel, asked.ts))[1]?.text ?? '',
    (shown) => shown.startsWith(':octagonal_sign: Stopped'),
  );
  expect(await slack.openHome('ada')).toBe(200);
  const home = await until(
    async () => JSON.stringify(slack.home('ada') ?? ''),
    (seen) => seen.includes('stopped ·'),
  );
  expect(home).toContain('go on for ever');
});

test('files are read and seen, a slash command starts a session, a 429 delays and loses nothing', async () => {
  const { slack, asked } = shared.answering(({ lastText }) =>
    sayText(lastText.includes('tide table') ? 'High at noon.' : 'Hello.'),
  );
  slack.limit('chat.postMessage', 1, 1);
  const table = await slack.share('ada', `<@${slack.botUser}> when is it high?`, {
    name: 'tides.txt',
    content: 'a tide table',
  });
  await until(
    async () => (await slack.read(slack.channel, table.ts)).map((one) => one.text),
    (all) => all.includes('High at noon.') && all.some((one) => one.startsWith(DONE)),
  );
  expect(asked()[0]?.lastText).toContain('File "tides.txt"');
  expect(asked()[0]?.lastText).toMatch(/\[file "\/slack\/\w+\/tides\.txt", 12 bytes, is in the workspace\]/);

  const png = pngOf(3, 2);
  const shot = await slack.share('jonas', `<@${slack.botUser}> what is this?`, {
    name: 'screen.png',
    content: new Uint8Array(png),
  });
  await until(
    async () => (await slack.read(slack.channel, shot.ts)).map((one) => one.text),
    (all) => all.includes('Hello.') && all.some((one) => one.startsWith(DONE)),
  );
  expect(asked()[1]?.lastText).toContain('[image "screen.png", 3×2]');
  expect(asked()[1]?.messages.at(-1)?.content).toContainEqual(
    expect.objectContaining({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: Buffer.from(png).toString('base64') },
    }),
  );

  const answer = await slack.command('jonas', 'say hello');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({ response_type: 'ephemeral' });
  const roots = await until(
    () => slack.read(slack.channel),
    (all) => all.some((one) => one.text.includes('asked:')),
  );
  const root = roots.find((one) => one.text.includes('asked:'));
  await until(
    async () => (await slack.read(slack.channel, root?.ts)).map((one) => one.text),
    (all) => all.includes('Hello.'),
  );
});

test('an approval is given with a button, a question appears in words and is answered with a message', async () => {
  const {
    slack,
    asked: requests,
    toolStarts,
    whispers,
  } = shared.answering(({ turn }) => {
    if (turn === 0) return callTools(['transfer', { n: 7 }]);
    if (turn === 1) return callTools(['ask_user', { question: 'Which colour?' }]);
    return sayText('Painted.');
  });
  const asked = await slack.say('ada', `<@${slack.botUser}> pay and paint`);
  const thread = () => slack.read(slack.channel, asked.ts);
  const hasButton = ({ blocks }: Awaited<ReturnType<typeof thread>>[number]) =>
    blocks?.some(({ elements }) => elements?.some(({ action_id }) => action_id === 'steploop.approve')) ===
    true;
  const shown = await until(thread, (all) => all.some(hasButton));
  expect(toolStarts()).toEqual([]);
  const ask = shown.find(hasButton);
  if (!ask) throw new Error('no buttons');
  expect(await slack.click('jonas', ask, slack.channel, 'steploop.approve')).toBe(200);

  // The question is there, and the name of the approver has replaced the buttons.
  const next = await until(
    thread,
    (all) => all.some(({ text }) => text.includes('Which colour?')) && !all.some(hasButton),
  );
  expect(next.find(({ ts }) => ts === ask.ts)?.text).toContain(`Approved by <@${slack.users.jonas}>`);
  expect(toolStarts()).toEqual(['transfer']);
  expect(await slack.click('ada', ask, slack.channel, 'steploop.deny')).toBe(200);

  await slack.say('ada', `<@${slack.botUser}> green`, asked.ts);
  await until(thread, (all) => all.some(({ text }) => text === 'Painted.'));
  expect(JSON.stringify(requests().at(-1)?.messages)).toContain('green');
  expect(toolStarts()).toHaveLength(1);
  // The late click changed nothing, and the person who clicked is told so.
  await until(
    async () => whispers(),
    (all) => all.some(({ text }) => text.includes('no longer open')),
  );
});
