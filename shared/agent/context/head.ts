import type { SaidContext } from '../config/said.ts';
import { dateIn } from '../plain/moment-text.ts';
import { taskLines } from '../plain/task-lines.ts';
import type { Fold } from '../session/fold.ts';
import type { InputTurn } from '../session/slots.ts';
import { tasksIn } from '../session/tasks.ts';
import { type ContextInputs, saidIn } from './asked.ts';
import { foldAt } from './folded.ts';
import { foundTools } from './found-tools.ts';
import { readSkills } from './read-skills.ts';
import { carriedIn, type Request, requestsIn } from './requests.ts';
import { limitOf } from './size.ts';
import { foldTexts } from './texts.ts';
import { lineOf } from './told.ts';
import { workLogText } from './work-log.ts';

/**
 * Sizes of the parts that a head repeats word for word, in characters: the first message, open messages, and the newest others
 * that are left out. In a small window they are a share of a request's limit, so that there is room for the rest.
 */
const TASK = { chars: 8_000, share: 0.15 };
const OPEN = { chars: 8_000, share: 0.2 };
const SAID = { chars: 4_000, share: 0.1 };
/** Characters of JSON around the text of a block, which count in the estimate of a request. */
const AROUND_TEXT = '{"type":"text","text":""},'.length;
/** The labels around the other messages take part of their room. */
const OVER_LABELS = foldTexts.saidBefore.length + foldTexts.openBelow.length;
/** With `sliding_window` and `compact`, the first message is all that the head has. */
const ONLY_TASK = { chars: 8_000, share: 0.5 };
/** The same for the list of what was done. */
const LOG_SHARE = 0.1;

type Drafted = Pick<Fold, 'start' | 'clearedBelow' | 'left' | 'log'>;

/**
 * The beginning of a folded context, as internal turns of the fold's slot: the first message, then the summary or the notes on
 * what was left out and done, the open tasks, the last finished messages of people, and at the end their open ones. Each message
 * states its outcome. Parts of the previous head that nothing replaces are carried over.
 *
 * @param summary absent if none was bought
 */
export function headOf(asked: ContextInputs, fold: Drafted, summary?: string): readonly InputTurn[] {
  const { slots, session, pinned } = asked;
  const how = pinned.context;
  const limit = limitOf(pinned, session.run?.fallback);
  const before = foldAt(slots, session.fold?.slot)?.head ?? [];
  const [first, ...later] = messagesOf(asked, before).filter(({ n = -1 }) => n < fold.start);
  const summed =
    summary === undefined
      ? before.filter(isPart('fold_summary'))
      : [part('fold_summary', foldTexts.summaryOf(summary))];
  const note = noteOf(asked, fold, limit, summary !== undefined);
  if (byItsSource(asked))
    return [
      ...(first ? [asItIs(first, limit)] : []),
      ...summed,
      ...note,
      ...tasksOf(asked),
      ...foundTools(asked, before, limit),
      ...readSkills(asked, before, fold),
    ];

  const task = first ? [labelled(first, charsOf(TASK, limit), how)] : [];
  const over = newest(later, 'over', charsOf(SAID, limit), how);
  const open = newest(later, 'open', charsOf(OPEN, limit), how);
  return [
    ...(first?.came === 'open' ? [] : task),
    ...summed,
    ...note,
    ...tasksOf(asked),
    ...foundTools(asked, before, limit),
    ...readSkills(asked, before, fold),
    ...(over.length > 0 ? [part('fold', foldTexts.saidBefore), ...over] : []),
    ...(first?.came === 'open' ? task : []),
    ...open,
    ...(first && first.came !== 'open' && open.length === 0 ? [part('fold', foldTexts.openBelow)] : []),
  ];
}

/**
 * The messages of people so far, and their state. If no head repeats the first message, the first one in the context counts as
 * first.
 */
function messagesOf(asked: ContextInputs, before: readonly InputTurn[]): readonly Request[] {
  const slots = saidIn(asked);
  const carried = carriedIn(before, slots);
  const all = requestsIn(slots, carried, asked);
  return carried.length > 0 ? all : all.map((one, i) => (i === 0 ? { ...one, first: true } : one));
}

const charsOf = ({ chars, share }: typeof TASK, limit: number): number =>
  Math.min(chars, Math.floor(share * limit * 4));

/** The notes on messages left out, work done in them, and cleared results. */
function noteOf(
  { pinned }: ContextInputs,
  { left, log, start, clearedBelow }: Drafted,
  limit: number,
  summed: boolean,
): InputTurn[] {
  const { strategy, workLogTokens } = pinned.guardrails.context;
  if (strategy === 'sliding_window') return notes(left.messages > 0 && foldTexts.leftOutShort(left.messages));
  if (strategy === 'compact')
    return notes(left.messages > 0 && foldTexts.leftOut(left.messages, left.tokens));
  const room = Math.min(workLogTokens, Math.floor(LOG_SHARE * limit));
  const lines = log && !summed ? workLogText(log, room) : '';
  const marker = left.messages > 0 && foldTexts.leftOut(left.messages, left.tokens);
  return notes(
    marker && lines ? `${marker} ${foldTexts.workLog(lines)}` : marker,
    clearedBelow > start && foldTexts.resultsCleared,
  );
}

/** The open tasks of the session's list: the calls that set them may be left out. */
function tasksOf({ session }: ContextInputs): InputTurn[] {
  const open = tasksIn(session).filter(({ state }) => state !== 'done');
  return open.length > 0 ? [part('fold_tasks', foldTexts.tasks(taskLines(open)))] : [];
}

const notes = (...said: readonly (string | false)[]): InputTurn[] =>
  said.flatMap((text) => (text ? [part('fold', text)] : []));

/** The newest of these messages that fit, at least one. */
function newest(
  said: readonly Request[],
  which: 'open' | 'over',
  most: number,
  how: SaidContext | undefined,
): InputTurn[] {
  const turns = said
    .filter(({ came }) => (came === 'open') === (which === 'open'))
    .map((one) => labelled(one, most, how));
  let room = most - (which === 'over' ? OVER_LABELS : 0);
  const from = turns.findLastIndex(({ text }) => {
    room -= text.length + AROUND_TEXT;
    return room < 0;
  });
  return turns.slice(Math.min(from + 1, Math.max(0, turns.length - 1)));
}

/** With `sliding_window` and `compact` the first message is kept as it is. */
function asItIs(first: Request, limit: number): InputTurn {
  const most = charsOf(ONLY_TASK, limit);
  if (first.cut || first.words.length > most) return labelled(first, most, undefined);
  return carrying(first, '', first.words);
}

/** A message as a head repeats it: its outcome, and its words as far as there is room. */
function labelled(request: Request, most: number, how: SaidContext | undefined): InputTurn {
  const { came, first, said, answered } = request;
  const shown = request.words.slice(0, most).toWellFormed();
  const cut = (request.cut ?? 0) + request.words.length - shown.length;
  // A label has its own brackets.
  const line = said && how && lineOf(said, how, false)?.slice(1, -1);
  const of = { came, cut, said: line, answered: answered && dateIn(answered) };
  return carrying({ ...request, cut }, (first ? foldTexts.firstTask : foldTexts.saidSince)(of), shown);
}

const carrying = (
  { words: _, n: __, first, cut, ...carried }: Request,
  label: string,
  words: string,
): InputTurn => ({
  text: label + words,
  internal: {
    reason: first ? 'fold_task' : 'fold_said',
    carries: { ...carried, from: label.length, ...(cut && { cut }) },
  },
});

/** `sliding_window` and `compact` only say what is left out. */
const byItsSource = ({ pinned: { guardrails } }: ContextInputs): boolean =>
  guardrails.context.strategy === 'sliding_window' || guardrails.context.strategy === 'compact';

type Part = 'fold' | 'fold_tasks' | 'fold_summary';

const part = (reason: Part, text: string): InputTurn => ({ text, internal: { reason } });

const isPart =
  (reason: Part) =>
  ({ internal }: InputTurn): boolean =>
    internal?.reason === reason;
