/** One stack with everyone who may stand at a door of it: the roles of a tenant, and a workspace in Slack. */

import { expect, inject } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import { ruleModel } from '../support/rule-model.ts';
import { workspace } from '../support/slack-workspace.ts';
import { mayHaveChanged } from '../support/step-lines.ts';
import type { Ask } from './kinds/door.ts';
import { requestersIn } from './requesters.ts';
import { type Call, rule } from './target.ts';

/** `finance` is a user with that role, which the agent `teller` names in `approvals.answerers`. */
export const roles = [
  ...(['owner', 'stranger', 'finance', 'operator', 'admin', 'key', 'deciding key', 'token'] as const),
];
export type Role = (typeof roles)[number];

export interface Caller {
  readonly subject: string;
  readonly call: Call;
}

export interface Company extends AsyncDisposable {
  readonly slack: Awaited<ReturnType<typeof workspace>>['slack'];
  readonly world: Awaited<ReturnType<typeof workspace>>['world'];
  caller(role: Role): Caller;
  /** The requesters of the session's last run, as policies read them. */
  requestersOf(sessionId: string): Promise<readonly string[]>;
  connect(call: Call): Promise<Ask>;
}

export async function company(): Promise<Company> {
  const idp = await startOidcIssuer();
  const model = await ruleModel(rule);
  const variables = { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: idp.audience };
  const { world, slack, ...it } = await workspace(
    model,
    { shared: true },
    // Rights are the same on either compute. Here people of a tenant also share the environments of steps.
    { variables, assembly: inject('assemblies').managed },
  );
  const { api, stack } = world;
  const requesters = requestersIn(world);
  const sockets: WebSocket[] = [];

  const as =
    (credential: string): Call =>
    (method, path, body) =>
      api(method, path, body, { authorization: `Bearer ${credential}` });
  const user = async (sub: string, ...names: string[]): Promise<Caller> => ({
    subject: `user:${sub}`,
    call: as(await idp.token({ tenant: 'default', sub, roles: names })),
  });
  const key = async (...scopes: string[]): Promise<Caller> => {
    const { body } = await api('POST', '/keys', { name: 'robot', scopes });
    return { subject: `key:${body.keyId}`, call: as(body.key) };
  };
  const callers: Readonly<Record<Role, Caller>> = {
    owner: await user('ada'),
    stranger: await user('bob'),
    finance: await user('fin', 'finance'),
    operator: await user('olga', 'steploop-operator'),
    admin: await user('anna', 'steploop-admin'),
    key: await key(),
    'deciding key': await key('decide'),
    token: { subject: 'operator', call: api },
  };

  return {
    ...{ world, slack },
    caller: (role) => callers[role],
    requestersOf: requesters.of,
    async connect(call) {
      const { body } = await call('POST', '/tickets');
      const socket = new WebSocket(`${stack.outputs.SocketUrl}?ticket=${body.ticket}`);
      sockets.push(socket);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      return (request) =>
        new Promise((resolve) => {
          socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
          socket.send(JSON.stringify(request));
        });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.close();
      requesters.close();
      await it[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    },
  };
}

/** Waits until a session has this state. */
export async function becomes({ world }: Company, id: string, state: string): Promise<void> {
  const look = async () => (await world.session(id)).state;
  let seen = await look();
  for (const end = Date.now() + 20_000; seen !== state && Date.now() < end; seen = await look())
    await mayHaveChanged(id);
  expect(seen).toBe(state);
}
