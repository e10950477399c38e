/** What an agent folder tells about Slack: who answers where. Who may decide, each agent says (docs/identity.md). */

/** Where somebody has spoken, and who. Ids are Slack's. */
export interface SlackRequest {
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  readonly kind: 'mention' | 'direct' | 'command';
}

export interface SlackConfig {
  /** The agent that answers a request, by name; undefined to stay silent. A thread keeps the agent it began with. */
  readonly agentFor: (request: SlackRequest) => string | undefined;
}
