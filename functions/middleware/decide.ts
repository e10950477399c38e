import {
  type Decider,
  type DecisionRule,
  takesPart,
  whyMayNotDecide,
} from '../../shared/agent/define/may-decide.ts';
import { decide, lookBelow } from '../../shared/agent/entrypoints/decide.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { own } from '../../shared/agent/plain/merge.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { type CallerFacts, callerFacts } from '../../shared/agent/session/caller.ts';
import { type Ask, isApproved, type Wait } from '../../shared/agent/session/waits.ts';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { SessionKey } from '../../shared/contract/session.ts';

export interface DecideContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'queue'>;
  /** The deployed agents, which say who may decide. */
  readonly agents: readonly DecisionRule[];
  /** The way by which the decision came; derived from the kind of the decider when absent. */
  readonly channel?: CallerFacts['channel'];
}

export type DecidedAs = { /** The session that asks, if it is one below. */ readonly at?: SessionKey } & (
  | {
      readonly kind: Awaited<ReturnType<typeof decide>>;
      /** Set if nothing of this id waits, and the caller is one of those who are not told that the session exists. */
      readonly outside?: true;
    }
  /** The caller may not decide; `why` says who may. */
  | { readonly kind: 'forbidden'; readonly why: string }
  /** It approves a change that the plan does not have; `why` lists the changes it has. */
  | { readonly kind: 'no_change'; readonly why: string }
  /** It grants more than this decision can grant; `why` says what. */
  | { readonly kind: 'ungrantable'; readonly why: string }
);

/**
 * Records a decision that a run waits for, in a person's name, if they may decide. All decisions pass here, however they arrive
 * (`.dependency-cruiser.cjs` enforces it).
 */
export async function decideAs(
  by: Decider,
  key: SessionKey,
  decision: Decision,
  context: DecideContext,
): Promise<DecidedAs> {
  const { id, approved: said, note, grant } = decision;
  const { io, agents, channel } = context;
  const view = await io.sessions.read(key);
  if (!view) return { kind: 'unknown' };
  const { session } = view;
  // A wait is bound to one request, and its run reads no message while it is open, so what is checked here cannot change before the decision.
  const wait = session.batch?.waits.find((one) => one.id === id);
  const ask = wait ? undefined : session.batch?.asks?.find((one) => one.id === id);
  if (ask) return decideBelow(by, key, ask, decision, context);
  const agent = agents.find(({ name }) => name === session.agent);
  const numbers = Array.isArray(said) ? said : undefined;
  const approved = numbers ? numbers.length > 0 : said === true;
  const why = wait && whyMayNotDecide(by, meant(wait, numbers), session, agent, grant);
  // People outside of a session are not told that it waits for something which they may not decide.
  if (why !== undefined && wait && !isApproved(wait.kind) && !takesPart(by, session))
    return { kind: 'unknown' };
  if (why !== undefined) return { kind: 'forbidden', why };
  const none = wait && numbers?.find((n) => n > (wait.changes?.length ?? 0));
  if (none !== undefined) return { kind: 'no_change', why: whyNoChange(none, wait?.changes?.length) };
  if (grant && !approved)
    return { kind: 'ungrantable', why: 'A refusal grants nothing. Send the decision without a grant.' };
  if (grant && wait && (wait.kind !== 'approval' || own(session.batch?.refused ?? {}, wait.callId)))
    return {
      kind: 'ungrantable',
      why: "A grant for future calls is possible only for an approval that a rule requires, not for a question or a guard's request. Send the decision without a grant.",
    };
  return {
    kind: await decide(
      key,
      id,
      {
        ...{
          approved,
          by: by.subject,
          caller: callerFacts(by, channel ?? (by.kind === 'slack' ? 'slack' : 'http')),
        },
        ...defined({ note, grant }),
        ...(approved && numbers && { changes: numbers.toSorted((a, b) => a - b) }),
      },
      io,
    ),
    ...(!wait && !takesPart(by, session) && { outside: true }),
  };
}

/** Decides what a session below asks, in that session and under the rules of its agent. */
async function decideBelow(
  by: Decider,
  key: SessionKey,
  { child }: Ask,
  decision: Decision,
  context: DecideContext,
): Promise<DecidedAs> {
  const at = { tenant: key.tenant, sessionId: child };
  const decided = await decideAs(by, at, decision, context);
  if (decided.kind === 'decided' || decided.kind === 'already_decided') await lookBelow(key, context.io);
  return { ...decided, at };
}

/** The approved changes, if a plan is approved in part. */
const meant = ({ kind, tool, changes = [] }: Wait, numbers: readonly number[] | undefined) => ({
  kind,
  tool,
  ...(kind === 'plan' && { changes: numbers ? changes.filter((_, i) => numbers.includes(i + 1)) : changes }),
});

const whyNoChange = (n: number, changes: number | undefined): string =>
  changes === undefined
    ? 'This is not a plan, so it has no single changes to approve. Send approved as true or false.'
    : `The plan has no change ${n}: its changes are numbered from 1 to ${changes}.`;
