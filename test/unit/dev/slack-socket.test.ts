import { expect, test } from 'vitest';
import { openSlack, tokensIn } from '../../../cli/slack-socket.ts';

const app = 'xapp-1-A0-1-a';

test('the tokens come from the command line, then the environment, then .env, without other secrets', () => {
  const line = ['SHOP_TOKEN=1', `SLACK_APP_TOKEN=${app}`, 'SLACK_APP_TOKENS=2'];
  expect(
    tokensIn(line, { SLACK_APP_TOKEN: 'x', SLACK_BOT_TOKEN: '' }, { SLACK_BOT_TOKEN: 'xoxb-1' }),
  ).toEqual({
    tokens: { app, bot: 'xoxb-1' },
    others: ['SHOP_TOKEN=1', 'SLACK_APP_TOKENS=2'],
  });
});

test('a missing token or one of another kind is a usage error', () => {
  expect(() => tokensIn([], {}, {})).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => tokensIn([], { SLACK_APP_TOKEN: 'xoxb-1', SLACK_BOT_TOKEN: 'xoxb-1' }, {})).toThrow(
    'SLACK_APP_TOKEN is another kind of token',
  );
});

test('a definition without a Slack agent is refused before Slack is called', async () => {
  const tokens = { app, bot: 'xoxb-1' };
  await expect(openSlack({ slack: false }, tokens, () => undefined)).rejects.toThrow('give it `slack`');
});
