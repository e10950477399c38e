import { MAX_ITEMS } from '../../agent/config/shape.ts';
import { isRecord } from '../../agent/plain/merge.ts';

/** The list of a map, and what is to be done with each item. */
interface List {
  readonly items: readonly string[];
  /** Stands before each item; absent if an item says everything. */
  readonly task?: string;
}

/**
 * The tasks of a map's agents: from `{ "items": […], "task": "…" }`, from a JSON array, or from a text with one item a line. Further
 * messages add items. A sentence if there are none, or too many.
 */
export function tasksIn(said: readonly string[]): readonly string[] | string {
  const tasks = said.map(listIn).flatMap(({ items, task }) => {
    const some = items.map((item) => item.trim()).filter((item) => item !== '');
    return task === undefined ? some : some.map((item) => `${task}\n\n${item}`);
  });
  if (tasks.length === 0) return 'the task has no items: send a JSON array, or one item a line.';
  if (tasks.length > MAX_ITEMS)
    return `the task has ${tasks.length} items, and a map takes ${MAX_ITEMS}: send them in several parts.`;
  return tasks;
}

function listIn(text: string): List {
  const value = jsonIn(text);
  if (Array.isArray(value)) return { items: value.map(itemOf) };
  if (!isRecord(value) || !Array.isArray(value.items)) return { items: text.split('\n') };
  const { items, task } = value;
  return { items: items.map(itemOf), ...(typeof task === 'string' && task.trim() !== '' && { task }) };
}

/** An item that is not a text is given as JSON. */
const itemOf = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item));

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
