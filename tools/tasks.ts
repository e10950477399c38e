import * as z from 'zod';
import { defineTool } from '../shared/agent/define/tool.ts';
import { taskLines } from '../shared/agent/plain/task-lines.ts';
import { argumentsOf, wholeNumber } from './plain/arguments.ts';
import { changed } from './plain/task-list.ts';

/** Most tasks that one call may name, and most characters of a title. */
const MAX_NAMED = 40;
const MAX_TITLE = 120;

/** The resource key of all calls: in a batch they run one after the other. No file has this name. */
const TASKS = 'tasks:';

const line = () => z.string().trim().min(1).max(MAX_TITLE);
const orMore = <T extends z.ZodType>(one: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(one).max(MAX_NAMED)).optional();
const ids = () => orMore(wholeNumber(1, 1_000_000_000));

/**
 * `tasks`: the session's to-do list, which the model maintains and people see. A run whose list has open tasks is not
 * complete: the model is told to continue with the next one.
 */
export const tasks = defineTool({
  name: 'tasks',
  description:
    'Keep the list of what you have to do, where that is several things: add tasks by their titles, start one before you work on it, say when it is done, block it with a reason when you cannot go on with it, drop what is not needed any more. One call may do several of these, by the numbers of the tasks; without arguments it shows the list. People see it. You are not finished while tasks are open.',
  effect: 'idempotent',
  evidence: { tasks: true },
  approval: 'never',
  input: argumentsOf(
    {
      add: orMore(line()).describe('Titles of new tasks, in their order.'),
      start: ids().describe('Numbers of tasks that you begin.'),
      done: ids().describe('Numbers of tasks that are done.'),
      block: ids().describe('Numbers of tasks that cannot go on; say why.'),
      why: line().optional().describe('The reason why tasks are blocked.'),
      drop: ids().describe('Numbers of tasks that are not needed.'),
    },
    {
      add: ['tasks', 'titles', 'create', 'new'],
      start: ['begin', 'in_progress'],
      done: ['complete', 'completed', 'finish', 'finished'],
      block: ['blocked'],
      why: ['reason'],
      drop: ['remove', 'delete', 'cancel'],
    },
  ),
  touches: () => [TASKS],
  run: (changes, { services }) => {
    const before = services.tasks.list();
    if (changes.block && !changes.why)
      throw new Error('Say in "why" what the blocked tasks wait for. Nothing was changed.');
    const after = changed(before, changes);
    services.tasks.keep(after);
    return after.length === 0 ? 'The list is empty.' : taskLines(after);
  },
});
