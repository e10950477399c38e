import { accept, openSession } from '../../shared/agent/entrypoints/accept.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import { pkOf } from '../../shared/aws/layout.ts';
import { createSigns } from '../../shared/aws/signs.ts';
import type { SignStore } from '../../shared/edge/signs.ts';
import { slowedTogether } from '../../shared/models/slowed.ts';
import { fails, says, saysAndCalls } from '../../testing/scripted-model.ts';
import { worker } from './agent.ts';
import { type RunningClock, runningClock } from './clock.ts';
import { PARTITION } from './limits.ts';
import { createLedger, type Heat } from './table/ledger.ts';
import { type CountingTable, countingTable } from './table/table.ts';
import { scaleWorld } from './world.ts';

/** Sessions that begin at once, and a model that cannot serve as many requests. */
export interface Crowd {
  readonly sessions: number;
  /** Model calls of each; all but the last one call a tool. */
  readonly steps: number;
  /** Environments of the step function: each step runs on any of them. */
  readonly environments: number;
  /** Requests that the model's server accepts in {@link WINDOW_MS}. It answers others with 429 and the start of the next window. */
  readonly requests: number;
  /** Whether environments share rate limits. */
  readonly signs: boolean;
  /** `limits.outageSeconds` of the agent. */
  readonly outageSeconds: number;
}

/** The result of a crowd. */
export interface Limited {
  /** Runs that ended as they should; all others have failed. */
  readonly completed: number;
  /** Requests that the server has accepted and refused. */
  readonly taken: number;
  readonly refused: number;
  readonly steps: number;
  /** Seconds until the last run was over. */
  readonly seconds: number;
  /** The table units of signs; undefined if no sign was written. */
  readonly signs: Heat | undefined;
}

/** Time in ms over which the model's server counts requests. */
export const WINDOW_MS = 10_000;

/** Time in ms of a model call, of its tool, and of a call to the table. */
const MODEL_MS = 2_000;
const TOOL_MS = 100;
const TABLE_MS = 5;

/** The same crowd without signs and with them. */
export interface Compared {
  readonly crowd: Omit<Crowd, 'signs'>;
  readonly alone: Limited;
  readonly together: Limited;
}

/** Crowds of few environments and of many, of agents that outlast an outage and of those that only count tries. */
export async function benchLimited(of: Pick<Crowd, 'sessions' | 'requests'>): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const environments of [100, 1_000]) {
    for (const outageSeconds of [900, 0]) {
      const crowd = { ...of, environments, outageSeconds, steps: 2 };
      const alone = await limited({ ...crowd, signs: false });
      compared.push({ crowd, alone, together: await limited({ ...crowd, signs: true }) });
    }
  }
  return compared;
}

/**
 * Whether signs achieved their purpose: no more runs have failed, and for each accepted request half of the refused ones were
 * saved. Neither item of a sign is hot.
 */
export function isSlowed({ alone, together }: Compared): boolean {
  const share = ({ refused, taken }: Limited) => refused / taken;
  const { readsASecond = 0, writesASecond = 0 } = together.signs ?? {};
  return (
    together.completed >= alone.completed &&
    share(together) <= share(alone) / 2 &&
    readsASecond < PARTITION.reads &&
    writesASecond < PARTITION.writes
  );
}

/** Runs a crowd in virtual time: the real step and entry point, on the adapters for AWS, over a table that counts. */
export async function limited(crowd: Crowd): Promise<Limited> {
  const clock = runningClock();
  const begunAt = clock.now();
  const ledger = createLedger(clock.now);
  const table = countingTable(ledger);
  const server = limitedServer(crowd, clock);
  const ids = { random: Math.random };
  const store = signsIn(table, clock);
  const environments = Array.from({ length: crowd.environments }, () =>
    crowd.signs ? slowedTogether(store, { clock, ids }) : (provider: Provider) => provider,
  );
  let [ended, completed, steps] = [0, 0, 0];
  const { limits, ...made } = worker((ms) => clock.sleep(ms), TOOL_MS);
  const world = scaleWorld({
    ...{ clock, table, agent: { ...made, limits: { ...limits, outageSeconds: crowd.outageSeconds } } },
    modelOf({ sessionId }) {
      const environment = environments[Math.floor(Math.random() * environments.length)];
      const model = server.modelOf(sessionId);
      return environment?.(model) ?? model;
    },
    use(what, n) {
      if (what === 'steps') steps += n;
    },
    onRest(key, head) {
      ended += 1;
      if (head.state === 'completed') completed += 1;
      table.drop(pkOf(key));
    },
  });
  const begin = async (n: number): Promise<void> => {
    const key = { tenant: 'acme', sessionId: `s${n}` };
    // A queue of this many wakes is processed within a second.
    await clock.sleep(Math.random() * 1_000);
    await openSession(
      key,
      worker((ms) => clock.sleep(ms), TOOL_MS),
      async () => undefined,
      world.io,
    );
    await accept(key, { eventId: `event${n}`, text: 'Look at all pages.' }, world.io);
  };
  for (let n = 0; n < crowd.sessions; n++) begin(n).catch(world.fail);
  await world.runUntil(() => ended === crowd.sessions);
  const seconds = (clock.now() - begunAt) / 1000;
  const { taken, refused } = server;
  const signs = ledger.heats(seconds).find(({ kind }) => kind.endsWith(' sign'));
  return { completed, taken: taken(), refused: refused(), steps, seconds, signs };
}

const signsIn = (table: CountingTable, clock: RunningClock): SignStore => {
  const signs = createSigns(table);
  return {
    async read(of) {
      await clock.sleep(TABLE_MS);
      return signs.read(of);
    },
    async put(...args) {
      await clock.sleep(TABLE_MS);
      return signs.put(...args);
    },
  };
};

/** A server with one rate limit for all clients, which it counts in windows and reports in whole seconds. */
function limitedServer({ requests, steps }: Crowd, clock: RunningClock) {
  let [window, inWindow, taken, refused] = [0, 0, 0, 0];
  const replies = new Map<string, number>();
  return {
    taken: () => taken,
    refused: () => refused,
    modelOf: (sessionId: string): Provider => ({
      async complete() {
        const now = clock.now();
        if (Math.floor(now / WINDOW_MS) !== window) inWindow = 0;
        window = Math.floor(now / WINDOW_MS);
        if (inWindow >= requests) {
          refused += 1;
          const retryAfterMs = 1000 * Math.ceil(((window + 1) * WINDOW_MS - now) / 1000);
          return fails({ code: 'rate_limit_error', rateLimited: true, retryAfterMs });
        }
        inWindow += 1;
        taken += 1;
        await clock.sleep(MODEL_MS);
        const n = (replies.get(sessionId) ?? 0) + 1;
        replies.set(sessionId, n);
        return n < steps ? saysAndCalls('I look.', ['leaf', { n }]) : says('That was all.');
      },
    }),
  };
}
