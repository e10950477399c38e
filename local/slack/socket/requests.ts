/** Turns a Socket Mode envelope into the request that Slack would have sent to a public address. */

import * as z from 'zod';

/**
 * An envelope, as `@slack/socket-mode` delivers it (docs.slack.dev/apis/events-api/using-socket-mode): `body` is the content that
 * the request's body would have. Kinds that the app does not subscribe to are invalid.
 */
export const Envelope = z.object({
  type: z.enum(['events_api', 'interactive', 'slash_commands']),
  /** Identifies it in its acknowledgement. */
  envelope_id: z.string().min(1).max(200),
  body: z.record(z.string(), z.unknown()),
  /** Whether an answer may come with the acknowledgement. */
  accepts_response_payload: z.boolean().optional(),
});
export type Envelope = z.output<typeof Envelope>;

export interface SlackRequest {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** The request: events are JSON, clicks a form with the field `payload`, commands a form of their own fields. */
export function requestOf({ type, body }: Pick<Envelope, 'type' | 'body'>): SlackRequest {
  switch (type) {
    case 'events_api':
      return { path: '/slack/events', type: 'application/json', body: JSON.stringify(body) };
    case 'interactive':
      return form('/slack/interactions', { payload: JSON.stringify(body) });
    case 'slash_commands':
      return form('/slack/commands', body);
    default:
      return type satisfies never;
  }
}

const form = (path: string, fields: Readonly<Record<string, unknown>>): SlackRequest => {
  const texts = Object.entries(fields).filter(([, value]) => value !== null && typeof value !== 'object');
  return {
    path,
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(
      texts.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString(),
  };
};
