import * as z from 'zod';

/** `none`: nothing of the tenant was written since the option was turned on. */
export const tenantKeyStates = ['none', 'live', 'deleted'] as const;

/** `GET /tenants/{tenant}/key`, `DELETE /tenants/{tenant}/key`: the tenant's data key. */
export interface TenantKeyInfo {
  readonly tenant: string;
  readonly state: (typeof tenantKeyStates)[number];
  /** ISO 8601; only while it lives. */
  readonly createdAt?: string;
  /** ISO 8601; only when it is deleted, as is all that follows. */
  readonly deletedAt?: string;
  /** Subject of the administrator. */
  readonly deletedBy?: string;
  /** ISO 8601: from then on no function uses the key any more. */
  readonly everywhereBy?: string;
  /** Data that the deletion does not reach, a sentence each. */
  readonly remains?: readonly string[];
}

/** Data that the deletion of a key does not reach (docs/deploy.md). */
export const whatRemains: readonly string[] = [
  'Uploads that no message has taken over, and opened copies of linked attachments, lie unsealed until the next sweep deletes them, within some minutes.',
  'Items that were written before tenantKeys was turned on, and not since, are not sealed: in the table until the sweeper deletes them, and in backups for 35 days.',
  'Copies outside of the deployment stay: what callbacks, Slack, model servers, tools, clients and collectors of telemetry were sent.',
  'Names stay readable: of the tenant, its sessions, agents, subjects, times and costs, and hashes of large contents.',
];

/** The query of `DELETE /tenants/{tenant}/key`. */
export const ConfirmQuery = z.object({ confirm: z.string().describe('The name of the tenant again.') });
