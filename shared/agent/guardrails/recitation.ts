import type { Injections } from '../config/injections.ts';
import { isRecord } from '../plain/merge.ts';
import { targetOf } from '../session/facts.ts';
import { callsOf } from '../session/reply.ts';
import type { Slot, ToolCall } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { tokensOf } from './classify.ts';
import { failuresIn } from './failures.ts';
import { builtIn } from './said.ts';

type State = {
  /** Step of the last recitation; 0 before the first one. */
  readonly last: number;
  /** Steps until the next one. */
  readonly every: number;
  /** Heads of what people have asked for in the run: first, and last. They may have left the context. */
  readonly asked: readonly string[];
};

/** T10: before the size of the context is known. */
const INITIAL = 5;
/** Tokens of context below which each of the configured numbers counts; the fourth is for all that is larger. */
const BELOW = [10_000, 30_000, 60_000] as const;

const GOAL_CHARS = 300;
const MAX_FILES = 5;
const FILE_CHARS = 120;
const MAX_ERRORS = 2;
const MAX_TODOS = 6;
const TODO_CHARS = 100;

/**
 * Tells the model from time to time what it was asked for and where it is, the oftener the more it has read (T10): the task, its
 * list of things to do if it keeps one with a tool, the files that it was at last at, and what has failed.
 *
 * @param every steps between two, by the size of the context; none = it does not
 */
export const recitationGuard = (every: Injections['recitation']) =>
  builtIn<'recitation', State>({
    name: 'recitation',
    scope: 'run',
    initial: { last: 0, every: INITIAL, asked: [] },
    hooks: {
      inject: (state, { session, said, textOnly, context }) => {
        if (every.length === 0) return undefined;
        const asked = said.length > 0 ? withAsked(state.asked, said) : state.asked;
        const step = (session.run?.steps ?? 0) + 1;
        const size = BELOW.findIndex((below) => context.tokens < below);
        const next = { ...state, asked, every: every.at(size) ?? state.every };
        if (textOnly || (state.last > 0 && step - state.last < state.every)) return { state: next };
        const calls = callsIn(context.slots, session.run?.id);
        const text = texts.recitation({
          asked,
          todos: todosIn(calls),
          files: filesIn(calls),
          errors: failuresIn(session).slice(-MAX_ERRORS),
        });
        return {
          state: { ...next, last: step },
          unsaid: next,
          verdict: { kind: 'nudge', code: 'recitation', text, again: true, beside: true },
        };
      },
    },
  });

/** The first message of the run, and the last. */
function withAsked(before: readonly string[], said: readonly string[]): readonly string[] {
  const first = before[0] ?? headOf(said[0]);
  const last = headOf(said.at(-1));
  return first === last ? [first] : [first, last];
}

const headOf = (text = ''): string => oneLine(text).slice(0, GOAL_CHARS);
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The calls of a run, as far as the context has them. */
const callsIn = (slots: readonly Slot[], runId: string | undefined): ToolCall[] =>
  slots.flatMap((slot) =>
    slot.kind === 'model' && slot.reply && slot.runId === runId ? callsOf(slot.reply.content) : [],
  );

const filesIn = (calls: readonly ToolCall[]): string[] =>
  [...new Set(calls.flatMap((call) => targetOf(call)?.slice(0, FILE_CHARS) ?? []).toReversed())].slice(
    0,
    MAX_FILES,
  );

/** What is left of the list that the model keeps with a tool whose name says so, as it wrote it last. */
function todosIn(
  calls: readonly ToolCall[],
): { readonly done: number; readonly open: readonly string[] } | undefined {
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
  return typeof text === 'string' ? oneLine(text).slice(0, TODO_CHARS) : undefined;
}
