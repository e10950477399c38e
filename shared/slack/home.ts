/** The App Home of one person: their sessions, those that wait for people first. */

import type { SessionView } from '../agent/ports/sessions.ts';
import { isApproved } from '../agent/session/waits.ts';
import type { State } from '../contract/session.ts';
import { action } from './blocks.ts';
import { escapeMrkdwn } from './escape.ts';
import { button, clipped, context, count, header, section } from './kit.ts';
import type { Block } from './outgoing.ts';
import { isGoing, openAsks } from './words.ts';

/** The groups, in order, with their headings. */
const groups = { waiting: 'Waiting for people', open: 'At work', over: 'Earlier' } as const;

/**
 * How a session stands, in words. They do not say what is asked: the person may have left the channel in which it is asked since, and
 * finds it in the thread otherwise.
 */
export interface Standing {
  readonly group: keyof typeof groups;
  readonly words: string;
}

/** One of the person's sessions. */
export interface HomeEntry {
  readonly title: string;
  readonly standing: Standing;
  /** Epoch ms of the person's last words in it. */
  readonly at: number;
  readonly link?: string;
  /** Present while the session can be stopped. */
  readonly sessionId?: string;
}

const words: Readonly<Record<State, string>> = {
  idle: 'about to begin',
  running: 'at work',
  waiting_for_tool: 'waits for a result',
  waiting_for_input: 'waits for an answer',
  completed: 'done',
  cancelled: 'stopped',
  error: 'failed',
  timed_out: 'stopped after its time limit',
  max_steps: 'stopped after its limit of steps',
  budget_exceeded: 'stopped at its budget',
};

/** How a session stands at `now` (epoch ms). */
export function standingOf(view: SessionView, now: number): Standing {
  const { state } = view.session;
  if (!isGoing(view)) return { group: 'over', words: words[state] };
  const asks = view.dueAt === undefined ? openAsks(view, now) : [];
  const approvals = asks.filter(({ kind }) => isApproved(kind)).length;
  const questions = asks.filter(({ kind }) => kind === 'question').length;
  const what = [
    ...(approvals > 0 ? [count(approvals, 'approval')] : []),
    ...(questions > 0 ? [count(questions, 'answer')] : []),
  ];
  if (what.length > 0) return { group: 'waiting', words: `waits for ${what.join(' and ')}` };
  return { group: 'open', words: view.dueAt === undefined ? words[state] : words.running };
}

/**
 * The view (at most 100 blocks, docs.slack.dev, views.publish; ours are one for each session, and a few).
 *
 * @param more sessions that are not among the entries
 * @param notice mrkdwn that stands at the top
 */
export function home(entries: readonly HomeEntry[], more = 0, notice?: string): Block {
  const listed = (Object.keys(groups) as Standing['group'][]).flatMap((group): Block[] => {
    const own = entries.filter(({ standing }) => standing.group === group).sort((a, b) => b.at - a.at);
    return own.length > 0 ? [header(groups[group]), ...own.map(lineOf)] : [];
  });
  const none = section('No sessions yet. Mention me in a channel, or write to me in _Messages_.');
  return {
    type: 'home',
    blocks: [
      ...(notice ? [context(notice)] : []),
      ...(listed.length > 0 ? listed : [none]),
      ...(more > 0 ? [context(`And ${count(more, 'earlier session')}, in their threads.`)] : []),
    ],
  };
}

function lineOf({ title, standing, at, link, sessionId }: HomeEntry): Block {
  const name = escapeMrkdwn(clipped(title.replaceAll(/\s+/g, ' '), 120)).replaceAll('|', '¦') || 'A session';
  const when = `<!date^${Math.floor(at / 1000)}^{date_short_pretty} {time}|${new Date(at).toISOString()}>`;
  const line = section(`${link ? `<${link}|${name}>` : name}\n${standing.words} · ${when}`);
  return sessionId
    ? { ...line, accessory: button('Stop', action.stop, `session:${sessionId}`, 'danger') }
    : line;
}
