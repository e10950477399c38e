import { defined } from '../agent/plain/defined.ts';
import type { Identity } from '../contract/identity.ts';
import type { Item } from './dynamo.ts';

/** An identity as attributes of an item. `roles` and `scopes` are lists: a set must not be empty. */
export const toAttributes = ({ tenant, subject, kind, roles, scopes, expiresAt }: Identity) => ({
  ...{ tenant, subject, kind, roles, scopes },
  // `expiresAt` of an item is that of the ticket or the connection.
  goodUntil: expiresAt,
});

/** The identity that was passed to `toAttributes`. */
export const toIdentity = ({ tenant, subject, kind, roles, scopes, goodUntil }: Item): Identity => ({
  tenant,
  subject,
  kind,
  ...defined({ roles, scopes, expiresAt: goodUntil }),
});
