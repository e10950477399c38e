import { setTimeout as pause } from 'node:timers/promises';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, embedded } from '../../test/support/embedded.ts';
import { inAssembly } from '../../test/support/synthesize.ts';
import { benchModel, type Work } from '../support/model.ts';
import { anonymousMb } from '../support/proc.ts';

export interface RealOptions {
  /** Sessions at once. */
  readonly sessions: number;
  readonly steps: number;
  /** Whether only its working is of interest, so that any deployment will do. */
  readonly isSmoke?: boolean;
  readonly say?: (line: string) => void;
}

/** The result for sessions that all run before the first one can end. Times are in ms, memory in MB. */
export interface Real {
  readonly sessions: number;
  readonly completed: number;
  readonly seconds: number;
  /** Time until the request that starts a session is answered. */
  readonly answer: Spread;
  /** From that answer to the first request to the model. */
  readonly firstStep: Spread;
  /** From one request to the model to the next, while all sessions run. */
  readonly step: Spread;
  readonly memoryMb: { readonly before: number; readonly most: number };
}

interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

/** Concurrent requests that start sessions: a laptop's entry point is one process. */
const SENDERS = 20;

/**
 * Sessions at once on the embedded stack with managed compute: the template, the bundles, and all steps in one environment. The
 * model answers no first step before the last session has begun.
 */
export const realSessions = (options: RealOptions): Promise<Real> =>
  inAssembly(
    { compute: 'managed', concurrency: { steps: 1000 } },
    (assembly) => run(assembly, options),
    options.isSmoke,
  );

async function run(assembly: string, { sessions, steps, say = () => {} }: RealOptions): Promise<Real> {
  await using model = await benchModel();
  await using world = await embedded({
    model,
    assembly,
    variables: { [env.SESSIONS_AT_ONCE]: String(2 * sessions) },
  });
  let most = 0;
  const before = anonymousMb(process.pid);
  const look = setInterval(() => {
    most = Math.max(most, anonymousMb(process.pid));
  }, 500);
  try {
    const all = Promise.withResolvers<void>();
    const begun: Begun[] = [];
    let next = 0;
    const startedAt = performance.now();
    const sender = async () => {
      for (let n = next++; n < sessions; n = next++) {
        begun.push(
          await begin(
            world,
            n,
            model.begin(`n${n}`, { steps, speaksMs: 0, pieces: () => ['Looking.'], until: all.promise }),
          ),
        );
        if (begun.length % 100 === 0) say(`${begun.length} of ${sessions} sessions have begun`);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    all.resolve();
    say('all have begun');
    await Promise.all(begun.map(({ work }) => work.over));
    say('the model has said its last');
    const states = [];
    for (const { id } of begun) states.push(await rested(world, id));
    return {
      ...{ sessions, completed: states.filter((state) => state === 'completed').length },
      seconds: (performance.now() - startedAt) / 1000,
      answer: spread(begun.map(({ answerMs }) => answerMs)),
      firstStep: spread(
        begun.map(({ work, answeredAt }) => Math.max(0, (work.asked[0] ?? Number.NaN) - answeredAt)),
      ),
      step: spread(
        begun.flatMap(({ work: { asked } }) => asked.slice(2).map((at, i) => at - (asked[i + 1] ?? at))),
      ),
      memoryMb: { before, most },
    };
  } finally {
    clearInterval(look);
  }
}

interface Begun {
  readonly id: string;
  readonly answerMs: number;
  readonly answeredAt: number;
  readonly work: Work;
}

async function begin(world: Embedded, n: number, work: Work): Promise<Begun> {
  const at = performance.now();
  // Twenty environments of the entry point start at once; a request that times out is sent again.
  for (let attempt = 1; ; attempt++) {
    const message = `Look at all pages. RUN<n${n}>`;
    const { status, body } = await world.api(
      'POST',
      '/sessions',
      { agent: 'enduring', message },
      { 'idempotency-key': `scale-${n}` },
    );
    if (status !== 201 && attempt === 5) throw new Error(`POST /sessions: ${status} ${JSON.stringify(body)}`);
    if (status !== 201) await pause(500);
    else return { id: body.sessionId, answerMs: performance.now() - at, answeredAt: performance.now(), work };
  }
}

/** Its last step ends some ms after the last reply. */
async function rested(world: Embedded, id: string): Promise<string> {
  const { state } = await world.atRest(id, 120);
  return state;
}

function spread(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99), most: at(1) };
}

export function showReal({ sessions, completed, seconds, memoryMb, ...times }: Real): void {
  console.log(
    `${completed} of ${sessions} sessions at once have ended as they should, in ${seconds.toFixed(0)} s\n`,
  );
  for (const [what, { median, p99, most }] of Object.entries(times)) {
    console.log(
      `${what.padEnd(12)} median ${median.toFixed(0)} ms, 99 % ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`,
    );
  }
  console.log(`memory       ${memoryMb.before.toFixed(0)} MB before, at most ${memoryMb.most.toFixed(0)} MB`);
}
