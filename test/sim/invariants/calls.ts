/** Invariants of tool calls: 9, 13, 14, 18, 19. Checked when a tool starts, and when a decision on it is stored. */

import { STARTS_MS } from '../../../shared/agent/config/effects.ts';
import type { Leave } from '../../../shared/agent/session/leave.ts';
import type { CallFacts, Checks, Claim, SessionFacts } from '../ledger.ts';
import type { Caller } from '../network.ts';
import { whyNotStart } from './prompts.ts';

/** A tool that starts, in a step or from the tool queue. */
export interface Started {
  readonly facts: SessionFacts;
  readonly callId: string;
  readonly key: string;
  readonly effect: 'read' | 'idempotent' | 'once';
  /** Earlier starts of the same call. */
  readonly before: CallFacts | undefined;
  readonly tool: string;
  readonly queued: boolean;
  /** Whether a person must have approved it, or granted it before. */
  readonly approval: boolean;
  readonly caller: Caller;
  readonly now: number;
}

/** A tool that starts in a step. */
export interface StartedInline extends Started {
  readonly claim: Claim;
  readonly events: number;
}

/** Maximum error of a worker's clock, in ms. A call may also begin this long after its worker has looked at it. */
const LATE_MS = 10_000;

/**
 * Why no grant covers a call. The reply's slot says under which grant it runs, and the records of people say what they
 * gave.
 */
function whyNotGranted({ facts, callId, tool, now, queued }: Started): string | undefined {
  const said = facts.leaves.get(callId);
  const given = facts.granted.get(said?.leave.grant ?? '');
  if (!given) return `${callId} started, and it was neither approved nor granted`;
  const { grant, calls, at } = given;
  calls.add(callId);
  const most = grant.uses ?? (grant.seconds === undefined ? 5 : Number.POSITIVE_INFINITY);
  if (calls.size > most) return `${[...calls].join()} started under a grant for ${most}`;
  const revokedAt = facts.revokedAt.get(said?.leave.grant ?? '') ?? now;
  // A step learns of a revocation as it does of a Stop. Earlier ones are checked where the step begins.
  if (queued && now - revokedAt > LATE_MS)
    return `${callId} started ${now - revokedAt} ms after its grant was taken back`;
  if (given.tool !== tool) return `${callId} of ${tool} started under a grant for ${given.tool}`;
  if (grant.alike === 'call') return `${callId} started under a grant for the arguments of another call`;
  if (grant.scope === 'run' && given.run !== said?.runId)
    return `${callId} started under a grant of another run`;
  return grant.seconds !== undefined && at + grant.seconds * 1000 + LATE_MS < now
    ? `${callId} started ${now - at - grant.seconds * 1000} ms after its grant was over`
    : undefined;
}

/**
 * Maximum difference in ms between the clocks of two workers that do not run one call at the same time: `RESERVE_MS` of
 * entrypoints/call.ts.
 */
const CLOCKS_DIFFER_MS = 5_000;

export const startChecks: Checks<Started> = {
  '13 an unsafe call starts once': ({ before, effect, callId }) =>
    effect === 'once' && before ? `${callId} started ${before.starts + 1} times` : undefined,

  '13 an unsafe call is on record before it starts': ({ facts, effect, callId }) =>
    effect === 'once' && !facts.fenced.has(callId) ? `${callId} started without a record` : undefined,

  '14 every attempt has the same key': ({ before, key, callId }) =>
    before && before.key !== key ? `${callId}: ${before.key} and ${key}` : undefined,

  '20 a queued call runs once at a time': ({ facts, callId, caller, now }) => {
    const other = facts.running.get(callId);
    if (!other || other.caller === caller || other.caller.over || !other.caller.host.alive) return undefined;
    // How much earlier the time of the previous worker ends by this worker's clock.
    const aheadMs = caller.host.skewMs - other.caller.host.skewMs;
    return other.until > now + Math.max(0, aheadMs - CLOCKS_DIFFER_MS)
      ? `${callId} runs in ${other.caller.id} and in ${caller.id}`
      : undefined;
  },

  '20 no call runs again whose result stood when it began': ({ facts, callId, caller, queued }) =>
    queued && facts.stood.has(`${caller.id} ${callId}`) ? `${callId} runs in ${caller.id}` : undefined,

  '19 no call runs that was not allowed when it began': (started) =>
    started.approval && !started.facts.approved.has(started.callId) ? whyNotGranted(started) : undefined,
};

/** A decision on a call that a reply's slot contains for the first time. */
export interface Allowed {
  readonly callId: string;
  readonly leave: Leave;
  readonly now: number;
}

/**
 * Maximum time in ms for which a worker may be frozen between its plan and the write of its slot, while no other worker
 * takes its place.
 */
const FROZEN_MS = 120_000;

export const leaveChecks: Checks<Allowed> = {
  '19 no expired grant is used': ({ callId, leave: { grant, until }, now }) =>
    grant !== undefined && until !== undefined && until + FROZEN_MS < now
      ? `${callId} is to run under ${grant}, ${now - until} ms after its end`
      : undefined,
};

/**
 * Time in ms, in addition to {@link STARTS_MS}, between an owner's question and its call, if the question is recent
 * enough.
 */
const ASKING_MS = 1_000;

export const inlineChecks: Checks<StartedInline> = {
  '19 a step begins nothing under a grant that was revoked before it': ({
    facts,
    approval,
    callId,
    claim,
  }) => {
    const { grant = '' } = facts.leaves.get(callId)?.leave ?? {};
    return approval && claim.head.revoked.includes(grant) && !facts.approved.has(callId)
      ? `${callId} started`
      : undefined;
  },

  '32 no call of a step begins if its answer was there before the step': ({ callId, claim }) =>
    claim.settled.has(callId) ? `${callId} started` : undefined,

  '19 no call of a step begins after the end of its grant': ({ facts, approval, callId, caller }) => {
    const { until } = facts.leaves.get(callId)?.leave ?? {};
    // By the clock of its own worker, which is the one that the worker uses.
    const late = approval && until !== undefined ? caller.host.clock.now() - until : 0;
    return late > 0 && !facts.approved.has(callId) ? `${callId} started ${late} ms after it` : undefined;
  },

  '13 its reply is kept before it starts': ({ facts, effect, callId, claim }) => {
    const { batch, version } = claim.head.session;
    return effect === 'once' && !facts.durable.get(batch?.slot ?? version)?.text.includes(callId)
      ? `${callId} started before the reply that asked for it was in the store`
      : undefined;
  },

  '13 results of unsafe calls are kept at once': ({ claim, callId }) =>
    claim.unkept.size > 0
      ? `${callId} started while the result of ${[...claim.unkept].join()} was not sent to the store`
      : undefined,

  '18 nothing starts after a cancel': ({ claim, events }) => whyNotStart(claim, events),

  // An owner that asks HEAD when the call's turn has come sees the cancel. A call that had asked by then may begin, for
  // the time of one request.
  '18 a call that changes something does not start if a cancel was acknowledged before its turn': ({
    facts: { cancelToldAt },
    claim,
    effect,
    callId,
  }) =>
    effect !== 'read' && cancelToldAt !== undefined && cancelToldAt < turnOf(claim)
      ? `${callId} started, although its worker had been told that the run is cancelled`
      : undefined,

  // Nor if its owner froze after asking.
  '18 a call that changes something does not start long after a cancel was acknowledged': ({
    facts: { cancelToldMs = Number.POSITIVE_INFINITY },
    effect,
    callId,
    now,
  }) =>
    effect !== 'read' && now - cancelToldMs > STARTS_MS + ASKING_MS
      ? `${callId} started ${now - cancelToldMs} ms after its worker was told that the run is cancelled`
      : undefined,
};

/**
 * The event number at which the next call of a step had its turn: the reply was complete, and every call before it
 * over.
 */
const turnOf = ({ claimedAt, repliedAt, turns }: Claim): number =>
  Math.max(claimedAt, repliedAt, ...[...turns.values()].map(({ overAt }) => overAt));
