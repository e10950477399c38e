/** A run's tasks and calls as task cards (docs.slack.dev, "Task card block"). Pure. */

import { hash } from '../agent/plain/hash.ts';
import type { TaskInfo } from '../contract/events.ts';
import { clipped, count } from './kit.ts';

export interface StoryCard {
  readonly id: string;
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'complete' | 'error';
}

/** How a run has ended, or been interrupted. */
export type EndingKind = 'done' | 'cancelled' | 'waiting' | 'failed';

/** A call, as the log has told it. */
export interface ToldCall {
  readonly name: string;
  readonly done: boolean;
  readonly failed?: boolean;
  /** Its attempt died, so it may never end. */
  readonly dropped?: boolean;
}

/** Tasks and calls that have cards of their own: fewer than the 50 of a plan (docs.slack.dev, "Plan block"), and always the first ones. */
const MOST_TASKS = 20;
const MOST_CALLS = 24;
/** Characters of a title (docs.slack.dev, chat.appendStream, "task_update chunks": 256). */
const TITLE = 200;

const taskStatus = {
  open: 'pending',
  blocked: 'pending',
  in_progress: 'in_progress',
  done: 'complete',
} as const;

/** The cards, in an order that only grows: a stream cannot remove one. */
export function cardsOf(
  tasks: readonly TaskInfo[],
  calls: ReadonlyMap<string, ToldCall>,
  ending: EndingKind | undefined,
): StoryCard[] {
  const all = [...calls].map(([id, call]) => ({
    id: hash(id, 12),
    title: clipped(call.name, TITLE),
    status: callStatus(call, ending),
  }));
  const more = all.slice(MOST_CALLS);
  return [
    ...tasks.slice(0, MOST_TASKS).map(({ id, title, state }) => ({
      id: `task-${id}`,
      title: clipped(title.replaceAll(/\s+/g, ' ').trim(), TITLE) || 'A task',
      status: taskStatus[state],
    })),
    ...all.slice(0, MOST_CALLS),
    ...(more.length > 0
      ? [
          {
            id: 'more',
            title: `And ${count(more.length, 'more call')}`,
            status: more.some(({ status }) => status === 'in_progress')
              ? ('in_progress' as const)
              : ('complete' as const),
          },
        ]
      : []),
  ];
}

function callStatus(
  { done, failed, dropped }: ToldCall,
  ending: EndingKind | undefined,
): StoryCard['status'] {
  if (done) return failed ? 'error' : 'complete';
  if (ending === 'waiting') return 'pending';
  return ending || dropped ? 'error' : 'in_progress';
}

/** The title above the cards. */
export function planTitle(ending: EndingKind | undefined): string {
  switch (ending) {
    case undefined:
      return 'Working';
    case 'done':
      return 'Done';
    case 'cancelled':
      return 'Stopped';
    case 'waiting':
      return 'Waiting for an answer';
    case 'failed':
      return 'Failed';
    default:
      return ending satisfies never;
  }
}
