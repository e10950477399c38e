/** A stack with a quiet tenant and a noisy one, to measure how much the flood of one slows the other. */

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, embedded } from './embedded.ts';
import { type FloodOf, startFlood } from './flood.ts';
import { startOidcIssuer } from './oidc-issuer.ts';
import { callTools, ruleModel, sayText } from './rule-model.ts';

/** Requests of the flood that are under way at all times. */
const AT_ONCE = 60;
/** Requests of the other tenant in a row, and ms between them. */
const PROBES = 10;
const PAUSE_MS = 20;
/**
 * Quiet and flooded times are measured in turn, so that other work on this machine falls on both alike, and their medians are
 * compared over all turns. More turns follow only if the first do not show it.
 */
const TURNS = 10;

type Call = Embedded['api'];

/** Makes a request of the quiet tenant, and resolves when the request is answered. */
type Ask = (neighbor: NoisyNeighbor, call: Call) => Promise<void>;

/** A flood of requests of the noisy tenant, and what the quiet tenant asks for meanwhile. */
export interface Flood {
  readonly request: (
    sessions: NoisyNeighbor['sessions'],
  ) => readonly [method: string, path: string, body?: object];
  readonly ask: Ask;
}

export interface NoisyNeighbor extends AsyncDisposable {
  readonly world: Embedded;
  /** Ids: of the quiet tenant, of the noisy tenant, and of the noisy tenant with a call that waits for a decision. */
  readonly sessions: { readonly mine: string; readonly theirs: string; readonly waiting: string };
  headersOf(tenant: string): Promise<{ authorization: string }>;
  /** The API as a user of the tenant calls it. */
  as(tenant: string): Promise<Call>;
  /** Resolves when nothing works any more: functions answer even clients that have left. */
  atRest(): Promise<void>;
}

export async function noisyNeighbor(): Promise<NoisyNeighbor> {
  const idp = await startOidcIssuer();
  const model = await ruleModel(({ turn, lastText }) =>
    turn === 0 && lastText === 'transfer' ? callTools(['transfer', { n: 1 }]) : sayText('Done.'),
  );
  /** When an invocation last began or ended, in ms of `performance.now()`. */
  let workedAt = 0;
  const world = await embedded({
    model,
    onInvocation: () => {
      workedAt = performance.now();
    },
    variables: {
      [env.OIDC_ISSUER]: idp.issuer,
      [env.OIDC_AUDIENCE]: idp.audience,
      [env.MESSAGES_PER_MINUTE]: '60',
      [env.REQUESTS_PER_SECOND]: '100',
      [env.SESSIONS_AT_ONCE]: '60',
    },
  });
  const headersOf = async (tenant: string) => ({ authorization: `Bearer ${await idp.token({ tenant })}` });
  const as = async (tenant: string): Promise<Call> => {
    const own = await headersOf(tenant);
    return (method, path, body, headers) => world.api(method, path, body, { ...own, ...headers });
  };
  const start = async (tenant: string, message: string) => {
    const call = await as(tenant);
    const { status, body } = await call('POST', '/sessions', { agent: 'worker', message });
    expect(status).toBe(201);
    for (;;) {
      const { body: session } = await call('GET', `/sessions/${body.sessionId}`);
      if (!['idle', 'running'].includes(session.state)) return body.sessionId as string;
      await pause(100);
    }
  };
  const mine = await start('quiet', 'hello');
  // Enough for its lists to have something to read.
  await Promise.all(Array.from({ length: 19 }, () => start('noisy', 'hello')));
  const theirs = await start('noisy', 'hello');
  const waiting = await start('noisy', 'transfer');
  return {
    world,
    sessions: { mine, theirs, waiting },
    headersOf,
    as,
    async atRest() {
      while (performance.now() - workedAt < 700) await pause(100);
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    },
  };
}

/** A read of its session, which is answered however much others ask for. */
export const read: Ask = async ({ sessions }, call) => {
  expect(await call('GET', `/sessions/${sessions.mine}`)).toMatchObject({ status: 200 });
};

/** A WebSocket connection. */
export const connect: Ask = async ({ world }, call) => {
  const { status, body } = await call('POST', '/tickets');
  expect(status).toBe(201);
  const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
  await new Promise<unknown>((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the quiet tenant could not connect'));
  });
  socket.close();
};

/** Times in ms of the quiet tenant's requests. */
async function probe(ask: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < PROBES; n++) {
    const begunAt = performance.now();
    await ask();
    times.push(performance.now() - begunAt);
    await pause(PAUSE_MS);
  }
  return times;
}
const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** Rejects if the median time of the quiet tenant's requests stays above twice its quiet one during the flood. */
export async function hardlySlowed(neighbor: NoisyNeighbor, { request, ask }: Flood): Promise<void> {
  const call = await neighbor.as('quiet');
  const [method, path, body] = request(neighbor.sessions);
  const { HttpUrl, AguiUrl = '', SocketUrl = '' } = neighbor.world.stack.outputs;
  const base = path.startsWith('/chat') ? AguiUrl.replace(/\/agui$/, '') : HttpUrl;
  const flood: FloodOf = {
    ...{ url: `${base}${path}`, method, atOnce: AT_ONCE },
    headers: { ...(await neighbor.headersOf('noisy')), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    ...(path === '/tickets' && { socketUrl: SocketUrl }),
  };
  const quiet: number[] = [];
  const flooded: number[] = [];
  const answers: Record<string, number> = {};
  for (let turn = 0; turn < TURNS; turn++) {
    await neighbor.atRest();
    quiet.push(...(await probe(() => ask(neighbor, call))));
    const { stop } = startFlood(flood);
    // A flood in a thread of its own takes a moment to begin.
    await pause(400);
    try {
      flooded.push(...(await probe(() => ask(neighbor, call))));
    } finally {
      for (const [status, count] of Object.entries(await stop()))
        answers[status] = (answers[status] ?? 0) + count;
    }
    if (medianOf(flooded) < 2 * medianOf(quiet)) return;
  }
  throw new Error(`not in ${TURNS} turns: ${JSON.stringify([medianOf(quiet), medianOf(flooded), answers])}`);
}
