import * as z from 'zod';
import type { Agent } from '../../shared/agent/define/agent.ts';
import {
  UnfitPayload,
  type Wakeup,
  type WakeupFile,
  type WakeupPlace,
  type WebhookEvent,
  type WebhookSource,
} from '../../shared/agent/define/webhook.ts';
import { type Accepted, accept, openSession } from '../../shared/agent/entrypoints/accept.ts';
import { acceptAgain } from '../../shared/agent/entrypoints/accept-again.ts';
import { callbackDestination } from '../../shared/agent/outbound/callback.ts';
import type { OutboundStore } from '../../shared/agent/outbound/destination.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { withoutSecrets } from '../../shared/agent/plain/redact.ts';
import { UnusableFacts } from '../../shared/agent/plain/unusable-facts.ts';
import { zoneNamed } from '../../shared/agent/plain/zones.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import type { PriceOf } from '../../shared/agent/session/pinned.ts';
import { titleOf } from '../../shared/agent/session/title.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { type SessionKey, Tenant } from '../../shared/contract/session.ts';
import type { Callbacks } from '../../shared/edge/callbacks.ts';
import type { DeadReason } from '../../shared/edge/dead-deliveries.ts';
import { slackDestination } from '../../shared/slack/destination.ts';
import { cutToMax } from './cut.ts';
import type { TakenFiles } from './sent-files.ts';

/** Context for bringing a verified delivery into its session. */
export interface EnterContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'blobs' | 'egress' | 'listings'> & {
    readonly outbound: OutboundStore;
  };
  readonly agents: readonly Agent[];
  readonly priceOf: PriceOf;
  readonly callbacks: Pick<Callbacks, 'check'>;
  /** Whether the deployment has a Slack app. */
  readonly hasSlack: boolean;
}

/** A failure of this deployment, which the sender cannot fix. */
export interface Failed {
  readonly kind: 'failed';
  readonly reason: DeadReason;
  readonly detail: string;
  /** The thrown value, if there is one. */
  readonly error?: unknown;
}

type Mapped = { readonly kind: 'ignored' } | { readonly kind: 'wakeup'; readonly wakeup: Wakeup } | Failed;

/** Most files of one message. */
const MAX_FILES = 10;

const named = { name: z.string().min(1).max(1_000), folder: z.string().max(512).optional() };
const ReturnedFile = z.union([
  z.object({ ...named, text: z.string() }),
  z.object({ ...named, base64: z.string() }),
  z.object({ ...named, url: z.string() }),
]);

const Returned = z.object({
  agent: z.string().min(1),
  tenant: Tenant.optional(),
  sessionKey: z.string().min(1),
  message: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
  files: z.array(ReturnedFile).max(MAX_FILES).optional(),
  callbackUrl: z.string().optional(),
  slack: z
    .object({
      team: z.string().regex(/^[TE][A-Z0-9]{1,31}$/, 'must be the id of a workspace'),
      channel: z.string().regex(/^[CG][A-Z0-9]{1,31}$/, 'must be the id of a channel'),
      title: z.string().trim().min(1).optional(),
    })
    .optional(),
  zone: z
    .string()
    .refine((name) => zoneNamed(name) !== undefined, 'must be the IANA name of a time zone')
    .optional(),
});

/** Asks the source's mapping what an event does. It is user code: it may throw, or return anything. */
export function mapped({ map }: WebhookSource, event: WebhookEvent): Mapped {
  try {
    const returned: unknown = map(event);
    // An asynchronous function is not a valid mapping, and its later rejection must not end the function.
    if (returned instanceof Promise) returned.catch(() => undefined);
    if (returned === undefined || returned === null) return { kind: 'ignored' };
    const { data, error } = Returned.safeParse(returned);
    if (!data) return failed('mapping_invalid', `The mapping returned no wakeup. ${z.prettifyError(error)}`);
    const { callbackUrl, files, slack, tenant, zone, ...wakeup } = data;
    return {
      kind: 'wakeup',
      wakeup: {
        ...wakeup,
        ...(files && { files: files.map(asGiven) }),
        ...defined({ callbackUrl }),
        ...(slack && { slack: asPlace(slack) }),
        ...defined({ tenant, zone }),
      },
    };
  } catch (error) {
    if (error instanceof UnfitPayload)
      return failed('payload_unfit', `The payload does not fit the source's schema. ${error.message}`);
    return failed('mapping_threw', `The mapping threw: ${withoutSecrets(wordsOf(error))}`, error);
  }
}

const asPlace = ({ title, ...place }: NonNullable<z.output<typeof Returned>['slack']>): WakeupPlace => ({
  ...place,
  ...defined({ title }),
});

/** The tenant whose session a delivery wakes; that of the source as long as the mapping names none. */
export const tenantOf = ({ tenant }: WebhookSource, does: Mapped): string =>
  (does.kind === 'wakeup' ? does.wakeup.tenant : undefined) ?? tenant;

const asGiven = ({ folder, ...file }: z.output<typeof ReturnedFile>): WakeupFile => ({
  ...file,
  ...defined({ folder }),
});

/** Any value may be thrown, even one that throws when it is read. The delivery is kept all the same. */
function wordsOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'something without words.';
  }
}

/** A delivery on its way into a session. */
export interface Entering {
  readonly tenant: string;
  readonly source: string;
  readonly eventId: string;
  /** Epoch ms of its arrival. Messages are read in that order, however late they get in. */
  readonly at: number;
}

export type Entered =
  | {
      readonly kind: 'entered';
      readonly sessionId: string;
      readonly accepted: Exclude<Accepted, 'full' | 'unknown_session'>;
    }
  | Failed;

/** Makes the session that a wakeup names, if it does not exist, and puts the message into its inbox, once. */
export async function enter(
  { tenant, source, eventId, at }: Entering,
  wakeup: Wakeup,
  { io, agents, priceOf, callbacks, hasSlack }: EnterContext,
): Promise<Entered> {
  const agent = agents.find((candidate) => candidate.name === wakeup.agent);
  if (!agent) return failed('unknown_agent', `No agent is called "${wakeup.agent}".`);
  const url = wakeup.callbackUrl === undefined ? undefined : callbacks.check(wakeup.callbackUrl);
  if (url && 'refused' in url) return failed('callback_refused', `The callbackUrl ${url.refused}.`);

  const { slack } = wakeup;
  if (slack && !hasSlack)
    return failed(
      'mapping_invalid',
      'The mapping names a Slack channel, and this deployment has no Slack app.',
    );

  const key = { tenant, sessionId: await sessionIdFor('hook', wakeup.sessionKey) };
  const caller = callerFacts({ kind: 'webhook', zone: wakeup.zone }, 'webhook');
  const first = { at, by: `webhook:${source}`, caller };
  const opened = await openSession(key, agent, priceOf, io, {
    outbound: url !== undefined || slack !== undefined,
    first,
  }).catch((error: unknown) => {
    if (error instanceof UnusableFacts) return error;
    throw error;
  });
  if (typeof opened === 'object') return failed('facts_unusable', opened.message, opened);
  if (opened === 'gone')
    return failed(
      'session_deleted',
      `The session of this sessionKey was deleted less than two hours ago. Redrive the delivery later to begin a new one.`,
    );
  if (opened === 'other_agent')
    return failed(
      'other_agent',
      `The session ${key.sessionId} does not belong to the agent "${agent.name}".`,
    );
  if (url) await io.outbound.put(key, callbackDestination(url.url.href));
  if (slack) {
    const title = slack.title ?? (titleOf(wakeup.message) || 'a new run');
    await io.outbound.put(key, slackDestination(slack.team, slack.channel, agent.name, title));
  }

  const came = await filesOf(wakeup, key, agent, io);
  const said = {
    text: cutToMax(wakeup.message, came.text),
    ...(came.attachments.length > 0 && { attachments: came.attachments }),
    ...first,
  };
  const answer = await accept(key, { eventId, ...said, whenFull: 'keep' }, io);
  const accepted = answer === 'conflict' && wakeup.files ? await acceptAgain(key, eventId, io) : answer;
  if (accepted === undefined || accepted === 'full' || accepted === 'unknown_session')
    throw new Error(`the session ${key.sessionId} was just opened, and says ${accepted}`);
  return { kind: 'entered', sessionId: key.sessionId, accepted };
}

/** The files of the message. Few messages have any, so a cold start does not load the code for them. */
async function filesOf(
  { files = [] }: Wakeup,
  key: SessionKey,
  { limits }: Agent,
  { blobs, egress }: EnterContext['io'],
): Promise<TakenFiles> {
  if (files.length === 0) return { text: '', attachments: [] };
  const { takeGiven } = await import('./sent-files.ts');
  return takeGiven(files, { key, limits: limits.workspace, blobs, egress });
}

/** Most characters of a detail that are kept. */
const MAX_DETAIL = 1_000;

const failed = (reason: DeadReason, detail: string, error?: unknown): Failed => ({
  kind: 'failed',
  reason,
  detail: detail.slice(0, MAX_DETAIL).toWellFormed(),
  ...defined({ error }),
});
