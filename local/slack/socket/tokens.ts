/** The two tokens that connect a real workspace without a public address. */

/** Names of their variables, in the environment or in `.env`. */
export const tokenNames = ['SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN'] as const;

export interface SocketTokens {
  /** App-level, `xapp-…`, with the scope `connections:write`: it opens connections, and nothing else. */
  readonly app: string;
  /** The bot's in one workspace or organisation, `xoxb-…`. */
  readonly bot: string;
}

export type ReadTokens =
  | { readonly kind: 'tokens'; readonly tokens: SocketTokens }
  | { readonly kind: 'wrong'; readonly message: string };

const places = {
  SLACK_APP_TOKEN:
    'the app-level token (xapp-…): at https://api.slack.com/apps, Basic Information, App-Level Tokens, with the scope connections:write',
  SLACK_BOT_TOKEN:
    'the bot’s token (xoxb-…): at https://api.slack.com/apps, Install App, once the app is installed into your workspace',
} as const;

/**
 * Both tokens, or a sentence that says which is missing or of another kind. A sentence never contains a token. Kinds are
 * recognized by prefix (docs.slack.dev/authentication/tokens).
 */
export function readTokens(given: Readonly<Record<string, string | undefined>>): ReadTokens {
  const { SLACK_APP_TOKEN: app = '', SLACK_BOT_TOKEN: bot = '' } = given;
  const missing = tokenNames.filter((name) => !given[name]);
  if (missing.length > 0) {
    const needed = missing.map((name) => `  ${name}  ${places[name]}`).join('\n');
    return wrong(
      `Socket Mode needs ${missing.join(' and ')}, in the environment or, for steploop dev, in .env:\n${needed}`,
    );
  }
  if (!app.startsWith('xapp-'))
    return wrong(`SLACK_APP_TOKEN is another kind of token. It is ${places.SLACK_APP_TOKEN}.`);
  if (bot.startsWith('xoxe'))
    return wrong(
      'SLACK_BOT_TOKEN expires within 12 hours, because the app rotates its tokens: for Socket Mode, use an app that does not (steploop slack manifest --socket-mode).',
    );
  if (!bot.startsWith('xoxb-'))
    return wrong(`SLACK_BOT_TOKEN is another kind of token. It is ${places.SLACK_BOT_TOKEN}.`);
  return { kind: 'tokens', tokens: { app, bot } };
}

const wrong = (message: string): ReadTokens => ({ kind: 'wrong', message });
