/** Invariants of tool calls: 9, 13, 14, 18. Checked when a tool starts. */

import type { CallFacts, Checks, Claim, SessionFacts } from '../ledger.ts';
import { whyNotStart } from './prompts.ts';

/** A tool that starts. */
export interface Started {
  readonly facts: SessionFacts;
  readonly claim: Claim | undefined;
  readonly callId: string;
  readonly key: string;
  readonly effect: 'read' | 'idempotent' | 'once';
  /** Earlier starts of the same call. */
  readonly before: CallFacts | undefined;
  readonly events: number;
}

export const callChecks: Checks<Started> = {
  '13 an unsafe call starts once': ({ before, effect, callId }) =>
    effect === 'once' && before ? `${callId} started ${before.starts + 1} times` : undefined,

  '13 an unsafe call is on record before it starts': ({ facts, effect, callId }) =>
    effect === 'once' && !facts.fenced.has(callId) ? `${callId} started without an intent` : undefined,

  '13 its reply is kept before it starts': ({ facts, effect, callId, claim }) =>
    effect === 'once' && claim && !facts.durable.get(claim.head.session.version)?.text.includes(callId)
      ? `${callId} started before the reply that asked for it was in the store`
      : undefined,

  '13 results of unsafe calls are kept at once': ({ claim, callId }) =>
    claim && claim.unkept.size > 0
      ? `${callId} started while the result of ${[...claim.unkept].join()} was not sent to the store`
      : undefined,

  '14 every attempt has the same key': ({ before, key, callId }) =>
    before && before.key !== key ? `${callId}: ${before.key} and ${key}` : undefined,

  '18 nothing starts after a cancel': ({ claim, events }) =>
    claim ? whyNotStart(claim, events) : 'no claim',
};
