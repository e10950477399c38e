import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';
import { isRecord, own } from '../../plain/merge.ts';
import { isShell, type ToolFacts, toolOf, verifies } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { guardTexts } from '../../texts/guards.ts';
import type { Done } from '../guard.ts';
import { builtIn } from '../guard-codes.ts';
import { classify, pays } from './classify.ts';
import { jsonOr, resultKey, wasRun } from './fingerprint.ts';
import { type LoopScope, loopBlock, loopHalt, loopNudge, loopState, withEntry } from './loop-guard.ts';
import { hasMoved, isNewWork, isPolling, shortKey } from './news.ts';
import { didPart, hasFailed, maySucceedLater, outcomeKey } from './outcome.ts';
import { steadyText } from './volatile.ts';

type Config = Pick<z.output<typeof Loop>, 'changes'>;
/** One change: its outcome, how often it was asked for with that outcome, and at which count the model was told last. */
type Made = {
  readonly outcome: string;
  readonly times: number;
  readonly told: number;
  /** Other work may be a reason to make it again. */
  readonly again: boolean;
  readonly failed: boolean;
  readonly paid: boolean;
};
type State = {
  readonly made: { readonly [call: string]: Made };
  /** The call of the step before, if it had only one. */
  readonly last: string;
};

/** Changes that are remembered; the oldest are forgotten. */
const MAX_CHANGES = 48;
/** Letters of an outcome's key: it is compared with the one before only. */
const SHORT = 8;
/** An equal payment is told at once. */
const PAID_TWICE = 2;

/**
 * Counts what changes something and is equal in arguments and outcome by itself, whatever else is new: a payment between new
 * reads is still the same payment. Told, then refused or asked about, then the end. Shell commands and verifications have guards
 * of their own. The guard forgets a change when an equal read gives another result.
 */
export const changesGuard = ({ changes }: Config, scope: LoopScope) =>
  builtIn<'changes', State>({
    name: 'changes',
    ...loopState(scope),
    initial: { made: {}, last: '' },
    hooks: {
      result: ({ made, last }, { session, ...done }) => {
        const worked = isNewWork(session, done);
        const moved = isRead(done) && hasMoved(session, done);
        if (!worked && !moved) return undefined;
        const ownKey = shortKey(done.call);
        const kept = Object.entries(made).filter(
          ([key, { again, failed, paid }]) =>
            key === ownKey || ((!moved || failed || paid) && (!worked || !again)),
        );
        return { state: { made: Object.fromEntries(kept), last } };
      },
      call: ({ made }, { session, call, tool }) => {
        if (!isCounted(session, call, tool)) return undefined;
        const times = (own(made, shortKey(call))?.times ?? 0) + 1;
        const { refuse, halt } = changes;
        const message = guardTexts.changeAgain(call.name, times);
        const metadata = factsOf(call.name, times, changes);
        if (halt > 0 && times >= halt)
          return { verdict: { ...loopHalt('same_change', message, metadata), recover: 'never' } };
        return refuse > 0 && times >= refuse
          ? { verdict: { ...loopBlock('same_change_refused', message, metadata), ask: changes.approval } }
          : undefined;
      },
      decided: ({ made, last }, { call, approved }) =>
        approved ? { state: { made: without(made, shortKey(call)), last } } : undefined,
      batch: (state, { session, calls, done, tools }) => {
        const counted = new Map(
          calls
            .filter((call) => isCounted(session, call, toolOf(tools, call)))
            .map((call, i) => [pays(call.name) ? `${shortKey(call)}#${i}` : shortKey(call), call]),
        );
        const made = [...counted.values()].reduce<State['made']>((all, call) => {
          const result = done.find((one) => one.call.id === call.id)?.result;
          return counting(all, { call, result, tool: toolOf(tools, call) });
        }, state.made);
        const keys = new Set(calls.map(shortKey));
        const [only = ''] = keys.size === 1 ? keys : [];
        // `call-streak.ts` advises against a call that follows itself.
        const inARow = only !== '' && only === state.last;
        const due = [...counted.values()].find((call) => {
          const one = own(made, shortKey(call));
          return isDue(one, changes.advise) && (!inARow || one.paid);
        });
        const one = due && own(made, shortKey(due));
        const next = { made, last: only };
        if (!due || !one) return { state: next };
        const told = { ...next, made: { ...made, [shortKey(due)]: { ...one, told: one.times } } };
        const verdict = loopNudge('same_change', guardTexts.sameChange(due.name, one.times), one.told > 0, {
          ...factsOf(due.name, one.times, changes),
        });
        return { state: told, unsaid: next, verdict };
      },
    },
  });

/** The changes with one more call. A call that reports progress, or whose failure may pass, starts afresh. */
function counting(
  made: State['made'],
  { call, result, tool }: Omit<Done, 'result'> & { readonly result: ToolResult | undefined },
): State['made'] {
  const key = shortKey(call);
  const before = own(made, key);
  // A refused call continues its count; one that never ran says nothing.
  if (!result || !wasRun(result))
    return before ? { ...made, [key]: { ...before, times: before.times + 1 } } : made;
  if (result.progress !== undefined || maySucceedLater(call, result, tool) || didPart(result))
    return without(made, key);
  const failed = hasFailed(call, result, tool);
  const paid = pays(call.name) && !failed;
  // The receipt of a payment is new each time.
  const outcome = paid ? '' : outcomeOf({ call, result, tool }).slice(0, SHORT);
  const same = before?.outcome === outcome;
  const again = tool?.effect === 'idempotent' && !pays(call.name);
  const next = {
    ...{ outcome, again, failed, paid },
    ...(same ? { times: before.times + 1, told: before.told } : { times: 1, told: 0 }),
  };
  return withEntry(made, key, next, MAX_CHANGES);
}

/** The key of an outcome. The id of what was made is new each time, also if the same thing is made again. */
function outcomeOf({ call, result, tool }: Done): string {
  const asked = isRecord(call.input) && Object.keys(call.input).length > 0;
  if (!asked || hasFailed(call, result, tool)) return outcomeKey(call, result, tool);
  const value = jsonOr(result.content);
  if (typeof value === 'string') return hash(steadyText(value).replace(ID, ''), 16);
  if (!isRecord(value)) return outcomeKey(call, result, tool);
  const kept = Object.entries(value).filter(([key]) => !ID_FIELD.test(key));
  return resultKey({ ...result, content: canonicalJson(Object.fromEntries(kept)) }, 'excused');
}

const ID_FIELD = /(?:^|_)(?:id|receipt|reference|ref|number|code|confirmation)$|[a-z](?:Id|Number|Code|Ref)$/;
/** `#123`, `TCK-123`, `r-9`. */
const ID = /#\d+\b|\b[a-z]{1,8}-\d+\b/gi;

const isDue = (made: Made | undefined, advise: number): made is Made =>
  made !== undefined &&
  advise > 0 &&
  made.times > made.told &&
  made.times >= (made.paid ? Math.min(PAID_TWICE, advise) : advise);

const isRead = ({ call, tool }: Done): boolean =>
  classify(call.name, tool?.effect ?? 'unknown') === 'idempotent';

const isCounted = (session: Session, call: ToolCall, tool: ToolFacts | undefined): boolean =>
  !isShell(call.name, tool) &&
  !verifies(call.name, tool) &&
  classify(call.name, tool?.effect ?? 'unknown') === 'mutating' &&
  !isPolling(session, call, tool);

const factsOf = (tool: string, count: number, { advise, refuse, halt }: Config['changes']) => ({
  tool,
  count,
  limits: { advise, refuse, halt },
});

const without = (made: State['made'], key: string): State['made'] =>
  Object.fromEntries(Object.entries(made).filter(([other]) => other !== key));
