/** The manifest of the Slack app, for the address that Slack calls (docs.slack.dev/reference/app-manifest, version 2). */

import { scopesFor } from '../../shared/slack/scopes.ts';

export interface ManifestOptions {
  /** `https://…` without a path, which Slack calls. Undefined: Slack makes no requests, and the app opens a connection (Socket Mode). */
  readonly url?: string | undefined;
  /** Shown to people; at most 35 characters. */
  readonly name: string;
  /** Whether it may be installed for a whole organisation (Enterprise Grid). */
  readonly org: boolean;
  /** Whether tokens expire after 12 hours and are renewed. For an app, this cannot be undone. */
  readonly rotation: boolean;
  /** Whether Slack reports messages of channels that do not mention the bot (`replies` of the definition). */
  readonly replies?: boolean;
  /** Whether the app has the assistant's pane (`assistant` of the definition). */
  readonly assistant?: boolean;
  /** Whether Slack reports reactions (`reactions` of the definition). */
  readonly reactions?: boolean;
  /** Shortcuts of messages (`shortcuts` of the definition): their names in the menu, by callback id. */
  readonly shortcuts?: Readonly<Record<string, string>>;
}

/** Events that the app subscribes to: those of `SlackEvent` (`shared/slack/payloads.ts`). */
const channelEvents = ['message.channels', 'message.groups', 'message.mpim'] as const;
const paneEvent = 'assistant_thread_started';
const reactionEvent = 'reaction_added';
const events = ['app_home_opened', 'app_mention', 'app_uninstalled', 'message.im', 'tokens_revoked'] as const;

/** The manifest, to be pasted at <https://api.slack.com/apps>. */
export function slackManifest({
  url,
  name,
  org,
  rotation,
  replies = false,
  assistant = false,
  reactions = false,
  shortcuts = {},
}: ManifestOptions) {
  const at = (path: string) => (url === undefined ? undefined : `${url}/slack/${path}`);
  const request = (path: string) => ({ ...(url !== undefined && { request_url: at(path) }) });
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: { name, description: 'An agent in your threads', background_color: '#1d3557' },
    features: {
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      ...(assistant && { assistant_view: { assistant_description: 'An agent in your threads' } }),
      bot_user: { display_name: name, always_online: true },
      ...(Object.keys(shortcuts).length > 0 && {
        shortcuts: Object.entries(shortcuts).map(([callback_id, title]) => ({
          ...{ name: title, type: 'message', callback_id, description: title },
        })),
      }),
      slash_commands: [
        {
          command: '/steploop',
          ...(url !== undefined && { url: at('commands') }),
          description: 'Start a session, stop one, or get help',
          usage_hint: '[what you want | stop | help]',
          should_escape: false,
        },
      ],
    },
    oauth_config: {
      ...(url !== undefined && { redirect_urls: [at('oauth/callback')] }),
      scopes: { bot: scopesFor({ assistant, reactions }) },
    },
    settings: {
      event_subscriptions: {
        ...request('events'),
        bot_events: [
          ...events,
          ...(replies ? channelEvents : []),
          ...(assistant ? [paneEvent] : []),
          ...(reactions ? [reactionEvent] : []),
        ].sort(),
      },
      interactivity: { is_enabled: true, ...request('interactions') },
      org_deploy_enabled: org,
      socket_mode_enabled: url === undefined,
      token_rotation_enabled: rotation,
    },
  };
}
