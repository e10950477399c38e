import type { Identity } from '../../shared/contract/identity.ts';
import { type TenantKeyInfo, whatRemains } from '../../shared/contract/tenant-keys.ts';
import { KEY_LIFETIME_MS, type KeyState, type TenantKeys } from '../../shared/edge/tenant-keys.ts';
import { log } from '../../shared/logger.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import type { Route, RouteContext } from './context.ts';

/** `GET /tenants/{tenant}/key`: whether the tenant's data key lives. */
export const readTenantKey: Route = async (event, caller, context) => {
  const keys = keysOf(event.pathParameters?.tenant, caller, context);
  return json(200, toAnswer(caller, await keys.read(caller.tenant)));
};

/** `DELETE /tenants/{tenant}/key?confirm={tenant}`: deletes the tenant's data key for good. Idempotent. */
export const deleteTenantKey: Route = async (event, caller, context) => {
  const keys = keysOf(event.pathParameters?.tenant, caller, context);
  const { tenant, subject: by } = caller;
  if (event.queryStringParameters?.confirm !== tenant)
    throw new Refusal(400, 'Not confirmed', {
      detail: `This makes everything that is stored of ${tenant} unreadable, for good, and ${tenant} gets no other key. Send confirm=${tenant} to do it.`,
    });
  const deleted = await keys.remove(tenant, by, context.io.clock.now());
  log('info', 'the key of a tenant was deleted', { tenant, by });
  return json(200, toAnswer(caller, deleted));
};

function keysOf(named: string | undefined, caller: Identity, { tenantKeys }: RouteContext): TenantKeys {
  requireAdmin(caller);
  if (named !== caller.tenant)
    throw new Refusal(404, 'No such tenant', {
      detail: `A credential administers its own tenant, and no other: name ${caller.tenant}.`,
    });
  if (!tenantKeys)
    throw new Refusal(409, 'Tenant keys are off', {
      detail: 'This deployment has no keys of tenants. Deploy it with tenantKeys: true (docs/deploy.md).',
    });
  return tenantKeys;
}

function toAnswer({ tenant }: Identity, key: KeyState): TenantKeyInfo {
  const time = (at: number) => new Date(at).toISOString();
  switch (key.state) {
    case 'none':
      return { tenant, state: 'none' };
    case 'live':
      return { tenant, state: 'live', createdAt: time(key.createdAt) };
    case 'deleted':
      return {
        ...{ tenant, state: 'deleted', deletedAt: time(key.deletedAt), deletedBy: key.deletedBy },
        ...{ everywhereBy: time(key.deletedAt + KEY_LIFETIME_MS), remains: whatRemains },
      };
    default:
      return key satisfies never;
  }
}
