import { CreateKey, KeyId } from '../../shared/contract/identity.ts';
import type { ApiKey } from '../../shared/edge/api-keys.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import type { Route } from './context.ts';

const MAX_KEY_BODY_BYTES = 4 * 1024;

/** `POST /keys`: mints an API key of the caller's tenant. Its secret appears in this answer and nowhere else. */
export const mintKey: Route = async (event, caller, { keys }) => {
  requireAdmin(caller);
  const { name, scopes } = jsonBody(event, CreateKey, MAX_KEY_BODY_BYTES);
  const { key, text } = await keys.mint(caller, name, scopes);
  return json(201, { ...toAnswer(key), key: text }, { 'cache-control': 'no-store' });
};

/** `GET /keys`: the tenant's keys, including revoked ones. */
export const listKeys: Route = async (_event, caller, { keys }) => {
  requireAdmin(caller);
  return json(200, { keys: (await keys.list(caller.tenant)).map(toAnswer) });
};

/** `POST /keys/{keyId}/revoke`: once this answers, the key is refused everywhere. */
export const revokeKey: Route = async (event, caller, { keys }) => {
  requireAdmin(caller);
  const id = KeyId.safeParse(event.pathParameters?.keyId);
  const revoked = id.success ? await keys.revoke(caller.tenant, id.data) : 'unknown';
  if (revoked === 'unknown') {
    throw new Refusal(404, 'No such key', { detail: 'GET /keys lists those that there are.' });
  }
  return json(200, toAnswer(revoked));
};

const toAnswer = ({ createdAt, revokedAt, ...key }: ApiKey) => ({
  ...key,
  createdAt: new Date(createdAt).toISOString(),
  ...(revokedAt !== undefined && { revokedAt: new Date(revokedAt).toISOString() }),
});
