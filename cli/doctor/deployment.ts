/** Checks of a running deployment over its HTTP API: agents, sessions and deliveries. */

import * as z from 'zod';
import { printable } from '../../local/printable.ts';
import type { Deployment } from '../../shared/agent/define/deployment-keys.ts';
import type { State } from '../../shared/contract/session.ts';
import { type HttpClient, ProblemError } from '../../web/client/index.ts';
import { type Finding, look, ok, wrong } from './finding.ts';

/** The response of `GET /`. */
const Index = z.object({ agents: z.array(z.object({ name: z.string(), version: z.string() })) });

/** Hours after which a session in this state is worth a look: a run takes minutes, and people answer within a day. */
const PATIENCE: Partial<Record<State, number>> = { running: 1, waiting_for_tool: 24, waiting_for_input: 24 };

const HOUR_MS = 3_600_000;

/** Whether it answers, and has the agents of the definition in their versions. */
export async function agentsAt(
  httpUrl: string,
  definition: Pick<Deployment, 'agents'> | undefined,
): Promise<Finding[]> {
  const { data } = Index.safeParse(
    await fetch(`${httpUrl}/`, { signal: AbortSignal.timeout(15_000) }).then(
      (response) => response.json(),
      () => undefined,
    ),
  );
  if (!data)
    return [
      wrong(
        'deployment',
        `${httpUrl} does not answer, or is no HttpUrl.`,
        'Start it with steploop dev, or set STEPLOOP_URL.',
      ),
    ];
  const there = new Map(data.agents.map(({ name, version }) => [name, version]));
  const drift = (definition?.agents ?? []).flatMap(({ name, version }) => {
    const deployed = there.get(name);
    if (deployed === version) return [];
    const says =
      deployed === undefined
        ? 'The deployment does not have it.'
        : `The deployment has version ${printable(deployed)}, and the definition ${version}.`;
    return [wrong(`agent ${name}`, says, 'Deploy the definition again.')];
  });
  const here = definition?.agents.map(({ name }) => name);
  const gone = [...there.keys()].filter((name) => here && !here.includes(name));
  return [
    ok('deployment', `${httpUrl} answers, with ${there.size} agents.`),
    ...drift,
    ...gone.map((name) =>
      look(
        `agent ${printable(name)}`,
        'The definition no longer has it.',
        'Deploy the definition again, if its sessions are over.',
      ),
    ),
  ];
}

/** Sessions that wait too long or failed lately, and deliveries that could not be carried out. */
export async function workAt(client: HttpClient, now: number): Promise<Finding[]> {
  const since = new Date(now - 24 * HOUR_MS).toISOString();
  const [waiting, failed, dead] = await Promise.all([
    waits(client, now),
    client.sessions({ state: ['error'], since, limit: 100 }),
    deadIn(client),
  ]);
  const reasons = Map.groupBy(failed.sessions, ({ reason }) => reason ?? 'unknown');
  return [
    ...waiting,
    ...[...reasons].map(([reason, { length, 0: one }]) =>
      look(
        `runs that failed`,
        `${length} of the last day with ${reason}, such as ${one?.sessionId}.`,
        `npx steploop sessions show ${one?.sessionId}`,
      ),
    ),
    dead.length === 0
      ? ok('webhooks', 'No delivery is left over.')
      : wrong(
          'webhooks',
          `${dead.length} deliveries could not be carried out, the oldest of ${dead[0]?.at}: ${dead[0]?.reason}.`,
          'Retry them: docs/operating.md, GET /hooks/dead.',
        ),
  ];
}

/** Deliveries that could not be carried out. A deployment without webhooks has no route for them. */
const deadIn = (client: HttpClient): ReturnType<HttpClient['deadDeliveries']> =>
  client.deadDeliveries().catch((error: unknown) => {
    if (error instanceof ProblemError && error.problem.status === 404) return [];
    throw error;
  });

async function waits(client: HttpClient, now: number): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(PATIENCE).map(async ([state, hours]) => {
      const until = new Date(now - hours * HOUR_MS).toISOString();
      const listed = await client.sessions({ state: [state as State], until, limit: 100 });
      // A run may rest until a moment that is months away.
      const sessions = listed.sessions.filter(({ reason }) => reason !== 'awaiting_timer');
      const [one] = sessions;
      return one
        ? [
            look(
              'sessions',
              `${sessions.length} are ${state} for more than ${hours} h, such as ${one.sessionId}.`,
              `npx steploop sessions show ${one.sessionId}`,
            ),
          ]
        : [];
    }),
  );
  const all = found.flat();
  return all.length > 0 ? all : [ok('sessions', 'None waits for too long.')];
}
