import { isRecord } from '../../plain/merge.ts';
import { targetOf } from '../../session/facts.ts';
import { callsOf } from '../../session/reply.ts';
import type { Session } from '../../session/session.ts';
import type { Slot, ToolCall } from '../../session/slots.ts';
import { tasksIn } from '../../session/tasks.ts';
import { reminders } from '../../texts/reminders.ts';
import { tokensOf } from '../loops/classify.ts';
import { failuresIn } from './evidence.ts';

const MAX_FILES = 5;
const FILE_CHARS = 120;
const MAX_ERRORS = 2;
const MAX_TODOS = 6;
const TODO_CHARS = 100;

/** The words of a recitation: the first and last request, and where the run is. */
export function recite(session: Session, asked: readonly string[], slots: readonly Slot[]): string {
  const calls = callsIn(slots, session.run?.id);
  return reminders.recitation({
    asked,
    todos: tasksLeft(session) ?? todosIn(calls),
    files: filesIn(calls),
    errors: failuresIn(session).slice(-MAX_ERRORS),
  });
}

type Todos = { readonly done: number; readonly open: readonly string[] };

/** The calls of a run, as far as the context has them. */
const callsIn = (slots: readonly Slot[], runId: string | undefined): ToolCall[] =>
  slots.flatMap((slot) =>
    slot.kind === 'model' && slot.reply && slot.runId === runId ? callsOf(slot.reply) : [],
  );

const filesIn = (calls: readonly ToolCall[]): string[] =>
  [...new Set(calls.flatMap((call) => targetOf(call)?.slice(0, FILE_CHARS) ?? []).toReversed())].slice(
    0,
    MAX_FILES,
  );

/** The open tasks of the session's own list. */
function tasksLeft(session: Session): Todos | undefined {
  const tasks = tasksIn(session);
  if (tasks.length === 0) return undefined;
  const open = tasks.filter(({ state }) => state !== 'done').map(({ title }) => title.slice(0, TODO_CHARS));
  return { done: tasks.length - open.length, open: open.slice(0, MAX_TODOS) };
}

/** The open items of the list that the model keeps with a tool of such a name, as last written. */
function todosIn(calls: readonly ToolCall[]): Todos | undefined {
  const written = calls.findLast(({ name }) => tokensOf(name).some((token) => LISTS.has(token)));
  const items = isRecord(written?.input) ? Object.values(written.input).find(Array.isArray) : undefined;
  if (!items) return undefined;
  const open = items.filter((item) => !isDone(item)).flatMap((item) => wordsOf(item) ?? []);
  return { done: items.length - open.length, open: open.slice(0, MAX_TODOS) };
}

const LISTS = new Set(['todo', 'todos', 'plan', 'checklist']);
const DONE = /^(?:done|completed?|finished|closed|cancel+ed|true)$/i;

const isDone = (item: unknown): boolean =>
  isRecord(item) &&
  [item.status, item.state, item.done, item.completed].some((said) => DONE.test(String(said)));

function wordsOf(item: unknown): string | undefined {
  const text = isRecord(item)
    ? (item.content ?? item.title ?? item.text ?? item.step ?? item.task ?? item.description)
    : item;
  return typeof text === 'string' ? text.replace(/\s+/g, ' ').trim().slice(0, TODO_CHARS) : undefined;
}
