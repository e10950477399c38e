import type * as z from 'zod';
import type { Tasks } from '../../config/replies.ts';
import { taskLines } from '../../plain/task-lines.ts';
import { openOf, TASKS, type Task } from '../../session/tasks.ts';
import { gateTexts } from '../../texts/gates.ts';
import { builtIn } from '../guard-codes.ts';

type State = {
  /** The session's tasks, in order, as calls have left them. */
  list: readonly (Task & { readonly [key: string]: string | number })[];
  /** Answers in a row that were sent back. */
  nudges: number;
};

const overBudget = {
  kind: 'halt',
  state: 'budget_exceeded',
  reason: 'token_budget',
  code: 'open_tasks_over_budget',
} as const;

/**
 * Keeps the list of a session's tasks, and sends an answer back while one of them can be continued. A task that is in progress
 * when the model answers has no worker any more, so it is continued first.
 */
export const tasksGuard = ({ maxNudges, onForcedText }: z.output<typeof Tasks>) =>
  builtIn<'tasks', State>({
    name: TASKS,
    scope: 'session',
    initial: { list: [], nudges: 0 },
    hooks: {
      inject: (state, { said }) =>
        said.length > 0 && state.nudges > 0 ? { state: { ...state, nudges: 0 } } : undefined,
      result: (_, { result }) =>
        result.tasks && { state: { list: result.tasks as State['list'], nudges: 0 } },
      complete: (state, { textOnly, textOnlyFor }) => {
        const left = openOf(state.list);
        if (!left || maxNudges === 0) return undefined;
        const message = gateTexts.openTasks(left);
        if (textOnlyFor === 'force_text' && onForcedText === 'fail')
          return { verdict: { ...overBudget, message } };
        if (textOnly)
          return { verdict: { kind: 'flag', code: 'open_tasks_left', reason: 'completed', message } };
        const next =
          state.list.find((task) => task.state === 'in_progress') ??
          state.list.find((task) => task.state === 'open');
        if (!next || state.nudges >= maxNudges) {
          return {
            verdict: { kind: 'halt', state: 'error', reason: 'open_tasks', code: 'open_tasks', message },
          };
        }
        const open = state.list.filter((task) => task.state !== 'done');
        return {
          state: { ...state, nudges: state.nudges + 1 },
          verdict: {
            kind: 'nudge',
            code: 'next_task',
            text: gateTexts.nextTask(next, taskLines(open)),
            metadata: { count: open.length },
          },
        };
      },
    },
  });
