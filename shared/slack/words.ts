/** Answers that need no model: to a mention alone, to one while people are waited for, to "stop". All are mrkdwn. */

import type { DecisionRule } from '../agent/define/may-decide.ts';
import type { SessionView } from '../agent/ports/sessions.ts';
import { type Ask, isApproved, isForPeople, type Wait } from '../agent/session/waits.ts';
import { subjectText } from './asks.ts';
import { escapeMrkdwn } from './escape.ts';
import type { SlackMessage } from './inbound.ts';
import { isDirect } from './place.ts';

/** Where the answer is posted. */
interface Where {
  readonly channel: string;
  /** Whether the channel is shared with another organisation. */
  readonly shared?: boolean | undefined;
  /** Ids of the requests whose buttons stand there. */
  readonly shown: ReadonlySet<string>;
}

/** Asks that are named; more of them are counted. */
const NAMED = 5;
/** Characters of a question that are repeated. */
const QUESTION = 300;

/** Whether a message has no content: a mention alone. A forward is content. */
export const isBare = ({
  text,
  files,
  attached,
}: Pick<SlackMessage, 'text' | 'files' | 'attached'>): boolean =>
  text === '' && files.length === 0 && attached === undefined;

/** Whether a run is in progress, waits, or is about to begin. */
export const isGoing = ({ session, dueAt }: Pick<SessionView, 'session' | 'dueAt'>): boolean =>
  dueAt !== undefined || session.state === 'waiting_for_input' || session.state === 'waiting_for_tool';

/** The requests to people that are not answered yet, with those of sessions below. */
export const openAsks = ({ session: { batch }, fence }: SessionView, now: number): (Wait | Ask)[] => [
  ...(batch?.waits ?? []).filter(
    (wait) => isForPeople(wait) && fence.pending.includes(wait.id) && wait.expiresAt > now,
  ),
  ...(batch?.asks ?? []).filter(({ expiresAt }) => expiresAt > now),
];

/** The answer to a mention alone. */
export function bareText(channel: string, view: SessionView | undefined): string {
  const how = isDirect(channel) ? '' : ', and mention me';
  return view && isGoing(view)
    ? `I am working on this. If there is something I should know, write it here${how}. The word *stop* stops me.`
    : `What can I do for you? Write it here${how}.`;
}

/** The answer in the place of a deleted conversation, until the place may have another one. */
export const goneText =
  'The conversation that was here has been deleted, so I cannot continue it. Start a new thread, or write here again in two hours.';

/**
 * The answer to a mention while people are waited for: what for, and who may decide.
 *
 * @param rule the agent's, as it is deployed; undefined when it is no longer deployed
 * @param kept whether the mention has words: they are read when this is decided
 */
export function waitingText(
  asks: readonly (Wait | Ask)[],
  rule: DecisionRule | undefined,
  where: Where,
  kept: boolean,
): string {
  const how = isDirect(where.channel) ? '' : ', and mention me';
  const approvals = asks.filter(({ kind }) => isApproved(kind));
  const questions = asks.filter(({ kind }) => kind === 'question');
  return [
    ...(approvals.length > 0
      ? [
          `:raised_hand: I am waiting for approval of ${toolsOf(approvals)}. ${decidersText(rule, where)}${buttonsText(rule, approvals, where)}`,
        ]
      : []),
    ...questions
      .slice(0, NAMED)
      .map(
        ({ message }) =>
          `:raised_hand: I am waiting for an answer to this: ${escapeMrkdwn(clipped(message))} ${answerersText(rule) ?? `Write it here${how}.`}`,
      ),
    kept
      ? 'I have kept your message and will read it when this is decided. The word *stop* stops me.'
      : 'The word *stop* stops me.',
  ].join('\n');
}

/** The answer to "stop". A view is undefined when there is no session. */
export function stopText(view: SessionView | undefined, now: number): string {
  if (!view || !isGoing(view)) return 'There is nothing to stop here.';
  const { run } = view.session;
  const asks = openAsks(view, now);
  const approvals = asks.filter(({ kind }) => isApproved(kind));
  const what =
    approvals.length > 0
      ? `${toolsOf(approvals)} will not run, and I am no longer waiting for approval.`
      : asks.length > 0
        ? 'I am no longer waiting for an answer.'
        : run && !run.ended
          ? `I am giving up the current run, after ${count(run.steps, 'step')} and ${count(run.toolCalls, 'tool call')}.`
          : 'I am not starting the next run.';
  const meanwhile = run && !run.ended && view.fence.inbox.length > 0;
  return `:octagonal_sign: Stopping: ${what}${meanwhile ? ' Next I will read the messages that arrived meanwhile.' : ''}`;
}

function decidersText(rule: DecisionRule | undefined, { channel, shared }: Where): string {
  if (!rule) return 'The agent is no longer deployed, so this cannot be decided.';
  const { deciders, requesterMayDecide, externalsMayDecide } = rule.approvals;
  const own = shared && !externalsMayDecide ? ', except people of other organisations' : '';
  const all = isDirect(channel) ? 'you' : `everybody in this channel${own}`;
  const who = deciders.length > 0 ? deciders.map(subjectText).join(', ') : all;
  const but = requesterMayDecide ? '' : ', but not the person who asked for it';
  const far = rule.mayDecide ? ", if the agent's rule allows it" : '';
  return `Approvers: ${who}${but}${far}.`;
}

/** Where the buttons are, as far as it is known. */
function buttonsText(
  rule: DecisionRule | undefined,
  asks: readonly (Wait | Ask)[],
  { shown }: Where,
): string {
  if (!rule) return '';
  const above = asks.filter(({ id }) => shown.has(id)).length;
  if (above === asks.length) return ' The buttons are above.';
  return above > 0
    ? ' Some of the buttons are above; the others are not here yet.'
    : ' The buttons are not here yet.';
}

/** The people who may answer, if the agent names them. */
function answerersText(rule: DecisionRule | undefined): string | undefined {
  const { answerers = [] } = rule?.approvals ?? {};
  return answerers.length > 0 ? `Answers come from: ${answerers.map(subjectText).join(', ')}.` : undefined;
}

function toolsOf(asks: readonly (Wait | Ask)[]): string {
  const names = [...new Set(asks.map(({ tool }) => tool))];
  const named = names.slice(0, NAMED).map((name) => `\`${escapeMrkdwn(name.replaceAll('`', ''))}\``);
  const more = names.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const clipped = (text: string): string =>
  text.length <= QUESTION ? text : `${text.slice(0, QUESTION - 1).toWellFormed()}…`;
