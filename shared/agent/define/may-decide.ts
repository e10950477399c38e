import { maySeeAll } from '../../contract/identity.ts';
import type { Approvals } from '../config/approvals.ts';
import { defined } from '../plain/defined.ts';
import type { NewGrant } from '../session/leave.ts';
import { isNamedIn } from '../session/named.ts';
import { hasAsked } from '../session/requesters.ts';
import type { Session } from '../session/session.ts';
import { isApproved, type Wait } from '../session/waits.ts';

/** The person or machine that wants to decide, as verified by the edge. */
export interface Decider {
  /** For records: `user:<sub>`, `key:<keyId>`, `slack:<workspace>:<user>`, or `operator`. */
  readonly subject: string;
  /** How it was verified: a JWT, an API key, the deployment's token, a click that Slack has signed, or a signed link of a channel. */
  readonly kind: 'jwt' | 'key' | 'token' | 'slack' | 'channel';
  /** Roles of a JWT. */
  readonly roles?: readonly string[];
  /** Scopes of its API key beyond the basic ones. */
  readonly scopes?: readonly string[];
  /** Present for a click. */
  readonly slack?: ClickedBy;
}

/** The user who clicked in Slack, and where. Ids are Slack's. */
export interface ClickedBy {
  /** The workspace that installed the app and has the channel. */
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  /**
   * The user's own workspace, or their organisation (`E…`) if Slack says no more: `team` for people of the organisation that has
   * installed the app. The user's subject is `slack:<userTeam>:<user>`.
   */
  readonly userTeam: string;
  /**
   * Whether the user belongs to another organisation that shares the channel (Slack Connect), or to one that Slack does not name.
   */
  readonly external: boolean;
  /** Whether the channel is shared with another organisation, as far as its messages have said. */
  readonly shared?: boolean | undefined;
}

/** The arguments of an agent's own rule. */
export interface AskedToDecide {
  readonly by: Decider;
  readonly tenant: string;
  readonly sessionId: string;
  readonly tool: string;
  /** Subjects of the people whose messages the run has read: those who asked for it. */
  readonly requesters: readonly string[];
  /** The permission that they give beyond this call, if any (docs/leave.md). */
  readonly grant?: NewGrant;
}

/** An agent's own rule: false refuses. It is asked last, so it can only be stricter. A rule that throws refuses too. */
export type MayDecide = (asked: AskedToDecide) => boolean;

/** An agent's settings on who decides. */
export interface DecisionRule {
  readonly name: string;
  readonly approvals: Pick<Approvals, 'deciders' | 'answerers' | 'requesterMayDecide' | 'externalsMayDecide'>;
  readonly mayDecide?: MayDecide | undefined;
}

/** The scope that an API key needs. */
export const DECIDE_SCOPE = 'decide';

/**
 * Why a caller may not decide what a run waits for, as a sentence that says who may; undefined if they may. The same rule for
 * every channel. Pure.
 *
 * For a plan, the rule is asked about each tool whose calls are decided on: its `changes`.
 *
 * Anyone who takes part in the session may answer a question, since a message answers it too, unless the agent names who may. An approval
 * needs a person, or a machine whose key was minted for it, and then whatever the agent requires beyond that.
 *
 * @param agent as it is deployed now: a rule that was made stricter counts at once
 */
export function whyMayNotDecide(
  by: Decider,
  wait: Pick<Wait, 'kind' | 'tool' | 'changes'>,
  { key, agent: name, run, user }: Pick<Session, 'key' | 'agent' | 'run' | 'user'>,
  agent: DecisionRule | undefined,
  grant?: NewGrant,
): string | undefined {
  if (!isApproved(wait.kind)) return whyMayNotAnswer(by, wait, { run, user }, agent);
  if (by.kind === 'key' && !by.scopes?.includes(DECIDE_SCOPE))
    return `This API key may not decide, because it was minted without the scope "${DECIDE_SCOPE}". Use a key with that scope or the deployment's token, or let a person decide, with a JWT or in Slack.`;
  if (!agent)
    return `The agent ${name} is no longer deployed, so its calls cannot be decided. Cancel the run.`;

  const { deciders, requesterMayDecide, externalsMayDecide } = agent.approvals;
  if (by.slack?.external && !externalsMayDecide && !deciders.includes(by.subject))
    return `People of other organisations may not decide calls of the agent ${name}. Ask a member of the organisation that installed the app.`;
  if (deciders.length > 0 && !isNamedIn(deciders, by))
    return `Calls of the agent ${name} are decided by: ${deciders.join(', ')}.`;
  const requesters = run?.requesters ?? [];
  if (!requesterMayDecide && hasAsked(requesters, by.subject))
    return `You asked for this run, so you may not decide calls of the agent ${name}. Another person must decide.`;
  const { tenant, sessionId } = key;
  const { mayDecide } = agent;
  const tools = new Set(wait.changes ?? [wait.tool]);
  const asked = { by, tenant, sessionId, requesters, ...defined({ grant }) };
  return mayDecide && ![...tools].every((tool) => isAllowed(mayDecide, { ...asked, tool }))
    ? `The mayDecide rule of the agent ${name} does not let you decide this. Ask the people who deploy it who may.`
    : undefined;
}

function whyMayNotAnswer(
  by: Decider,
  { kind }: Pick<Wait, 'kind'>,
  session: Pick<Session, 'run' | 'user'>,
  agent: DecisionRule | undefined,
): string | undefined {
  const answerers = agent?.approvals.answerers ?? [];
  if (kind === 'question' && agent && answerers.length > 0)
    return isNamedIn(answerers, by)
      ? undefined
      : `Questions of the agent ${agent.name} are answered by: ${answerers.join(', ')}.`;
  return takesPart(by, session)
    ? undefined
    : 'Only people who take part in the session may answer its questions.';
}

/**
 * Whether a caller takes part in a session, so that their answer is as good as their message: its owner, everyone whose words its run reads,
 * and those who may write to every session: operators, keys and the deployment's token. A click in Slack comes from the session's own thread.
 * If the run has too many requesters to remember, none of them counts here.
 */
export const takesPart = (by: Decider, { run, user }: Pick<Session, 'run' | 'user'>): boolean =>
  maySeeAll(by) || user === by.subject || (run?.requesters ?? []).includes(by.subject);

function isAllowed(mayDecide: MayDecide, asked: AskedToDecide): boolean {
  try {
    return mayDecide(asked) === true;
  } catch {
    return false;
  }
}
