/** The webhooks of a definition: their senders, how a sender is verified, and which events wake which agent, in which session. */

import * as z from 'zod';
import { DEFAULT_TENANT } from '../../contract/identity.ts';
import { Tenant } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import { explainInLines } from '../plain/explain.ts';
import { once } from '../plain/once.ts';
import { Verification, type WebhookChallenge } from './webhook-verify.ts';

/** A verified delivery. */
export interface WebhookEvent<Payload = unknown> {
  /** The event's kind, as the sender names it: `issues`, `invoice.paid`. Empty if the sender names none. */
  readonly name: string;
  /** The sender's id of this delivery. Its retries have the same one. */
  readonly deliveryId: string;
  /**
   * The headers of the request by their lower-case names, except `authorization`, `cookie`, and those that contain one of the
   * source's secrets. Few senders sign them: never take a tenant or a permission from a header.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or a form's fields, not validated unless the source has a `payload` schema. */
  readonly payload: Payload;
}

/** The effect of a delivery: a message for an agent, in the one session that `sessionKey` names. */
export interface Wakeup {
  readonly agent: string;
  /** The tenant whose session wakes, if one source serves several; the source's `tenant` when absent. */
  readonly tenant?: string;
  /** Equal keys lead to the same session of the tenant: `github:owner/repo#12`. */
  readonly sessionKey: string;
  /** Cut above 100,000 characters, with a mark. */
  readonly message: string;
  /**
   * Files that come with the message, at most ten. The message names those that cannot be fetched or used, and is sent all the
   * same.
   */
  readonly files?: readonly WakeupFile[];
  /**
   * The URL to which the ends and waits of the session's runs are posted, signed (docs/webhooks.md). Used when the session is
   * created; an existing session keeps its own.
   */
  readonly callbackUrl?: string;
  /**
   * The Slack channel in which the session's runs are shown, in a thread that the bot opens, with their questions and approvals
   * (docs/slack.md). Used when the session is created, like `callbackUrl`.
   */
  readonly slack?: WakeupPlace;
  /** Time zone in which the message is dated for the model, by its IANA name; the agent's `context.zone` when absent. */
  readonly zone?: string;
}

/** A channel of a workspace that the tenant has connected, and to which the bot was invited. */
export interface WakeupPlace {
  /** The workspace's id (`T…`), or that of the organisation that has installed the app (`E…`). */
  readonly team: string;
  /** The channel's id (`C…` or `G…`). */
  readonly channel: string;
  /** The first line of the thread; the beginning of the message when absent. */
  readonly title?: string;
}

/**
 * A file that comes with a message: its bytes, or a link to them. The model sees images and PDFs, an archive `….zip` is unpacked,
 * and everything else becomes a file of the workspace (docs/attachments.md).
 */
export type WakeupFile = {
  readonly name: string;
  /** The workspace folder for what becomes a file; the root when absent. */
  readonly folder?: string;
} & (
  | { readonly text: string }
  | { readonly base64: string }
  /** A public address, `https:`, that needs no key. Fetched when the delivery arrives, within a few seconds or not at all. */
  | { readonly url: string }
);

/**
 * Maps a delivery to its effect; undefined to ignore it. Pure. If it throws, the delivery is kept until the mapping is fixed
 * (docs/webhooks.md, "dead deliveries").
 */
export type WebhookMapping<Payload = unknown> = (event: WebhookEvent<Payload>) => Wakeup | undefined;

/** Events of one sender, at `POST /hooks/{source}`. */
export interface WebhookSource {
  readonly verify: Verification;
  /** The tenant of the source: it sees dead deliveries, and its sessions wake unless `map` names another. */
  readonly tenant: string;
  readonly challenge?: WebhookChallenge;
  /** Throws {@link UnfitPayload} if the payload does not fit the source's schema. */
  readonly map: WebhookMapping;
}

/** The argument of `defineWebhook`. */
export interface WebhookDeclaration<Payload> {
  readonly verify: z.input<typeof Verification>;
  /** `default` when absent. */
  readonly tenant?: string;
  /** Names of the events that are mapped: others are ignored. All when absent. */
  readonly events?: readonly string[];
  /** A schema for the payload. An event whose payload does not fit is kept as a dead delivery. */
  readonly payload?: z.ZodType<Payload>;
  /** Answers requests by which a sender checks that the URL belongs to its owner, before or between deliveries. */
  readonly challenge?: WebhookChallenge;
  readonly map: WebhookMapping<Payload>;
}

/** A payload does not fit its source's schema; the message says where. */
export class UnfitPayload extends Error {}

/** Declares a source. Unknown keys are refused. Throws if it is not valid, and says why. */
export function defineWebhook<Payload = unknown>(declaration: WebhookDeclaration<Payload>): WebhookSource {
  const parsed = Declaration.safeParse(declaration, once);
  if (!parsed.success) {
    const lines = explainInLines(parsed.error, Declaration);
    throw new Error(lines.map((line) => `webhook, ${line}`).join('\n'));
  }
  const { verify, tenant, events } = parsed.data;
  const { payload: schema, challenge, map } = declaration;
  return Object.freeze({
    verify,
    tenant,
    ...defined({ challenge }),
    map(event: WebhookEvent) {
      if (events && !events.includes(event.name)) return undefined;
      if (!schema) return map(event as WebhookEvent<Payload>);
      const parsed = schema.safeParse(event.payload);
      if (!parsed.success) throw new UnfitPayload(z.prettifyError(parsed.error));
      return map({ ...event, payload: parsed.data });
    },
  });
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

const Declaration = z.strictObject({
  verify: Verification,
  tenant: Tenant.default(DEFAULT_TENANT),
  events: z.array(z.string().min(1)).min(1).optional(),
  payload: z.unknown().optional(),
  challenge: z.custom(isFunction, 'must be a function').optional(),
  map: z.custom(isFunction, 'must be a function'),
});
