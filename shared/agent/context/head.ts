import type { Fold } from '../session/fold.ts';
import type { InputTurn, Slot } from '../session/slots.ts';
import { texts } from '../texts.ts';
import type { Asked } from './asked.ts';
import { foldAt } from './folded.ts';
import { workLogText } from './work-log.ts';

/** Characters of the first message, and of the newest ones that are left out, that a head has word for word. */
const TASK_CHARS = 8_000;
const SAID_CHARS = 4_000;

type Drafted = Pick<Fold, 'start' | 'clearedBelow' | 'left' | 'log'>;

/**
 * What a folded context begins with, as internal turns of the fold's slot: the first message, the summary, or what was left out and
 * done, and what people said last of all that is left out. What the head before had and nothing replaces is carried on.
 *
 * @param summary absent when none was bought
 */
export function headOf(asked: Asked, fold: Drafted, summary?: string): readonly InputTurn[] {
  const { slots, session, pinned } = asked;
  const before = foldAt(slots, session.fold?.slot)?.head ?? [];
  const left = slots.filter(({ n }) => n < fold.start);
  const said = saidIn(left);
  const { strategy } = pinned.guardrails.context;
  const task = before.filter(isPart('fold_task'));
  const first = task.length > 0 ? undefined : said[0];
  const later = first === undefined ? said : said.slice(1);
  return [
    ...task,
    ...(first === undefined ? [] : [part('fold_task', wordForWord(first, TASK_CHARS, texts.firstTask))]),
    ...(summary === undefined
      ? before.filter(isPart('fold_summary'))
      : [part('fold_summary', texts.summaryOf(summary))]),
    ...noteOf(asked, fold, summary !== undefined),
    ...(byItsSource(strategy) ? [] : newest([...before.filter(isPart('fold_said')), ...later.map(asSaid)])),
  ];
}

/** What is left out, what was done in it, and that results are cleared. */
function noteOf({ pinned }: Asked, { left, log, start, clearedBelow }: Drafted, summed: boolean) {
  const { strategy, workLogTokens } = pinned.guardrails.context;
  if (strategy === 'sliding_window') return notes(left.messages > 0 && texts.leftOutShort(left.messages));
  if (strategy === 'compact') return notes(left.messages > 0 && texts.leftOut(left.messages, left.tokens));
  const lines = log && !summed ? workLogText(log, workLogTokens) : '';
  const marker = left.messages > 0 && texts.leftOut(left.messages, left.tokens);
  return notes(
    marker && lines ? `${marker} ${texts.workLog(lines)}` : marker,
    clearedBelow > start && texts.resultsCleared,
  );
}

const notes = (...said: readonly (string | false)[]): InputTurn[] =>
  said.flatMap((text) => (text ? [part('fold', text)] : []));

/** The newest messages that fit, one at least. */
function newest(said: readonly InputTurn[]): InputTurn[] {
  let room = SAID_CHARS;
  const from = said.findLastIndex(({ text }) => {
    room -= text.length;
    return room < 0;
  });
  return said.slice(Math.min(from + 1, Math.max(0, said.length - 1)));
}

/** What people have said, in order. */
const saidIn = (slots: readonly Slot[]): string[] =>
  slots.flatMap((slot) =>
    slot.kind === 'model' ? slot.input.flatMap(({ text, internal }) => (internal ? [] : [text])) : [],
  );

const asSaid = (text: string): InputTurn => part('fold_said', wordForWord(text, SAID_CHARS, texts.saidSince));

function wordForWord(text: string, most: number, say: (said: string, leftOut: number) => string): string {
  const shown = text.slice(0, most).toWellFormed();
  return say(shown, text.length - shown.length);
}

/** A5 and A6 say nothing but what is left out. */
const byItsSource = (strategy: Asked['pinned']['guardrails']['context']['strategy']): boolean =>
  strategy === 'sliding_window' || strategy === 'compact';

type Part = 'fold' | 'fold_task' | 'fold_summary' | 'fold_said';

const part = (reason: Part, text: string): InputTurn => ({ text, internal: { reason } });

const isPart =
  (reason: Part) =>
  ({ internal }: InputTurn): boolean =>
    internal?.reason === reason;
