/** What a definition tells about Slack: who answers where. Who may decide, each agent says (docs/identity.md). */

/** Where somebody has spoken, and who. Ids are Slack's. */
export interface SlackRequest {
  /** The workspace that has installed the app. */
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  /**
   * The user's own workspace, or their organisation (`E…`) when Slack says no more: `team` for people of the organisation that
   * has installed the app.
   */
  readonly userTeam: string;
  /** The user is of another organisation, which shares the channel (Slack Connect), or of one that Slack does not name. */
  readonly external: boolean;
  /** Whether the channel is shared with another organisation; undefined where Slack has not said. */
  readonly shared?: boolean;
  readonly kind: 'mention' | 'direct' | 'command';
}

/** What a deployment says of Slack (docs/slack.md). */
export interface SlackConfig {
  /** The agent that answers a request, by name; undefined to stay silent. A thread keeps the agent it began with. */
  readonly agentFor: (request: SlackRequest) => string | undefined;
}
