import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Amount } from '../../shared/agent/budgets/amount.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';
import type { WebhookSource } from '../../shared/agent/define/webhook.ts';
import type { Days } from '../../shared/agent/entrypoints/days/store.ts';
import type { Graves } from '../../shared/agent/entrypoints/graves.ts';
import type { People } from '../../shared/agent/entrypoints/people.ts';
import type { OutboundStore } from '../../shared/agent/outbound/destination.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Schedules } from '../../shared/agent/schedules/store.ts';
import type { PriceOf } from '../../shared/agent/session/pinned.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { SessionId, type SessionKey } from '../../shared/contract/session.ts';
import type { ApiKeys } from '../../shared/edge/api-keys.ts';
import type { BudgetAccounts } from '../../shared/edge/budgets.ts';
import type { Callbacks } from '../../shared/edge/callbacks.ts';
import type { DeadDeliveries } from '../../shared/edge/dead-deliveries.ts';
import type { FeedbackStore } from '../../shared/edge/feedback.ts';
import type { Limits } from '../../shared/edge/limits.ts';
import type { Links } from '../../shared/edge/links.ts';
import type { ListedSessions } from '../../shared/edge/listed.ts';
import type { TenantKeys } from '../../shared/edge/tenant-keys.ts';
import type { Tickets } from '../../shared/edge/tickets.ts';
import type { Uploads } from '../../shared/edge/uploads.ts';
import { Refusal } from '../middleware/problem.ts';

/** The ports of the HTTP API's routes. */
export interface RouteContext {
  readonly io: Pick<
    Ports,
    | 'clock'
    | 'ids'
    | 'sessions'
    | 'inbox'
    | 'listings'
    | 'log'
    | 'queue'
    | 'memories'
    | 'blobs'
    | 'later'
    | 'egress'
    | 'sockets'
  > & {
    readonly outbound: OutboundStore;
  };
  readonly uploads: Uploads;
  readonly links: Links;
  readonly tickets: Pick<Tickets, 'issue'>;
  readonly keys: ApiKeys;
  readonly limits: Limits;
  readonly agents: readonly Agent[];
  readonly priceOf: PriceOf;
  readonly callbacks: Callbacks;
  readonly webhooks: Readonly<Record<string, WebhookSource>>;
  /** Whether the deployment has a Slack app. */
  readonly hasSlack: boolean;
  readonly dead: DeadDeliveries;
  readonly listed: ListedSessions;
  readonly feedback: Pick<FeedbackStore, 'all'>;
  readonly graves: Pick<Graves, 'bury'>;
  readonly schedules: Pick<Schedules, 'create' | 'read' | 'write' | 'remove' | 'page' | 'count' | 'records'>;
  readonly people: Pick<People, 'begin' | 'move' | 'read'>;
  readonly budgets: BudgetAccounts;
  readonly days: Pick<Days, 'begin' | 'read'>;
  /** Data keys of tenants; undefined if the deployment has none. */
  readonly tenantKeys?: TenantKeys | undefined;
  /** The daily limits of a tenant that has none of its own, per UTC day; 0 = unlimited. */
  readonly tenantLimits: Amount;
}

/** One route. The caller is authenticated before it runs. */
export type Route = (
  event: APIGatewayProxyEventV2,
  caller: Identity,
  context: RouteContext,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** The session that the path names, within the caller's tenant. */
export function sessionKeyOf(event: APIGatewayProxyEventV2, { tenant }: Identity): SessionKey {
  const id = SessionId.safeParse(event.pathParameters?.sessionId);
  if (!id.success) throw noSuchSession();
  return { tenant, sessionId: id.data };
}

/** Refuses the id of a session that was deleted recently. */
export const justDeleted = (): Refusal =>
  new Refusal(410, 'Session deleted', {
    detail:
      'The session of this id was deleted, and the id can be reused after two hours at the earliest. Begin a new session under another key or thread id.',
  });

export const noSuchSession = (): Refusal =>
  new Refusal(404, 'No such session', { detail: 'Check the id, or start a session with POST /sessions.' });
