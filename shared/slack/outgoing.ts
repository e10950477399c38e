/** One block of Block Kit (docs.slack.dev, "Blocks"). */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A message as Slack gets it. */
export interface Outgoing {
  /** mrkdwn; if there are blocks, notifications show it. */
  readonly text: string;
  readonly blocks?: readonly Block[];
  /** Markdown in place of `text`, for messages that were streamed: those may be long. */
  readonly markdown?: string;
}
