/**
 * Requests in the shapes that Slack documents, with our own ids and texts: docs.slack.dev/apis/events-api (envelope,
 * retries), /reference/events/{app_mention,message,message.im,message_changed,bot_message,file_share,app_home_opened,
 * app_uninstalled,tokens_revoked,app_rate_limited,url_verification},
 * /reference/interaction-payloads/block_actions-payload, /interactivity/implementing-slash-commands, and the types of
 * @slack/types 3.2.
 */

export const TEAM = 'T061EG9R6';
export const CHANNEL = 'C123ABC456';
export const DIRECT = 'D024BE91L';
export const USER = 'U061F7AUR';
export const BOT = 'U0LAN0Z89';
export const TS = '1515449522.000016';

/** Another organisation's workspace. */
export const PARTNER = 'T0PARTNER';

const authorized = (team: string) => ({
  authorizations: [
    { enterprise_id: null, team_id: team, user_id: BOT, is_bot: true, is_enterprise_install: false },
  ],
});

/** An event of a workspace other than the one that installed the app. */
export const from = (team: string) => ({ team_id: team, ...authorized(team) });

/** An event of a channel that is shared with another organisation (Slack Connect). */
export const sharedWith = (team: string) => ({
  context_team_id: team,
  context_enterprise_id: null,
  is_ext_shared_channel: true,
});

export const envelope = (event: object, over: object = {}) => ({
  token: 'ZZZZZZWSxiZZZ2yIvs3peJ',
  team_id: TEAM,
  api_app_id: 'A0MDYCDME',
  event,
  type: 'event_callback',
  event_id: 'Ev0MDYGDKJ',
  event_time: 1515449522,
  event_context: 'EC123ABC456',
  ...authorized(TEAM),
  is_ext_shared_channel: false,
  ...over,
});

export const urlVerification = {
  token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl',
  challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
  type: 'url_verification',
};

export const appMention = (over: object = {}) => ({
  type: 'app_mention',
  user: USER,
  text: `What is the hour of the pearl, <@${BOT}>?`,
  ts: TS,
  channel: CHANNEL,
  event_ts: '1515449522000016',
  client_msg_id: '2d2b1b1e-8b1e-4d3b-9b1e-1e8b2d2b1b1e',
  team: TEAM,
  blocks: [{ type: 'rich_text', block_id: 'x1', elements: [] }],
  ...over,
});

/** The same message, as apps receive it that subscribe to all messages of a channel. */
export const messageInChannel = (over: object = {}) => ({
  ...appMention(),
  type: 'message',
  channel_type: 'channel',
  ...over,
});

export const directMessage = (over: object = {}) => ({
  type: 'message',
  channel: DIRECT,
  user: USER,
  text: 'Hello hello can you hear me?',
  ts: '1355517523.000005',
  event_ts: '1355517523.000005',
  channel_type: 'im',
  ...over,
});

export const messageChanged = {
  type: 'message',
  subtype: 'message_changed',
  hidden: true,
  channel: DIRECT,
  ts: '1358878755.000001',
  message: {
    type: 'message',
    user: USER,
    text: 'Hello, world!',
    ts: '1355517523.000005',
    edited: { user: USER, ts: '1358878755.000001' },
  },
  event_ts: '1358878755.000001',
  channel_type: 'im',
};

/**
 * An edit of `directMessage`, as people make it in direct messages. Without `edited` it is Slack's own change: a link
 * preview.
 */
export const changeOf = (text: string, before: string, over: object = {}) => ({
  ...messageChanged,
  message: {
    ...messageChanged.message,
    team: TEAM,
    client_msg_id: '2d2b1b1e-8b1e-4d3b-9b1e-1e8b2d2b1b1f',
    source_team: TEAM,
    user_team: TEAM,
    text,
    ...over,
  },
  previous_message: { type: 'message', user: USER, text: before, ts: '1355517523.000005' },
});

/** A deletion of `directMessage`. */
export const messageDeleted = {
  type: 'message',
  subtype: 'message_deleted',
  hidden: true,
  channel: DIRECT,
  ts: '1358878760.000002',
  deleted_ts: '1355517523.000005',
  previous_message: {
    type: 'message',
    user: USER,
    text: 'Hello hello can you hear me?',
    ts: '1355517523.000005',
    client_msg_id: '2d2b1b1e-8b1e-4d3b-9b1e-1e8b2d2b1b1f',
    team: TEAM,
  },
  event_ts: '1358878760.000002',
  channel_type: 'im',
};

/** A deletion of `directMessage` when it has replies: Slack leaves a tombstone in its place. */
export const messageTombstone = {
  type: 'message',
  subtype: 'message_changed',
  hidden: true,
  channel: DIRECT,
  ts: '1358878760.000003',
  message: {
    type: 'message',
    subtype: 'tombstone',
    hidden: true,
    user: 'USLACKBOT',
    text: 'This message was deleted.',
    ts: '1355517523.000005',
    thread_ts: '1355517523.000005',
    reply_count: 1,
  },
  previous_message: { ...messageDeleted.previous_message, thread_ts: '1355517523.000005' },
  event_ts: '1358878760.000003',
  channel_type: 'im',
};

export const botMessage = {
  type: 'message',
  subtype: 'bot_message',
  ts: '1358877455.000010',
  text: 'Pushing is the answer',
  bot_id: 'BB12033',
  username: 'github',
  icons: {},
  channel: DIRECT,
  channel_type: 'im',
};

export const fileShare = messageInChannel({
  subtype: 'file_share',
  text: `<@${BOT}> sum this up`,
  files: [
    {
      id: 'F0RDC39U1',
      created: 1515449522,
      timestamp: 1515449522,
      name: 'notes.md',
      title: 'notes.md',
      mimetype: 'text/markdown',
      filetype: 'markdown',
      pretty_type: 'Markdown',
      user: USER,
      size: 12,
      mode: 'hosted',
      is_external: false,
      url_private: 'https://files.slack.com/files-pri/T061EG9R6-F0RDC39U1/notes.md',
      url_private_download: 'https://files.slack.com/files-pri/T061EG9R6-F0RDC39U1/download/notes.md',
    },
  ],
  upload: false,
});

export const appHomeOpened = {
  type: 'app_home_opened',
  user: USER,
  channel: DIRECT,
  event_ts: '1515449522000016',
  tab: 'home',
};

export const appUninstalled = { type: 'app_uninstalled' };
export const tokensRevoked = { type: 'tokens_revoked', tokens: { oauth: ['UXXXXXXXX'], bot: ['UXXXXXXXX'] } };
export const appRateLimited = {
  token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl',
  type: 'app_rate_limited',
  team_id: TEAM,
  minute_rate_limited: 1518467820,
  api_app_id: 'A123ABC456',
};

/** A click on a button of a message in a thread. */
export const blockActions = (actionId: string, value: string, over: object = {}) => ({
  type: 'block_actions',
  user: { id: USER, username: 'roadrunner', name: 'roadrunner', team_id: TEAM },
  api_app_id: 'A0MDYCDME',
  token: 'Shh_its_a_seekrit',
  container: {
    type: 'message',
    message_ts: '1548261231.000200',
    channel_id: CHANNEL,
    is_ephemeral: false,
    thread_ts: TS,
  },
  trigger_id: '12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3',
  team: { id: TEAM, domain: 'workspace' },
  enterprise: null,
  is_enterprise_install: false,
  channel: { id: CHANNEL, name: 'review-updates' },
  message: {
    bot_id: 'BAH5CA16Z',
    type: 'message',
    text: 'This content cannot be displayed.',
    user: BOT,
    ts: '1548261231.000200',
    thread_ts: TS,
  },
  state: { values: {} },
  response_url: 'https://hooks.slack.com/actions/AABA1ABCD/1232321423432/D09sSasdasdAS9091209',
  actions: [
    {
      action_id: actionId,
      block_id: '=qXel',
      text: { type: 'plain_text', text: 'View', emoji: true },
      value,
      type: 'button',
      action_ts: '1548426417.840180',
    },
  ],
  ...over,
});

/** The same click in the App Home, which is not a message. */
export const homeAction = (actionId: string, value: string) => {
  const { channel: _, message: __, ...rest } = blockActions(actionId, value);
  return { ...rest, container: { type: 'view', view_id: 'V123' }, view: { id: 'V123', type: 'home' } };
};

export const asForm = (payload: object): string =>
  new URLSearchParams({ payload: JSON.stringify(payload) }).toString();

export const slashCommand = (text: string, over: object = {}): string =>
  new URLSearchParams({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: TEAM,
    team_domain: 'example',
    channel_id: CHANNEL,
    channel_name: 'test',
    user_id: USER,
    user_name: 'Steve',
    command: '/steploop',
    text,
    response_url: 'https://hooks.slack.com/commands/1234/5678',
    trigger_id: '13345224609.738474920.8088930838d88f008e0',
    api_app_id: 'A123456',
    is_enterprise_install: 'false',
    ...over,
  }).toString();
