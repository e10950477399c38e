import type { Shape } from '../../agent/config/shape.ts';
import type { ShapeWork } from '../../agent/session/shape-work.ts';
import { type Came, cameIn, type Decision, fails, noRoom, refusedIn } from './decision.ts';
import { cutTo } from './reports.ts';
import { askAll, errorsOf, MAX_TASK, taskOf } from './sides.ts';

/** Characters of a task that words around its parts may take. */
const AROUND = 2_000;

/** Gives the task to each agent in turn, from the second on with the answer of the one before. The last answer is the report. */
export function pipeline({ agents }: Extract<Shape, { shape: 'pipeline' }>, work: ShapeWork): Decision {
  const came = cameIn(work.batches);
  const place = agents.findIndex((_, i) => came.get(i)?.outcome !== 'ok');
  const before = came.get(place === -1 ? agents.length - 1 : place - 1);
  if (place === -1) return { kind: 'report', text: before?.content ?? '' };
  const name = agents[place] ?? '';
  const failed = came.get(place);
  if (failed) return fails('stage_failed', `${name} has not done its part. ${cutTo(failed.content, AROUND)}`);
  if (work.ends) return fails('ended', `the run has ended before ${name} had begun.`);
  if (work.room === 0) return noRoom();
  return { kind: 'ask', asks: [{ name, task: before ? following(work, before) : taskOf(work), place }] };
}

const following = (work: ShapeWork, { name, content }: Came): string => {
  const task = cutTo(taskOf(work), (MAX_TASK - AROUND) / 2);
  return `${task}\n\n[The answer of ${name}, which has worked on this before you]\n${cutTo(content, MAX_TASK - AROUND - task.length)}`;
};

/** Has several answers given to one task, and an agent choose among them. Its answer is the report. */
export function vote(
  { agent, n, judge, width }: Extract<Shape, { shape: 'vote' }>,
  work: ShapeWork,
): Decision {
  const came = cameIn(work.batches);
  const agents = Array.from({ length: n }, () => agent);
  const asks = came.has(n) ? undefined : askAll(agents, width, work, came);
  if (asks) return asks;
  const chosen = came.get(n);
  if (chosen?.outcome === 'ok') return { kind: 'report', text: chosen.content };
  if (chosen) return fails('no_choice', `${judge} has not chosen. ${cutTo(chosen.content, AROUND)}`);
  const answers = agents.flatMap((_, place) => {
    const one = came.get(place);
    return one?.outcome === 'ok' ? [one.content] : [];
  });
  if (answers.length === 0) return fails('no_answer', `no answer was given. ${errorsOf(agents, came)}`);
  if (work.ends || refusedIn(work.batches) !== undefined)
    return fails('ended', `the run has ended before ${judge} had chosen.`);
  if (work.room === 0) return noRoom();
  return { kind: 'ask', asks: [{ name: judge, task: choosing(work, answers), place: n }] };
}

function choosing(work: ShapeWork, answers: readonly string[]): string {
  const task = cutTo(taskOf(work), MAX_TASK / 4);
  const each = Math.floor((MAX_TASK - AROUND - task.length) / answers.length) - 100;
  const shown = answers.map((answer, i) => `[Answer ${i + 1}]\n${cutTo(answer, each)}`);
  return `[The task]\n${task}\n\n${shown.join('\n\n')}\n\nThese are ${answers.length} answers to the task, each written without knowledge of the others. Answer the task: choose the best of them, or put the best parts together.`;
}
