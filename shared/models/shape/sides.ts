import type { Shape } from '../../agent/config/shape.ts';
import type { ShapeWork } from '../../agent/session/shape-work.ts';
import { type Came, cameIn, type Decision, fails, noRoom, refusedIn } from './decision.ts';
import { cutTo, entryOf, fitted } from './reports.ts';

/** Characters of one task: those of a message. */
export const MAX_TASK = 100_000;

/** The task of agents that all do the same. */
export const taskOf = ({ said }: Pick<ShapeWork, 'said'>): string => cutTo(said.join('\n\n'), MAX_TASK);

/** Agents that are given the same task, in several replies if there is no room for all; undefined once each was asked. */
export function askAll(
  agents: readonly string[],
  width: number,
  work: ShapeWork,
  came: ReadonlyMap<number, Came>,
): Decision | undefined {
  const open = agents.flatMap((name, place) =>
    came.has(place) ? [] : [{ name, task: taskOf(work), place }],
  );
  if (open.length === 0 || work.ends || refusedIn(work.batches) !== undefined) return undefined;
  const most = Math.min(width, work.room);
  return most > 0 ? { kind: 'ask', asks: open.slice(0, most) } : noRoom();
}

/** Gives the same task to each agent, and reports the answers by name. */
export function parallel(
  { agents, width, reportChars }: Extract<Shape, { shape: 'parallel' }>,
  work: ShapeWork,
): Decision {
  const came = cameIn(work.batches);
  const asks = askAll(agents, width, work, came);
  if (asks) return asks;
  const why = refusedIn(work.batches) ?? 'Not done: the run has ended before.';
  const { entries } = fitted(
    agents.map((_, place) => entryOf(came.get(place), why)),
    reportChars,
  );
  return {
    kind: 'report',
    text: JSON.stringify(Object.fromEntries(agents.map((name, i) => [name, entries[i]]))),
  };
}

/** Gives the same task to each agent. The first good answer is the report; the batch machine stops the others. */
export function race({ agents, width }: Extract<Shape, { shape: 'race' }>, work: ShapeWork): Decision {
  const came = cameIn(work.batches);
  const winner = work.batches.flat().find(({ outcome }) => outcome === 'ok');
  if (winner) return { kind: 'report', text: winner.content };
  const asks = askAll(agents, width, work, came);
  return asks ?? fails('no_answer', `no agent has given an answer. ${errorsOf(agents, came)}`);
}

/** Characters of the errors in a message to people. */
const MAX_ERRORS = 2_000;

/** How each agent has failed. */
export const errorsOf = (agents: readonly string[], came: ReadonlyMap<number, Came>): string =>
  cutTo(
    agents.map((name, place) => `${name}: ${came.get(place)?.content ?? 'not asked.'}`).join(' '),
    MAX_ERRORS,
  );
