import { expect, test } from 'vitest';
import type { Site } from '../../local/site.ts';
import type { SlackMessage } from '../../local/slack/emulated/caller.ts';
import type { EmulatedSlack } from '../../local/slack/emulated/emulated-slack.ts';
import { startSlack } from '../../local/slack/emulated/start.ts';
import { openSocketSlack } from '../../local/slack/socket/open.ts';
import { env } from '../../shared/contract/env.ts';
import { outputs } from '../../shared/contract/outputs.ts';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { until } from '../support/slack-workspace.ts';
import { APP_TOKEN, socketDoor } from '../support/socket-door.ts';

const hasButton = ({ blocks }: SlackMessage) =>
  blocks?.some(({ elements }) => elements?.some(({ action_id }) => action_id === 'steploop.approve')) ===
  true;

/** A person installs the app on its page at Slack, which then shows the bot's token. */
async function botTokenOf({ apiUrl, clientId, clientSecret, users }: EmulatedSlack): Promise<string> {
  const redirect_uri = 'http://127.0.0.1/slack/oauth/callback';
  const agreed = await fetch(new URL('/oauth/v2/authorize/callback', apiUrl), {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, redirect_uri, state: 's', user_id: users.ada ?? '' }),
    redirect: 'manual',
  });
  const code = new URL(agreed.headers.get('location') ?? 'about:blank').searchParams.get('code') ?? '';
  const response = await fetch(new URL('oauth.v2.access', apiUrl), {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, code, redirect_uri }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

test('a workspace that cannot reach this machine sends messages, clicks and commands over Socket Mode', async () => {
  await using model = await ruleModel(({ turn }) =>
    turn === 0 ? callTools(['transfer', { n: 7 }]) : sayText('Paid.'),
  );
  const slack = await startSlack();
  await using door = await socketDoor(slack.apiUrl);
  const tokens = { app: APP_TOKEN, bot: await botTokenOf(slack) };
  const said: string[] = [];
  const socket = await openSocketSlack({
    tokens,
    slackUrl: door.apiUrl,
    say: (text) => void said.push(text),
  });
  await using world = await embedded({
    model,
    variables: { [env.SLACK_API_URL]: socket.of.apiUrl, [env.SLACK_CLIENT_ID]: socket.of.clientId },
  });
  try {
    slack.connect(door.appUrl);
    const { stack, token: apiToken } = world;
    const deployed = {
      path: '',
      outputs: Object.fromEntries(Object.keys(outputs).map((name) => [name, name])),
    };
    const addresses = { HttpUrl: stack.outputs.HttpUrl, SocketUrl: '' };
    await socket.connect({ deployed, stack, apiToken, addresses } as unknown as Site);

    const asked = await slack.say('ada', `<@${slack.botUser}> pay`);
    expect(asked.statuses).toEqual([200, 200]);
    const thread = () => slack.read(slack.channel, asked.ts);
    const ask = (await until(thread, (all) => all.some(hasButton))).find(hasButton);
    if (!ask) throw new Error('no buttons');
    door.refresh();
    await expect.poll(() => door.opened(), { timeout: 10_000 }).toBe(2);
    expect(await slack.click('jonas', ask, slack.channel, 'steploop.approve')).toBe(200);
    await until(thread, (all) => all.some(({ text }) => text === 'Paid.'));
    expect(world.toolStarts.map(({ name }) => name)).toEqual(['transfer']);

    const helped = await slack.command('ada', 'help');
    expect(JSON.parse(helped.text)).toMatchObject({ response_type: 'ephemeral' });
    expect(said).toEqual([]);
  } finally {
    await socket.stop();
    await slack.stop();
  }
});
