import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type FloodOf, startFlood } from '../support/flood.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

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

let model: RuleModel;
let idp: OidcIssuer;
let world: Embedded;
/** When an invocation last began or ended, in ms of `performance.now()`. */
let workedAt = 0;
/** A session of the quiet tenant, one of the noisy tenant, and one of that which waits for a decision. */
let mine = '';
let theirs = '';
let waiting = '';
beforeAll(async () => {
  idp = await startOidcIssuer();
  model = await ruleModel(({ turn, lastText }) =>
    turn === 0 && lastText === 'transfer' ? callTools(['transfer', { n: 1 }]) : sayText('Done.'),
  );
  world = await embedded({
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
  mine = await start('quiet', 'hello');
  // Enough for its lists to have something to read.
  await Promise.all(Array.from({ length: 19 }, () => start('noisy', 'hello')));
  theirs = await start('noisy', 'hello');
  waiting = await start('noisy', 'transfer');
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

const headersOf = async (tenant: string) => ({ authorization: `Bearer ${await idp.token({ tenant })}` });
async function as(tenant: string) {
  const headers = await headersOf(tenant);
  return (method: string, path: string, body?: unknown) => world.api(method, path, body, headers);
}

/** Resolves when nothing works any more: functions answer even clients that have left. */
async function atRest(): Promise<void> {
  while (performance.now() - workedAt < 700) await pause(100);
}

type As = Awaited<ReturnType<typeof as>>;

/** A request of the quiet tenant, which is answered however much others ask for. */
async function read(call: As): Promise<void> {
  expect(await call('GET', `/sessions/${mine}`)).toMatchObject({ status: 200 });
}

/** A connection of the quiet tenant. */
async function connect(call: As): Promise<void> {
  const { status, body } = await call('POST', '/tickets');
  expect(status).toBe(201);
  const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
  await new Promise<unknown>((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the quiet tenant could not connect'));
  });
  socket.close();
}

/** Times in ms of the quiet tenant's requests. */
async function probe(ask: (call: As) => Promise<void>, call: As): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < PROBES; n++) {
    const begunAt = performance.now();
    await ask(call);
    times.push(performance.now() - begunAt);
    await pause(PAUSE_MS);
  }
  return times;
}
const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** The flood of a kind, and the other tenant's requests meanwhile. */
const kinds: readonly [string, () => [method: string, path: string, body?: object], typeof read][] = [
  ['lists', () => ['GET', '/sessions'], read],
  ['reads of a session', () => ['GET', `/sessions/${theirs}`], read],
  ['reads of its events', () => ['GET', `/sessions/${theirs}/events`], read],
  ['reads of a chat', () => ['GET', `/chat/${theirs}/messages`], read],
  ['starts', () => ['POST', '/sessions', { agent: 'worker', message: 'hello' }], read],
  ['messages', () => ['POST', `/sessions/${theirs}/messages`, { message: 'x'.repeat(90_000) }], read],
  [
    'uploads',
    () => ['POST', '/uploads', { name: 'a.txt', mediaType: 'text/plain', bytes: 10_000_000 }],
    read,
  ],
  ['connects', () => ['POST', '/tickets'], read],
  ['connects, for the other’s connects too,', () => ['POST', '/tickets'], connect],
  ['decisions', () => ['POST', `/sessions/${waiting}/decisions`, { id: 'w1', approved: true }], read],
];

test.each(kinds)(
  'a tenant’s flood of %s leaves another’s median under twice its quiet one',
  async (kind, of, ask) => {
    const call = await as('quiet');
    const [method, path, body] = of();
    const { HttpUrl, AguiUrl = '', SocketUrl = '' } = world.stack.outputs;
    const base = path.startsWith('/chat') ? AguiUrl.replace(/\/agui$/, '') : HttpUrl;
    const flood: FloodOf = {
      ...{ url: `${base}${path}`, method, atOnce: AT_ONCE },
      headers: { ...(await headersOf('noisy')), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(kind.startsWith('connects') && { socketUrl: SocketUrl }),
    };
    const quiet: number[] = [];
    const flooded: number[] = [];
    const answers: Record<string, number> = {};
    for (let turn = 0; turn < TURNS; turn++) {
      await atRest();
      quiet.push(...(await probe(ask, call)));
      const { stop } = startFlood(flood);
      // A flood in a thread of its own takes a moment to begin.
      await pause(400);
      try {
        flooded.push(...(await probe(ask, call)));
      } finally {
        for (const [status, count] of Object.entries(await stop()))
          answers[status] = (answers[status] ?? 0) + count;
      }
      if (medianOf(flooded) < 2 * medianOf(quiet)) return;
    }
    throw new Error(
      `not in ${TURNS} turns: ${JSON.stringify([medianOf(quiet), medianOf(flooded), answers])}`,
    );
  },
);

test('of 300 lists at once some are refused with 429 and Retry-After, and another tenant’s requests pass them by', async () => {
  await atRest();
  const call = await as('quiet');
  const headers = await headersOf('noisy');
  const lists = Array.from({ length: 300 }, () =>
    fetch(`${world.stack.outputs.HttpUrl}/sessions`, { headers }),
  );
  let answered = 0;
  for (const list of lists) void list.finally(() => answered++);
  for (let n = 0; n < 10; n++) await read(call);
  expect(answered).toBeLessThan(lists.length);
  const answers = await Promise.all(lists);
  const refused = answers.filter(({ status }) => status === 429);
  // How many depends on the time that they take: each second has its own allowance.
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers: sent } of refused) expect(sent.get('retry-after')).toBe('1');
});
