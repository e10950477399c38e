import { expect, test } from 'vitest';
import { slackRoutes } from '../../../shared/contract/routes.ts';
import { SlackEvent } from '../../../shared/slack/payloads.ts';
import { botScopes } from '../../../shared/slack/scopes.ts';
import manifest from '../../../slack/manifest.json' with { type: 'json' };

test('the manifest asks for the scopes that the installation asks for', () => {
  expect(manifest.oauth_config.scopes.bot).toEqual(botScopes);
});

test('the manifest names routes that are there', () => {
  const { features, oauth_config, settings } = manifest;
  const posted = [
    ...features.slash_commands.map(({ url }) => url),
    settings.event_subscriptions.request_url,
    settings.interactivity.request_url,
  ];
  for (const url of posted) expect(slackRoutes).toContain(`POST ${new URL(url).pathname}`);
  for (const url of oauth_config.redirect_urls) expect(slackRoutes).toContain(`GET ${new URL(url).pathname}`);
});

test('the manifest subscribes to events that are read', () => {
  const read = SlackEvent.options.map(({ shape }) => shape.type.value as string);
  const subscribed = manifest.settings.event_subscriptions.bot_events.map((name) => name.split('.')[0]);
  expect([...subscribed].sort()).toEqual(read.sort());
});
