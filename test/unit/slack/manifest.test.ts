import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { addressOf, slack } from '../../../cli/slack.ts';
import { slackManifest } from '../../../local/slack/manifest.ts';
import { slackRoutes } from '../../../shared/contract/routes.ts';
import { SlackEvent } from '../../../shared/slack/payloads.ts';
import { scopesFor } from '../../../shared/slack/scopes.ts';

/** The part of Slack's schema that we use, with its limits: slackapi/manifest-schema, schemas/manifest.schema.2.0.0.json. */
const url = (most: number) =>
  z
    .string()
    .regex(/^https?:\/\//)
    .max(most);
const names = z.array(z.string().max(50));
const Manifest = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(2), minor_version: z.int() }),
  display_information: z.strictObject({
    name: z.string().min(1).max(35),
    description: z.string().min(1).max(140),
    background_color: z.string().regex(/^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$/),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({ display_name: z.string().min(1).max(80), always_online: z.boolean() }),
    shortcuts: z
      .array(
        z.strictObject({
          name: z.string().min(1),
          type: z.literal('message'),
          callback_id: z.string().max(255),
          description: z.string().max(150),
        }),
      )
      .max(10)
      .optional(),
    slash_commands: z
      .array(
        z.strictObject({
          command: z.string().regex(/^\//).min(2).max(32),
          url: url(3000).optional(),
          description: z.string().min(1).max(2000),
          usage_hint: z.string().min(1).max(1000),
          should_escape: z.boolean(),
        }),
      )
      .min(1)
      .max(50),
  }),
  oauth_config: z.strictObject({
    redirect_urls: z.array(z.string().max(2500)).max(1000).optional(),
    scopes: z.strictObject({ bot: names.max(255) }),
  }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ request_url: url(3500).optional(), bot_events: names.max(100) }),
    interactivity: z.strictObject({ is_enabled: z.boolean(), request_url: url(3500).optional() }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

const plain = { name: 'Steploop', org: false, rotation: false };
const posted = (manifest: z.output<typeof Manifest>) => [
  ...manifest.features.slash_commands.map((command) => command.url),
  manifest.settings.event_subscriptions.request_url,
  manifest.settings.interactivity.request_url,
];

test('a manifest for an address matches Slack’s schema, and names existing routes', () => {
  const manifest = Manifest.parse(slackManifest({ ...plain, url: 'https://api.example.com' }));
  for (const one of posted(manifest)) {
    const { origin, pathname } = new URL(one ?? '');
    expect(origin).toBe('https://api.example.com');
    expect(slackRoutes).toContain(`POST ${pathname}`);
  }
  expect(manifest.oauth_config.redirect_urls?.map((one) => `GET ${new URL(one).pathname}`)).toEqual([
    slackRoutes.at(-1),
  ]);
  expect(manifest.settings).toMatchObject({
    socket_mode_enabled: false,
    org_deploy_enabled: false,
    token_rotation_enabled: false,
  });
});

test('one for Socket Mode has no address at all', () => {
  const manifest = Manifest.parse(slackManifest(plain));
  expect(posted(manifest)).toEqual([undefined, undefined, undefined]);
  expect(manifest.settings.socket_mode_enabled).toBe(true);
  expect(JSON.stringify(manifest)).not.toMatch(/url|https?:/);
});

test('one for organisations and for expiring tokens says so', () => {
  const made = slackManifest({ url: 'https://api.example.com', name: 'Tide', org: true, rotation: true });
  const { settings, features } = Manifest.parse(made);
  expect(settings).toMatchObject({ org_deploy_enabled: true, token_rotation_enabled: true });
  expect(features.bot_user.display_name).toBe('Tide');
});

test('it requests the scopes of the installation, and the events that are read', () => {
  const { oauth_config, settings } = slackManifest({ ...plain, assistant: true, reactions: true });
  const base = scopesFor({});
  expect(slackManifest(plain).oauth_config.scopes.bot).toEqual(base);
  expect(oauth_config.scopes.bot).toEqual([...base, 'assistant:write', 'reactions:read']);
  const read = SlackEvent.options.map(({ shape }) => shape.type.value as string);
  const subscribed = settings.event_subscriptions.bot_events.map((name) => name.split('.')[0] ?? '');
  expect(subscribed.sort()).toEqual(read.sort());
});

test('it names the shortcuts of the command line', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await slack([
    'manifest',
    '--socket-mode',
    '--shortcut',
    'sum_up=Sum up',
    '--shortcut',
    'file-it=File = it',
  ]);
  const [[text]] = printed.mock.calls as [[string]];
  printed.mockRestore();
  const { features } = Manifest.parse(JSON.parse(text));
  expect(features.shortcuts).toEqual([
    { name: 'Sum up', type: 'message', callback_id: 'sum_up', description: 'Sum up' },
    { name: 'File = it', type: 'message', callback_id: 'file-it', description: 'File = it' },
  ]);
  expect(slackManifest(plain).features).not.toHaveProperty('shortcuts');
});

test('the command prints it', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  expect(await slack(['manifest', '--url', 'https://api.example.com/', '--name', 'Tide', '--org'])).toBe(0);
  expect(await slack(['manifest', '--socket-mode'])).toBe(0);
  const [[first], [second]] = printed.mock.calls as [[string], [string]];
  printed.mockRestore();
  const tide = { url: 'https://api.example.com', name: 'Tide', org: true, rotation: false };
  expect(JSON.parse(first)).toEqual(slackManifest(tide));
  expect(JSON.parse(second)).toEqual(JSON.parse(JSON.stringify(slackManifest(plain))));
});

test.each([
  [[], 'steploop slack manifest ['],
  [['manifests'], 'steploop slack manifest ['],
  [['manifest', '--name', 'x'.repeat(36), '--socket-mode'], '--name has 1 to 35 characters.'],
  [['manifest', '--socket-mode', '--url', 'https://a.example'], 'it cannot be combined with --url'],
  [['manifest', '--socket-mode', '--rotate-tokens'], 'it cannot be combined with --rotate-tokens'],
  [['manifest', '--socket-mode', '--shortcut', 'sum up=Sum up'], '--shortcut is ID=TITLE, at most 10 times'],
  [
    ['manifest', '--socket-mode', ...Array(11).fill('--shortcut=a=b')],
    '--shortcut is ID=TITLE, at most 10 times',
  ],
])('the command line %j is refused', async (args, sentence) => {
  await expect(slack(args)).rejects.toThrow(sentence);
});

test.each([
  [undefined, 'Where does Slack call?'],
  ['api.example.com', 'is not an address of a deployment'],
  ['https://api.example.com/prod', 'without a path'],
  ['https://ada:hush@api.example.com', 'is not an address of a deployment'],
  ['http://127.0.0.1:3000', 'Slack calls only https addresses'],
])('%s is not an address that Slack calls', (text, sentence) => {
  expect(() => addressOf(text)).toThrow(sentence);
});
