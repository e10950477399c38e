import type { Task } from '../../shared/agent/define/index.ts';

/** The changes of one call to the list. */
export interface TaskChanges {
  readonly add?: readonly string[];
  readonly start?: readonly number[];
  readonly done?: readonly number[];
  readonly block?: readonly number[];
  readonly why?: string;
  readonly drop?: readonly number[];
}

/**
 * Most open tasks of a list, and most finished ones that stay in it. The list is stored in HEAD, which is written twice
 * a step.
 */
const MAX_OPEN = 40;
const MAX_DONE = 10;
/** Most bytes of a list's JSON. */
const MAX_BYTES = 6_000;

/**
 * The list after a call: new tasks first, then the changes to existing ones. The last few finished tasks stay. Throws,
 * and changes nothing, if a task does not exist, or if the list would be too long. Pure.
 */
export function changed(tasks: readonly Task[], changes: TaskChanges): readonly Task[] {
  const { add = [], start = [], done = [], block = [], drop = [], why } = changes;
  const last = Math.max(0, ...tasks.map(({ id }) => id));
  const all = [...tasks, ...add.map((title, i): Task => ({ id: last + i + 1, title, state: 'open' }))];
  const unknown = [...start, ...done, ...block, ...drop].find((id) => !all.some((task) => task.id === id));
  if (unknown !== undefined)
    throw new Error(`There is no task ${unknown}. Nothing was changed. ${known(tasks)}`);
  const after = all
    .filter(({ id }) => !drop.includes(id))
    .map((task) => moved(task, { start, done, block, why }));
  const tooOld = after.filter(({ state }) => state === 'done').slice(0, -MAX_DONE);
  const kept = after.filter((task) => !tooOld.includes(task));
  const open = kept.filter(({ state }) => state !== 'done').length;
  if (
    add.length > 0 &&
    (open > MAX_OPEN || new TextEncoder().encode(JSON.stringify(kept)).length > MAX_BYTES)
  )
    throw new Error(
      `The list would be too long: it has up to ${MAX_OPEN} open tasks, in ${MAX_BYTES} bytes. Nothing was changed. Put several into one, or finish some first.`,
    );
  return kept;
}

/** If a call makes several changes to a task, the last in this order counts. */
function moved(
  task: Task,
  {
    start,
    done,
    block,
    why,
  }: Required<Pick<TaskChanges, 'start' | 'done' | 'block'>> & Pick<TaskChanges, 'why'>,
): Task {
  const { id, title } = task;
  if (done.includes(id)) return { id, title, state: 'done' };
  if (block.includes(id)) return { id, title, state: 'blocked', ...(why && { why }) };
  return start.includes(id) ? { id, title, state: 'in_progress' } : task;
}

const known = (tasks: readonly Task[]): string =>
  tasks.length === 0 ? 'The list is empty.' : `The tasks are: ${tasks.map(({ id }) => id).join(', ')}.`;
