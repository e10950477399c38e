import { taskLines } from '../plain/task-lines.ts';
import type { Fold } from '../session/fold.ts';
import type { InputTurn, Slot } from '../session/slots.ts';
import { tasksIn } from '../session/tasks.ts';
import { texts } from '../texts.ts';
import { type Asked, saidIn } from './asked.ts';
import { foldAt } from './folded.ts';
import { limitOf } from './size.ts';
import { foldTexts } from './texts.ts';
import { workLogText } from './work-log.ts';

/**
 * What a head has word for word: characters of the first message, and of the newest ones that are left out. Where the window is
 * small, they are a share of what a request may have, so that there is room for the rest.
 */
const TASK = { chars: 8_000, share: 0.25 };
const SAID = { chars: 4_000, share: 0.1 };
/** A5, A6: the first message is all that the head has. */
const ONLY_TASK = { ...TASK, share: 0.5 };
/** The same of the list of what was done. */
const LOG_SHARE = 0.1;

type Drafted = Pick<Fold, 'start' | 'clearedBelow' | 'left' | 'log'>;

/**
 * What a folded context begins with, as internal turns of the fold's slot: the first message, the summary, or what was left out and
 * done, the tasks that are open, and what people said last of all that is left out. What the head before had and nothing replaces is carried on.
 *
 * @param summary absent when none was bought
 */
export function headOf(asked: Asked, fold: Drafted, summary?: string): readonly InputTurn[] {
  const { slots, session, pinned } = asked;
  const limit = limitOf(pinned, session.run?.fallback);
  const before = foldAt(slots, session.fold?.slot)?.head ?? [];
  const task = before.filter(isPart('fold_task'));
  const said = peopleIn(saidIn(asked).filter(({ n }) => n < fold.start));
  const later = task.length > 0 ? said : said.slice(1);
  const bySource = byItsSource(asked);
  return [
    ...(task.length > 0 ? task : said.slice(0, 1).map((text) => asTask(text, limit, bySource))),
    ...(summary === undefined
      ? before.filter(isPart('fold_summary'))
      : [part('fold_summary', foldTexts.summaryOf(summary))]),
    ...noteOf(asked, fold, limit, summary !== undefined),
    ...tasksOf(asked),
    ...(bySource ? [] : newest([...before.filter(isPart('fold_said')), ...later], charsOf(SAID, limit))),
  ];
}

const charsOf = ({ chars, share }: typeof TASK, limit: number): number =>
  Math.min(chars, Math.floor(share * limit * 4));

/** What is left out, what was done in it, and that results are cleared. */
function noteOf(
  { pinned }: Asked,
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

/** What is left of the session's list of tasks: nothing that is left out says it any more (T32). */
function tasksOf({ session }: Asked): InputTurn[] {
  const open = tasksIn(session).filter(({ state }) => state !== 'done');
  return open.length > 0 ? [part('fold_tasks', foldTexts.tasks(taskLines(open)))] : [];
}

const notes = (...said: readonly (string | false)[]): InputTurn[] =>
  said.flatMap((text) => (text ? [part('fold', text)] : []));

/** The newest messages that fit, one at least: those that are in the head already as they are. */
function newest(said: readonly (InputTurn | string)[], most: number): InputTurn[] {
  const turns = said.map((one) => (typeof one === 'string' ? asSaid(one, most) : one));
  let room = most;
  const from = turns.findLastIndex(({ text }) => {
    room -= text.length;
    return room < 0;
  });
  return turns.slice(Math.min(from + 1, Math.max(0, turns.length - 1)));
}

/** What people have said, in order. */
const peopleIn = (slots: readonly Slot[]): string[] =>
  slots.flatMap((slot) =>
    slot.kind === 'model' ? slot.input.flatMap((turn) => (turn.internal ? [] : [wordsOf(turn)])) : [],
  );

/** What was said, and the names of what was sent: files are still there, and what was shown is not. */
const wordsOf = ({ text, attachments = [] }: InputTurn): string =>
  [
    ...(text === '' ? [] : [text]),
    ...attachments.map((one) =>
      one.as === 'file' ? texts.attached(one) : texts.notShown(one, foldTexts.noRoom),
    ),
  ].join('\n');

/** Under A5 and A6 the first message is kept as it is. */
function asTask(text: string, limit: number, bySource: boolean): InputTurn {
  const most = charsOf(bySource ? ONLY_TASK : TASK, limit);
  return part(
    'fold_task',
    bySource && text.length <= most ? text : wordForWord(text, most, foldTexts.firstTask),
  );
}

const asSaid = (text: string, most: number): InputTurn =>
  part('fold_said', wordForWord(text, most, foldTexts.saidSince));

function wordForWord(text: string, most: number, say: (said: string, leftOut: number) => string): string {
  const shown = text.slice(0, most).toWellFormed();
  return say(shown, text.length - shown.length);
}

/** A5 and A6 say nothing but what is left out. */
const byItsSource = ({ pinned: { guardrails } }: Asked): boolean =>
  guardrails.context.strategy === 'sliding_window' || guardrails.context.strategy === 'compact';

type Part = 'fold' | 'fold_task' | 'fold_tasks' | 'fold_summary' | 'fold_said';

const part = (reason: Part, text: string): InputTurn => ({ text, internal: { reason } });

const isPart =
  (reason: Part) =>
  ({ internal }: InputTurn): boolean =>
    internal?.reason === reason;
