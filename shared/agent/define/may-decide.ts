import type { Approvals } from '../config/approvals.ts';
import type { NewGrant } from '../session/leave.ts';
import { hasAsked } from '../session/requesters.ts';
import type { Session } from '../session/session.ts';
import { isApproved, type Wait } from '../session/waits.ts';

/** Who wants to decide, as the edge has verified it. */
export interface Decider {
  /** For records: `user:<sub>`, `key:<keyId>`, `slack:<workspace>:<user>`, or `operator`. */
  readonly subject: string;
  /** How it was verified: a JWT, an API key, the deployment's token, or a click that Slack has signed. */
  readonly kind: 'jwt' | 'key' | 'token' | 'slack';
  /** Of a JWT. */
  readonly roles?: readonly string[];
  /** What its API key may do beside the ordinary. */
  readonly scopes?: readonly string[];
  /** Of a click. */
  readonly slack?: ClickedBy;
}

/** Who has clicked in Slack, and where. Ids are Slack's. */
export interface ClickedBy {
  /** The workspace that has installed the app, whose channel it is. */
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  /**
   * The user's own workspace, or their organisation (`E…`) when Slack says no more: `team` for people of the organisation that
   * has installed the app. The user's subject is `slack:<userTeam>:<user>`.
   */
  readonly userTeam: string;
  /** The user is of another organisation, which shares the channel (Slack Connect), or of one that Slack does not name. */
  readonly external: boolean;
  /** Whether the channel is shared with another organisation, as far as its messages have said. */
  readonly shared?: boolean | undefined;
}

/** What an agent's own rule is asked about. */
export interface AskedToDecide {
  readonly by: Decider;
  readonly tenant: string;
  readonly sessionId: string;
  readonly tool: string;
  /** Subjects of those whose messages the run has read: who asked for it. */
  readonly requesters: readonly string[];
  /** What they allow beyond this call, if anything (docs/leave.md). */
  readonly grant?: NewGrant;
}

/** An agent's own rule: false refuses. It is asked last, so it can only be stricter. One that throws refuses too. */
export type MayDecide = (asked: AskedToDecide) => boolean;

/** What an agent says of who decides. */
export interface DecisionRule {
  readonly name: string;
  readonly approvals: Pick<Approvals, 'deciders' | 'requesterMayDecide' | 'externalsMayDecide'>;
  readonly mayDecide?: MayDecide | undefined;
}

/** The scope that an API key needs. */
export const DECIDE_SCOPE = 'decide';

/**
 * Why somebody may not decide what a run waits for, as a sentence that says who may; undefined when they may. The one
 * rule for every way in. Pure.
 *
 * Of a plan each tool is asked about whose calls are decided on: its `changes`.
 *
 * A question may be answered by whoever may write to the session, since a message answers it too. An approval needs
 * a person, or a machine whose key was minted for it, and then whatever the agent says beyond that.
 *
 * @param agent as it is deployed now: a rule that was made stricter counts at once
 */
export function whyMayNotDecide(
  by: Decider,
  wait: Pick<Wait, 'kind' | 'tool' | 'changes'>,
  { key, agent: name, run }: Pick<Session, 'key' | 'agent' | 'run'>,
  agent: DecisionRule | undefined,
  grant?: NewGrant,
): string | undefined {
  if (!isApproved(wait.kind)) return undefined;
  if (by.kind === 'key' && !by.scopes?.includes(DECIDE_SCOPE))
    return `An API key decides only when it was minted with the scope "${DECIDE_SCOPE}". A person may decide, with a JWT or in Slack, and the deployment's token.`;
  if (!agent)
    return `The agent ${name} is not deployed any more, so nobody may decide for it. Cancel the run.`;

  const { deciders, requesterMayDecide, externalsMayDecide } = agent.approvals;
  if (by.slack?.external && !externalsMayDecide && !deciders.includes(by.subject))
    return `Calls of the agent ${name} are not decided by people of other organisations. Ask somebody of the one that has installed the app.`;
  if (deciders.length > 0 && !deciders.some((one) => isMeant(one, by)))
    return `Calls of the agent ${name} are decided by: ${deciders.join(', ')}.`;
  const requesters = run?.requesters ?? [];
  if (!requesterMayDecide && hasAsked(requesters, by.subject))
    return `Calls of the agent ${name} are not decided by who has asked for the run. Somebody else must decide.`;
  const { tenant, sessionId } = key;
  const { mayDecide } = agent;
  const tools = new Set(wait.changes ?? [wait.tool]);
  const asked = { by, tenant, sessionId, requesters, ...(grant && { grant }) };
  return mayDecide && ![...tools].every((tool) => isAllowed(mayDecide, { ...asked, tool }))
    ? `The rule of the agent ${name} (mayDecide) does not let you decide this. Ask those who deploy it who may.`
    : undefined;
}

const isMeant = (one: string, { subject, roles = [] }: Decider): boolean =>
  one === subject || roles.some((role) => one === `role:${role}`);

function isAllowed(mayDecide: MayDecide, asked: AskedToDecide): boolean {
  try {
    return mayDecide(asked) === true;
  } catch {
    return false;
  }
}
