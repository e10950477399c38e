import type { SaidContext } from '../../config/said.ts';
import type { ContextInputs } from '../../context/asked.ts';
import { pausedIn } from '../../context/paused.ts';
import { readingOf } from '../../context/reading.ts';
import { sizeOf } from '../../context/size.ts';
import { attachedTo, shownText, userMessageId } from '../../events/snapshot.ts';
import { withinBudget } from '../../guardrails/context/injections.ts';
import type { Stages } from '../../guardrails/guard.ts';
import { afterMessage, type Judgement, judge } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { byteLength } from '../../plain/utf8.ts';
import type { InboxEvent } from '../../ports/inbox.ts';
import { isRead } from '../../session/made.ts';
import { saidOf } from '../../session/said.ts';
import { runOf, type Session } from '../../session/session.ts';
import { type InputTurn, isFold, type ModelSlot } from '../../session/slots.ts';
import { heardFrom } from '../../session/speakers.ts';
import type { Spoken, TextOnly } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import type { Loaded } from '../open/load.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { withReports } from './delegated.ts';
import { internal, textOnlyOf, toldIn } from './told.ts';

/** The user's side of a step: everything that the model is told since its last reply, except tool results. */
export interface Turn {
  readonly session: Session;
  readonly input: readonly InputTurn[];
  /** Inbox events that are in `input`, or were already in a slot. */
  readonly incorporated: readonly string[];
  readonly spoken: readonly Spoken[];
  /** Set if the model may only write text in this step. */
  readonly textOnly?: TextOnly;
}

/**
 * Bytes of JSON that the messages in one slot may have, so that it fits an item of the store (`MAX_BODY_BYTES`) and a page of
 * `GET /messages`. A full inbox of the largest messages would otherwise make a slot of 10 MB, or more when escaped.
 */
export const MAX_SAID_BYTES = 250_000;

/**
 * Drains what waits: the nudges of the last step, as much of the inbox as a slot holds, and what guards inject now; and shows
 * it to people. Messages that do not fit wait for the next step.
 */
export function drain(step: Step, admitted: Judgement<Stages['preflight']['verdict']>): Turn {
  const { recovered, loaded } = step;
  const paused = pausedBefore(step, admitted);
  if (paused) return resumedBy(step, admitted, paused);
  if (recovered.model) {
    tellSnapshot(step, recovered.tools ? [recovered.model, recovered.tools] : [recovered.model], []);
    // Guards hear again what people said. The guards' messages of that attempt are in the input that was sent.
    const { input, textOnly, workspace } = recovered.model;
    const said = input.flatMap(({ text, eventId, internal }) => (eventId && !internal ? [text] : []));
    const hasCome = input.some(({ eventId }) => eventId);
    const { session, spoken, lost } = hear(step, admitted.session, { said, hasCome }, textOnly);
    const incorporated = [...input.flatMap(({ eventId }) => eventId ?? []), ...answeredBy(textOnly, loaded)];
    return {
      session: askedBy({ ...session, nudges: [], ...(workspace && { workspace }) }, step, incorporated),
      input,
      incorporated,
      spoken: [...admitted.spoken, ...lost, ...spoken],
      ...defined({ textOnly }),
    };
  }

  const { fresh, later } = takenOf(loaded.inbox);
  const said = fresh.flatMap(({ text, control, internal }) => (control || internal ? [] : [text]));
  const hasCome = fresh.some(({ control, report }) => !control && !report?.quiet);
  const textOnly = textOnlyOf(admitted);
  const { session, spoken, lost, nudges, orders } = hear(step, admitted.session, { said, hasCome }, textOnly);
  const input = [
    ...nudges,
    ...toldIn(spoken.filter(standsBeside)),
    ...fresh.flatMap((event) => toInput(event, loaded.pinned.context)),
    ...toldIn(spoken.filter((one) => !standsBeside(one))),
    ...orders,
  ];
  if (step.isRetry) tellSnapshot(step, [], input);
  else for (const event of fresh) if (!event.control && !event.internal) tellUserMessage(step, event);

  const incorporated = loaded.view.fence.inbox.filter((id) => !later.has(id));
  return {
    session: askedBy({ ...session, nudges: [] }, step, incorporated),
    input,
    incorporated,
    spoken: [...admitted.spoken, ...lost, ...spoken],
    ...defined({ textOnly }),
  };
}

/**
 * The previous reply, if its turn is paused at its server, which accepts nothing after it: waiting input is told later. A
 * reached limit breaks the turn off, because the run has no time to wait.
 */
function pausedBefore(
  step: SessionPart & Pick<Step, 'recovered'>,
  { verdict }: Judgement<Stages['preflight']['verdict']>,
): ModelSlot | undefined {
  // An earlier attempt broke the turn off, and its reply is stored.
  if (step.recovered.model?.input.length) return undefined;
  const paused = pausedIn(step.history, readingOf(step.session, step.loaded.pinned));
  const endsNow = verdict?.kind === 'text_only' && verdict.ending !== undefined;
  return paused?.runId === runOf(step.session).id && !endsNow ? paused : undefined;
}

/** The turn continues as it began: if it may only write text and was paused in its summary, it still writes that summary. */
function resumedBy(
  step: Pick<Step, 'atCommit' | 'history' | 'isRetry' | 'loaded' | 'recovered' | 'stream'>,
  { session, spoken }: Judgement<Stages['preflight']['verdict']>,
  { textOnly }: ModelSlot,
): Turn {
  const { model, tools } = step.recovered;
  if (model) tellSnapshot(step, tools ? [model, tools] : [model], []);
  else if (step.isRetry) tellSnapshot(step, [], []);
  const said = spoken.filter(({ kind }) => kind !== 'text_only');
  return { session, input: [], incorporated: [], spoken: said, ...defined({ textOnly }) };
}

/** The guards' messages for the model, and which of them and of the waiting nudges are told within the budget of the step. */
function hear(
  step: SessionPart & Pick<Step, 'guards'>,
  admitted: Session,
  { said, hasCome }: { readonly said: readonly string[]; readonly hasCome: boolean },
  textOnly: TextOnly | undefined,
) {
  const { injections } = step.loaded.pinned.guardrails;
  const now = hasCome ? afterMessage(step.guards, admitted) : admitted;
  const heard = judge(step.guards, 'inject', now, {
    said,
    textOnly: textOnly !== undefined,
    // Based on committed state: a step that adopts a reply must see the same.
    context: { tokens: () => sizeOf({ ...askedIn(step), waiting: [] }), slots: step.history },
  });
  const { nudges } = admitted;
  const order = textOnly ? [internal(textOnly.code, textOnly.text)] : [];
  const { waiting, ...told } = withinBudget(heard, [...nudges, ...order], injections);
  return {
    ...told,
    nudges: waiting.slice(0, nudges.length).flatMap((turn) => turn ?? []),
    orders: waiting.slice(nudges.length).flatMap((turn) => turn ?? []),
  };
}

/** Reminders go before the messages of people, advice after them. */
const standsBeside = (spoken: Spoken): boolean => spoken.kind === 'nudge' && spoken.beside === true;

/** The context as it is measured and folded, including the input that the step would tell the model. */
export const askedIn = (step: SessionPart): ContextInputs => ({
  slots: step.history,
  session: step.session,
  pinned: step.loaded.pinned,
  waiting: waitingInput(step),
});

/** The input that an earlier attempt at the step has told the model: everything that waited, without what guards inject now. */
export const waitingInput = ({ loaded, session }: Pick<Step, 'loaded' | 'session'>): InputTurn[] => [
  ...session.nudges,
  ...takenOf(loaded.inbox).fresh.flatMap((event) => toInput(event, loaded.pinned.context)),
];

/** The messages that fit, in order of arrival and at least one; and all controls of the run. */
function takenOf(inbox: Loaded['inbox']): { fresh: InboxEvent[]; later: ReadonlySet<string> } {
  const waiting = inbox.filter((event) => !event.done);
  const messages = waiting.filter(({ control }) => !control);
  let room = MAX_SAID_BYTES;
  const over = messages.findIndex(({ text, attachments, page }, i) => {
    room -= byteLength(JSON.stringify([text, attachments, page?.shows]));
    return room < 0 && i > 0;
  });
  const later = new Set(over === -1 ? [] : messages.slice(over).map(({ id }) => id));
  return { fresh: waiting.filter(({ id }) => !later.has(id)), later };
}

/** The session with the people whose messages it reads now as requesters of its run, and with the reports that it reads. */
function askedBy(
  before: Session,
  { loaded: { inbox }, agent, io }: Pick<Step, 'loaded' | 'agent' | 'io'>,
  incorporated: readonly string[],
): Session {
  const taken = inbox.filter(({ id, done }) => !done && incorporated.includes(id));
  const session = withReports(prompted(before, taken), taken, io.clock.now());
  const said = taken.filter(({ control }) => !control);
  const asked = taken.filter(({ control, by }) => control && by !== undefined);
  const heard = heardFrom(session, [...said.flatMap((one) => [...(one.carries ?? []), one]), ...asked]);
  // A message cannot take an agent that always plans out of plan mode.
  const mode = agent?.mode === 'plan' ? agent.mode : said.findLast((event) => event.mode)?.mode;
  return mode && said.length > 0 ? { ...heard, mode } : heard;
}

/** The session that knows how many of its runs, in a row, only reports have begun. */
function prompted({ unprompted, ...session }: Session, taken: readonly InboxEvent[]): Session {
  const isAsked = taken.some(({ control, internal }) => !control && !internal);
  const isReported = taken.some(({ report }) => report && !report.quiet);
  const runs = isAsked ? 0 : (unprompted ?? 0) + (isReported && runOf(session).steps === 0 ? 1 : 0);
  return runs > 0 ? { ...session, unprompted: runs } : session;
}

/** The controls of the run that a stored reply has answered. */
const answeredBy = (textOnly: TextOnly | undefined, { inbox }: Loaded): string[] =>
  inbox.flatMap(({ id, control }) => (control && control === textOnly?.code ? [id] : []));

/** A message, or what has arrived in place of one. A guard puts a control of the run into words. */
const toInput = (event: InboxEvent, how: SaidContext | undefined): InputTurn[] => {
  const { id, text, attachments, control, internal: isInternal, report, page } = event;
  return control || report?.quiet
    ? []
    : [
        ...(page?.shows === undefined ? [] : [internal('page', texts.pageShows(page.shows))]),
        {
          text,
          ...defined({ attachments }),
          eventId: id,
          ...(how && !isInternal && { said: saidOf(event, how.zone) }),
          ...(isInternal && { internal: { reason: isInternal } }),
        },
      ];
};

/** Whether the model's last reply still stands: nothing was drained, and the model does not owe a reply either. */
export function hasNothingToAsk({ history }: Pick<Step, 'history'>, { input }: Pick<Turn, 'input'>): boolean {
  const last = history.findLast((slot) => !isFold(slot) && isRead(slot));
  if (input.length > 0 || last?.kind !== 'model' || !last.reply) return false;
  return last.reply.content.length > 0 && last.reply.stop !== 'pause_turn';
}

/**
 * Whether a wake found nothing to do: no run is active, and every event was already incorporated, asks the run to end, is a
 * quiet report, or was sent by the session that gave the task of a run that has ended.
 */
export function nothingNew({ view, inbox }: Loaded): boolean {
  const { run } = view.session;
  const isNothing = ({ done, control, report, internal: from }: InboxEvent) =>
    done || control || report?.quiet || from === 'parent';
  return (!run || run.ended) && inbox.every(isNothing);
}

function tellUserMessage({ stream }: Pick<Step, 'stream'>, event: InboxEvent): void {
  const messageId = userMessageId(event.id);
  stream.emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'user' });
  stream.emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: shownText(event.text, event.attachments) });
  stream.emit({ type: 'TEXT_MESSAGE_END', messageId });
  if (event.attachments) stream.emit(attachedTo(messageId, event.attachments));
}
