import { defined } from '../plain/defined.ts';
import { localTime } from '../plain/zones.ts';
import type { Carried } from '../session/fold.ts';
import { callsOf } from '../session/reply.ts';
import type { InputTurn, ModelSlot, Slot } from '../session/slots.ts';
import { timingIn } from '../session/timing.ts';
import { texts } from '../texts.ts';
import type { ContextInputs } from './asked.ts';
import { omissionsIn } from './omissions.ts';
import { foldTexts } from './texts.ts';
import { withoutLookAlikes } from './told.ts';

/** A message of a person, and its outcome so far. */
export interface Request extends Carried {
  /** Its words; for a message that an earlier head has cut, the words that are left. */
  readonly words: string;
  /** Whether it is the first of the conversation. */
  readonly first?: true;
  /** Slot in which it came; absent if it comes from the previous head. */
  readonly n?: number;
}

/**
 * The messages of people in the context, in order, after those that the previous head repeats. A message is open until its run
 * ends. It also counts as answered when the model has written its last message about it and a new message comes in the same run.
 * A retried run continues with the messages that were open when the last one ended.
 *
 * @param slots of the context, without folds
 * @param before messages that the head before repeats
 */
export function requestsIn(
  slots: readonly Slot[],
  before: readonly Request[],
  { session, waiting, pinned: { context: how } }: Pick<ContextInputs, 'session' | 'waiting' | 'pinned'>,
): readonly Request[] {
  let all: readonly Request[] = before;
  let run = before.findLast(({ came }) => came === 'open')?.run;
  let isClosed = false;
  let closedAt: number | undefined;
  const settle = (came: 'answered' | 'unanswered') => {
    const tells = came === 'answered' && closedAt !== undefined && how && how.time !== 'off';
    all = all.map((one) =>
      one.came === 'open'
        ? { ...one, came, ...(tells && { answered: localTime(closedAt ?? 0, one.said?.zone ?? how.zone) }) }
        : one,
    );
  };
  const hear = (input: readonly InputTurn[], runId: string | undefined) => {
    const begins = run !== undefined && runId !== undefined && runId !== run && !input.some(triesAgain);
    if (begins) settle(isClosed ? 'answered' : 'unanswered');
    else if (isClosed && input.some(isSaid)) settle('answered');
  };
  // A head that repeated the words of a refused turn would be refused too.
  const omitted = omissionsIn(slots, waiting, session.run?.id);
  for (const slot of slots) {
    if (slot.kind === 'tools') continue;
    hear(slot.input, slot.runId);
    if (omitted.get(slot.n)?.input !== 'all') all = [...all, ...asked(slot)];
    run = slot.runId;
    if (slot.reply) {
      isClosed = hasLastWord(slot);
      closedAt = slot.at ? timingIn(slot.at).startedAt : undefined;
    } else if (slot.input.some(isSaid)) isClosed = false;
  }
  hear(waiting, session.run?.id);
  return all;
}

const asked = ({ input, runId, n }: ModelSlot): Request[] =>
  input.filter(isSaid).map((turn) => ({
    words: wordsOf(turn),
    came: 'open',
    run: runId,
    n,
    ...defined({ said: turn.said }),
  }));

const isSaid = ({ internal }: InputTurn): boolean => !internal;

/** The turn that `retryRun` puts in place of a message. */
const triesAgain = ({ internal }: InputTurn): boolean => internal?.reason === 'retry';

const hasLastWord = ({ reply }: ModelSlot): boolean =>
  reply?.stop === 'end_turn' && callsOf(reply).length === 0;

/** The words of a message, and the names of its attachments: files still exist, and images are no longer shown. */
const wordsOf = ({ text, attachments = [], said }: InputTurn): string =>
  [
    ...(text === '' ? [] : [said ? withoutLookAlikes(text) : text]),
    ...attachments.map((one) =>
      one.as === 'file' ? texts.attached(one) : texts.notShown(one, foldTexts.noRoom),
    ),
  ].join('\n');

/**
 * The messages that a head repeats. An old head does not record their outcomes: then they count as answered, except the last one
 * if the context continues the work on it.
 *
 * @param slots of the context, without folds
 */
export function carriedIn(head: readonly InputTurn[], slots: readonly Slot[]): readonly Request[] {
  const messages = head.filter(({ internal }) => isCarried(internal?.reason));
  const next = slots.find((slot) => slot.kind === 'model');
  const goesOn = next?.kind === 'model' && !next.input.some(isSaid);
  return messages.map((turn, at): Request => {
    const isLast = at === messages.length - 1;
    const first = turn.internal?.reason === 'fold_task' && { first: true as const };
    const { carries } = turn.internal ?? {};
    if (carries) return { ...carries, ...first, words: turn.text.slice(carries.from) };
    const came = isLast && goesOn ? 'open' : 'answered';
    return { came, run: next?.runId ?? '', ...first, words: afterLabel(turn.text) };
  });
}

const isCarried = (reason: string | undefined): boolean => reason === 'fold_task' || reason === 'fold_said';

/** Labels are ours, and have one line each. `sliding_window` and `compact` put none before the first message. */
const afterLabel = (text: string): string =>
  text.startsWith('[steploop] ') ? text.slice(text.indexOf('\n') + 1) : text;
