import type { Slices } from './verdict.ts';

/** A task of a session's list (T32). */
export interface Task {
  /** From 1, and of no other task of the list. */
  readonly id: number;
  readonly title: string;
  readonly state: 'open' | 'in_progress' | 'blocked' | 'done';
  /** What it waits for. Of one that is blocked. */
  readonly why?: string;
}

/** How many tasks are not done. Those that are blocked are among the pending ones. */
export interface OpenTasks {
  readonly pending: number;
  readonly inProgress: number;
  readonly blocked: number;
}

/** The name of the guard in whose state the list lies. */
export const TASKS = 'tasks';

/** A session, as far as its guards know it. */
interface HasState {
  readonly metadata: { readonly guardrails: Slices };
}

/** The tasks of a session, as its committed state has them. */
export const tasksIn = ({ metadata }: HasState): readonly Task[] => {
  const { list = [] } = (metadata.guardrails[TASKS] ?? {}) as { readonly list?: readonly Task[] };
  return list;
};

/** What is left of a list; undefined when nothing is. */
export function openOf(tasks: readonly Task[]): OpenTasks | undefined {
  const count = (state: Task['state']) => tasks.filter((task) => task.state === state).length;
  const [open, inProgress, blocked] = [count('open'), count('in_progress'), count('blocked')];
  return open + inProgress + blocked > 0 ? { pending: open + blocked, inProgress, blocked } : undefined;
}
