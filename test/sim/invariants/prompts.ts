/** Invariants of what the model is asked, and when: G5, 7, 8, 9, 10, 18, 23, 24, 47. */

import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { DESK, holding, isOfDesk } from '../desk.ts';
import { failedBefore, whyGiveUp } from '../failures.ts';
import type { Checks, Claim, SentEvent, SessionFacts } from '../ledger.ts';
import { withoutSpare } from '../odd.ts';
import { isSummaryAsk } from '../summaries.ts';
import { whySearch } from './omitted.ts';
import type { Begun } from './prefix.ts';

/** A model call that begins. */
export interface Asked {
  readonly facts: SessionFacts;
  readonly claim: Claim;
  readonly request: ModelRequest;
  /** The request's conversation as `role:json`. */
  readonly blocks: readonly string[];
  /** The number of these that come from committed slots. */
  readonly begun: Begun;
  /** The slot that an earlier owner has stored and not committed. */
  readonly left: Slot | undefined;
  readonly events: number;
  readonly now: number;
  /** Whether replies may be paused turns: then the model's message may be the last, or follow itself. */
  readonly mayPause: boolean;
  readonly limits: {
    readonly maxAttempts: number;
    readonly maxRetries: number;
    readonly outageSeconds: number;
  };
}

/** A model call of any kind. */
export const callChecks: Checks<Pick<Asked, 'facts' | 'claim' | 'limits'>> = {
  '24 attempts are bounded': ({ facts, claim, limits }) =>
    claim.epoch > facts.committedEpoch && facts.asked >= limits.maxAttempts
      ? `asked ${facts.asked + 1} times without a commit`
      : undefined,

  'G5 no reply is bought twice': ({ facts, claim }) => {
    const { session } = claim.head;
    const kept = facts.durable.get(session.version);
    const run = session.run && !session.run.ended ? session.run : undefined;
    const sameStep = kept?.runId === (run?.id ?? runIdFor(claim)) && kept.step === (run?.steps ?? 0) + 1;
    // The reads next to the claim are not used if an earlier owner has died.
    const since = claim.head.attempts > 1 ? claim.claimedAt : claim.beganAt;
    return kept && sameStep && kept.at < since && !claim.older
      ? `the reply of slot ${session.version} was in the store when this step began`
      : undefined;
  },
};

export const promptChecks: Checks<Asked> = {
  '7 the prompt is what is stored': ({ claim, begun }) => (claim.older ? undefined : begun.wrong),

  '7 no more is left out than the server refuses': ({ facts, claim }) =>
    claim.older ? undefined : whySearch(facts.stored.slice(0, claim.head.session.version)),

  '7 system and tools stay as pinned': ({ facts, claim, request }) => {
    // An owner that thawed after another one committed asks in vain, and may have listed tools for itself.
    if (claim.epoch <= facts.committedEpoch) return undefined;
    // A summarizing model reads what the session's model reads.
    const pinned = pinnedText(isSummaryAsk(request) ? { ...request, model: 'sim' } : request);
    return (facts.pinned.get(holding(claim.head.session)) ?? pinned) !== pinned
      ? 'they changed in a session'
      : undefined;
  },

  '52 the agent that has the session is asked': ({ facts, claim, request }) => {
    if (claim.epoch <= facts.committedEpoch || isSummaryAsk(request)) return undefined;
    const { agent } = claim.head.session;
    return isOfDesk(request.system) === (agent === DESK) ? undefined : `${agent} has it`;
  },

  '7 a tool that the server has refused is not sent again': ({ facts, claim, request }) => {
    if (claim.epoch <= facts.committedEpoch || withoutSpare(request).length === request.tools.length)
      return undefined;
    const since = [...facts.spareRefused].find((epoch) => facts.committedEpochs.has(epoch));
    return since === undefined ? undefined : `it was refused in epoch ${since}`;
  },

  '7 only new text follows what is stored': ({ facts, claim, begun, blocks }) => {
    if (claim.older) return undefined;
    for (const block of blocks.slice(begun.committed)) {
      if (!block.startsWith('user:{"type":"text"')) return block;
      const { text } = JSON.parse(block.slice(5)) as { text: string };
      if (
        !/^\[(?:(?:steploop|loop-guard)\]|said )/.test(text) &&
        ![...facts.events.values()].some((event) => event.text === text || isNamed(event, text))
      )
        return `"${text}" was never sent to this session`;
    }
    return undefined;
  },

  '47 a message that was taken back in time is not read': ({ facts, claim, begun, blocks, left }) => {
    // A dead owner has read it before it was taken back.
    if (left?.kind === 'model') return undefined;
    const text = blocks.slice(begun.committed).join();
    for (const [eventId, { withdraws }] of facts.events) {
      const both = withdraws !== undefined && [withdraws, eventId].every((id) => claim.inbox.includes(id));
      const read = both && text.includes(facts.events.get(withdraws)?.text ?? eventId);
      if (read) return `${withdraws} was read, and ${eventId} was there`;
    }
    return undefined;
  },

  '8, 9 calls and results match': ({ request, mayPause }) => {
    for (const [i, { role, content }] of request.messages.entries()) {
      const results = content.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id);
      const before = request.messages[i - 1]?.content ?? [];
      const asked = before.filter(({ type }) => type === 'tool_use').map((block) => block.id);
      if (role === 'user' && results.join() !== asked.join())
        return `message ${i}: asked ${asked.join()}, answered ${results.join()}`;
      if (content.slice(0, results.length).some(({ type }) => role === 'user' && type !== 'tool_result'))
        return `message ${i}: results are not first`;
      if (!mayPause && role === 'assistant' && i === request.messages.length - 1)
        return 'the last word is the model’s';
    }
    return undefined;
  },

  '10 roles alternate, nothing is empty': ({ request, mayPause }) => {
    for (const [i, { role, content }] of request.messages.entries()) {
      const before = request.messages[i - 1]?.role ?? 'assistant';
      if (role === before && !(mayPause && role === 'assistant'))
        return `message ${i} is of the ${role} again`;
      if (content.length === 0) return `message ${i} is empty`;
      if (content.some((block) => block.type === 'text' && String(block.text).trim() === ''))
        return `message ${i} has an empty text`;
    }
    return request.messages.length === 0 ? 'no messages' : undefined;
  },

  '12 retry-after is honoured': ({ facts, claim, now }) =>
    claim.beganAt > facts.notBeforeSince && now < facts.notBefore - 20_000
      ? `asked ${facts.notBefore - now} ms early`
      : undefined,

  '18 nothing starts after a cancel': ({ claim, events }) => whyNotStart(claim, events),

  '23 a prompt has its own tenant only': ({ facts, begun, blocks }) =>
    foreignMarks(facts, blocks.slice(begun.committed).join()),

  '24 retries are bounded': ({ facts, limits }) => whyGiveUp(failedBefore(facts.failures, 'outage'), limits),
};

/** Why an invocation must not start a model call or a tool; undefined if it may. */
export function whyNotStart({ head, stopKnownAt }: Claim, events: number): string | undefined {
  if (head.cancelGen > head.session.cancelSeen) return 'the run was cancelled before this step began';
  if (stopKnownAt !== undefined && events > stopKnownAt) return 'the step had been told to stop';
  return undefined;
}

/** The id of the run that a claim of a session without one begins (`run.ts`). */
export const runIdFor = ({ head: { session } }: Claim): string =>
  session.run && !session.run.ended ? session.run.id : `${session.key.sessionId}-${session.version}`;

export const pinnedText = (request: ModelRequest): string =>
  `${request.model} ${request.system} ${withoutSpare(request)
    .map((tool) => `${tool.name} ${tool.description}`)
    .join()}`;

/** Every text of a tenant carries its mark: `<acme>`. */
export function foreignMarks({ key }: SessionFacts, text: string): string | undefined {
  for (const [, tenant] of text.matchAll(/<([a-z]+)>/g))
    if (tenant !== key.tenant) return `${key.tenant} reads what is ${tenant}'s`;
  return undefined;
}

/** Whether a text is the line that names a file of a message. */
const isNamed = ({ files }: Pick<SentEvent, 'files'>, text: string): boolean =>
  files.some((file) => text === `[file "/${file.path}", ${file.text.length} bytes, is in the workspace]`);
