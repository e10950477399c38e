import type { Slices } from './verdict.ts';

/** A task of a session's list. */
export interface Task {
  /** From 1, and unique in the list. */
  readonly id: number;
  readonly title: string;
  readonly state: 'open' | 'in_progress' | 'blocked' | 'done';
  /** The reason why a blocked task waits. */
  readonly why?: string;
}

/** How many tasks are not done. Blocked ones count as pending. */
export interface OpenTasks {
  readonly pending: number;
  readonly inProgress: number;
  readonly blocked: number;
}

/** The name of the guard whose state has the list. */
export const TASKS = 'tasks';

/** The part of a session that its guards know. */
interface HasState {
  readonly metadata: { readonly guardrails: Slices };
}

/** The tasks of a session, as its committed state has them. */
export const tasksIn = ({ metadata }: HasState): readonly Task[] => {
  const { list = [] } = (metadata.guardrails[TASKS] ?? {}) as { readonly list?: readonly Task[] };
  return list;
};

/** The remaining tasks of a list; undefined if there are none. */
export function openOf(tasks: readonly Task[]): OpenTasks | undefined {
  const count = (state: Task['state']) => tasks.filter((task) => task.state === state).length;
  const [open, inProgress, blocked] = [count('open'), count('in_progress'), count('blocked')];
  return open + inProgress + blocked > 0 ? { pending: open + blocked, inProgress, blocked } : undefined;
}
