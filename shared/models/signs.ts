import type { Clock, Ids } from '../agent/ports/ports.ts';
import type { ModelRequest } from '../agent/ports/provider.ts';
import type { Failure } from '../agent/session/reply.ts';
import type { Sign, SignOf, SignStore } from '../edge/signs.ts';

/** One environment's knowledge of the rate limits of its models. Never rejects. */
export interface Signs {
  /** The failure of a request that is not made because a sign stands; undefined if the request may be made. */
  standing(request: ModelRequest): Promise<Retry | undefined>;
  /** Records that a server has refused, and tells the other environments of this group, unless they know already. */
  refused(request: ModelRequest, failure: Retry): Promise<void>;
}

export interface SignOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'random'>;
  /** Groups of environments, each with a sign of its own for each model: {@link GROUPS} by default. */
  readonly groups?: number;
  /** Called with errors of reading or writing a sign. */
  readonly missed?: (error: unknown) => void;
}

type Retry = Extract<Failure, { kind: 'retry' }>;

/**
 * Number of items that spread the reads and writes of all environments for one model. An item takes 1,000 writes and
 * 6,000 such reads a second, and an environment reads at most once a second, so 96,000 environments may.
 */
const GROUPS = 16;

/**
 * Most ms that a sign stands. Then one environment asks again, so that one odd answer does not stop all of them for
 * long. Both APIs count their rate limits by the minute.
 */
export const LONGEST_MS = 60_000;

/** Ms after a refusal, or a sign, in which an environment looks for signs before it asks. */
const WARY_MS = 300_000;

/** Ms for which a reading counts. Anything shorter is not worth a sign either. */
const FRESH_MS = 1_000;

/** Ms for which a server that gives no duration is not asked: doubled each time, up to what a rate limit waits by itself. */
const OWN_MS = { first: 5_000, most: 30_000 };

/** The rate limit state of one model. */
interface Known {
  readonly of: SignOf;
  /** Epoch ms before which the model is not asked, and why. */
  until: number;
  code: string;
  waryUntil: number;
  /** The end of the sign in the store, as it was last read or put. */
  stored: number;
  lookedAt: number;
  looking: Promise<void> | undefined;
  /** Ms of the next sign for a server that gives no duration. */
  ownMs: number;
}

/** Created by the first refusal. */
export function openSigns(store: SignStore, options: SignOptions): Signs {
  const { clock, ids, groups = GROUPS, missed = () => {} } = options;
  const group = Math.floor(ids.random() * groups);
  const models = new Map<string, Known>();
  const nameOf = ({ server, model }: ModelRequest) => JSON.stringify([server, model]);

  const isWary = (known: Known | undefined): known is Known =>
    known !== undefined && clock.now() < known.waryUntil;

  /** Reads what others of the group know, unless it was just read. */
  function look(known: Known): Promise<void> {
    const at = clock.now();
    if (at - known.lookedAt < FRESH_MS) return Promise.resolve();
    known.looking ??= store
      .read(known.of)
      .then((sign) => learn(known, sign, clock.now()), missed)
      .finally(() => {
        known.looking = undefined;
        known.lookedAt = at;
      });
    return known.looking;
  }

  return {
    async standing(request) {
      const known = models.get(nameOf(request));
      if (!isWary(known)) return undefined;
      if (known.until <= clock.now()) await look(known);
      const now = clock.now();
      if (known.until <= now) return undefined;
      known.waryUntil = now + WARY_MS;
      return unasked(known, known.until - now);
    },

    async refused(request, { code, retryAfterMs }) {
      const now = clock.now();
      const before = models.get(nameOf(request));
      const { server, model } = request;
      const known = isWary(before) ? before : unknown({ server, model, group });
      models.set(nameOf(request), known);
      const until = now + Math.min(retryAfterMs ?? ownMs(known, now), LONGEST_MS);
      known.waryUntil = now + WARY_MS;
      if (until > known.until) Object.assign(known, { until, code });
      if (until < now + FRESH_MS) return;
      await look(known);
      if (until < known.stored + FRESH_MS) return;
      known.stored = until;
      await store.put(known.of, { until, code }).catch(missed);
    },
  };
}

const unknown = (of: SignOf): Known => ({
  of,
  until: 0,
  code: '',
  waryUntil: 0,
  stored: 0,
  lookedAt: Number.NEGATIVE_INFINITY,
  looking: undefined,
  ownMs: OWN_MS.first,
});

/** A sign that stands for longer than the maximum comes from a wrong clock. */
function learn(known: Known, sign: Sign | undefined, now: number): void {
  const isOne = sign !== undefined && sign.until <= now + 2 * LONGEST_MS;
  known.stored = isOne ? sign.until : 0;
  if (isOne && sign.until > known.until) {
    known.until = Math.min(sign.until, now + LONGEST_MS);
    known.code = sign.code;
  }
}

/**
 * How long to leave a server alone that gives no duration. Refusals that arrive while a sign stands are of requests
 * already under way, and do not double it.
 */
function ownMs(known: Known, now: number): number {
  if (known.until > 0 && known.until <= now) known.ownMs = Math.min(2 * known.ownMs, OWN_MS.most);
  return known.ownMs;
}

function unasked({ of: { model }, code }: Known, retryAfterMs: number): Retry {
  const message = `The server of ${model} was not asked: it recently answered ${code}, and its wait is not over`;
  return { kind: 'retry', code, message, rateLimited: true, retryAfterMs, unasked: true };
}
