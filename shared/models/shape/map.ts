import type { Shape } from '../../agent/config/shape.ts';
import type { ShapeWork } from '../../agent/session/shape-work.ts';
import { cameIn, type Decision, fails, noRoom, refusedIn } from './decision.ts';
import { tasksIn } from './items.ts';
import { entryOf, fitted } from './reports.ts';

/** Gives each item of a list to an agent, as many at once as its width and its room allow, and reports all answers in order. */
export function map(
  { agent, width, reportChars }: Extract<Shape, { shape: 'map' }>,
  { said, batches, room, ends }: ShapeWork,
): Decision {
  const tasks = tasksIn(said);
  if (typeof tasks === 'string') return fails('wrong_task', tasks);
  const came = cameIn(batches);
  const open = tasks.flatMap((task, place) => (came.has(place) ? [] : [{ name: agent, task, place }]));
  const refused = refusedIn(batches);
  if (open.length > 0 && !ends && refused === undefined) {
    const most = Math.min(width, room);
    return most > 0 ? { kind: 'ask', asks: open.slice(0, most) } : noRoom();
  }
  const why = refused ?? 'Not done: the run has ended before.';
  const { entries, cut } = fitted(
    tasks.map((_, place) => entryOf(came.get(place), why)),
    reportChars,
  );
  const answered = [...came.values()].filter(({ outcome }) => outcome === 'ok').length;
  const counts = { items: tasks.length, answered, failed: tasks.length - answered, ...(cut > 0 && { cut }) };
  return { kind: 'report', text: JSON.stringify({ ...counts, results: entries }) };
}
