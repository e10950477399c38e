/** What an agent folder tells about Slack: who answers where, and who may decide. */

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
  /**
   * Whether a user may approve or deny what a session asks. Everyone in the channel when absent.
   *
   * @param startedBy the user who began the session
   */
  readonly mayDecide?: (decision: {
    team: string;
    channel: string;
    user: string;
    startedBy: string;
  }) => boolean;
}
