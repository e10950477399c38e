import type { SaidContext } from '../../config/said.ts';
import type { Asked } from '../../context/asked.ts';
import { pausedIn } from '../../context/paused.ts';
import { readingOf } from '../../context/reading.ts';
import { sizeOf } from '../../context/size.ts';
import { attachedTo, shownText, userMessageId } from '../../events/snapshot.ts';
import { withinBudget } from '../../guardrails/context/injections.ts';
import type { Stages } from '../../guardrails/guard.ts';
import { afterMessage, type Judgement, judge } from '../../guardrails/judge.ts';
import type { InboxEvent } from '../../ports/inbox.ts';
import { withCallers } from '../../session/caller.ts';
import { isRead } from '../../session/made.ts';
import { withRequesters } from '../../session/requesters.ts';
import { saidOf } from '../../session/said.ts';
import { runOf, type Session, withRun } from '../../session/session.ts';
import { type InputTurn, isFold, type ModelSlot } from '../../session/slots.ts';
import type { Spoken, TextOnly } from '../../session/verdict.ts';
import type { Loaded } from '../open/load.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { Step } from '../open/step-context.ts';

/** The user's side of a step: what the model is told since its last reply, besides tool results. */
export interface Turn {
  readonly session: Session;
  readonly input: readonly InputTurn[];
  /** Inbox events that are in `input`, or were in a slot before. */
  readonly incorporated: readonly string[];
  readonly spoken: readonly Spoken[];
  /** Set when the model may only speak in this step. */
  readonly textOnly?: TextOnly;
}

/**
 * Bytes of JSON that messages may have in one slot: it stays an item of the store (`MAX_BODY_BYTES`) and a page of
 * `GET /messages`. A full inbox of the largest messages would else make one of 10 MB, and of more when it is escaped.
 */
export const MAX_SAID_BYTES = 250_000;

/**
 * Takes what waits: the nudges of the last step, as much of the inbox as a slot holds, and what guards inject now; and
 * shows it to people. Messages that do not fit wait for the next step.
 */
export function drain(step: Step, admitted: Judgement<Stages['preflight']['verdict']>): Turn {
  const { recovered, loaded } = step;
  const paused = pausedBefore(step, admitted);
  if (paused) return resumedBy(step, admitted, paused);
  if (recovered.model) {
    tellSnapshot(step, recovered.tools ? [recovered.model, recovered.tools] : [recovered.model], []);
    // Guards hear again what people said. What they then wanted told is in the input that was sent.
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
      ...(textOnly && { textOnly }),
    };
  }

  const { fresh, later } = takenOf(loaded.inbox);
  const said = fresh.flatMap(({ text, control, internal }) => (control || internal ? [] : [text]));
  const hasCome = fresh.some(({ control }) => !control);
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
    ...(textOnly && { textOnly }),
  };
}

/**
 * The reply before, if its turn is still its server's, which takes nothing behind it: what waits is told after it. A limit that is
 * reached breaks it off all the same, since the run has no time to wait.
 */
function pausedBefore(
  step: Step,
  { verdict }: Judgement<Stages['preflight']['verdict']>,
): ModelSlot | undefined {
  // An earlier attempt has broken it off, and its reply is kept.
  if (step.recovered.model?.input.length) return undefined;
  const paused = pausedIn(step.history, readingOf(step.session, step.loaded.pinned));
  const endsNow = verdict?.kind === 'text_only' && verdict.ending !== undefined;
  return paused?.runId === runOf(step.session).id && !endsNow ? paused : undefined;
}

/** The turn goes on as it began: one that may only speak, and was paused in its summary, still writes that summary. */
function resumedBy(
  step: Step,
  { session, spoken }: Judgement<Stages['preflight']['verdict']>,
  { textOnly }: ModelSlot,
): Turn {
  const { model, tools } = step.recovered;
  if (model) tellSnapshot(step, tools ? [model, tools] : [model], []);
  else if (step.isRetry) tellSnapshot(step, [], []);
  const said = spoken.filter(({ kind }) => kind !== 'text_only');
  return { session, input: [], incorporated: [], spoken: said, ...(textOnly && { textOnly }) };
}

/** What guards want told now, and what of it and of what waits is told, as far as the budget of the step goes (T13). */
function hear(
  step: Step,
  admitted: Session,
  { said, hasCome }: { readonly said: readonly string[]; readonly hasCome: boolean },
  textOnly: TextOnly | undefined,
) {
  const { injections } = step.loaded.pinned.guardrails;
  const now = hasCome ? afterMessage(step.guards, admitted) : admitted;
  const heard = judge(step.guards, 'inject', now, {
    said,
    textOnly: textOnly !== undefined,
    // Of what is committed: who adopts a reply must see the same.
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

/** Reminders go before what people say now (T10), advice after it. */
const standsBeside = (spoken: Spoken): boolean => spoken.kind === 'nudge' && spoken.beside === true;

/** A step that may only speak, and for several reasons, is asked for its summary if for that too (T6), and ends as the first says. */
function textOnlyOf({ verdict, spoken }: Judgement<Stages['preflight']['verdict']>): TextOnly | undefined {
  if (verdict?.kind !== 'text_only') return undefined;
  const { ending } = verdict;
  const summary = spoken.find((said) => said.kind === 'text_only' && said.code === 'wrap_up');
  return summary?.kind === 'text_only' ? { ...summary, ...(ending && { ending }) } : verdict;
}

/** What the model's context is measured and folded by, with what the step would tell it. */
export const askedIn = (step: Step): Asked => ({
  slots: step.history,
  session: step.session,
  pinned: step.loaded.pinned,
  waiting: waitingInput(step),
});

/** What a step would tell the model that an earlier attempt at it has told: what waited, without what guards inject now. */
export const waitingInput = ({ loaded, session }: Step): InputTurn[] => [
  ...session.nudges,
  ...takenOf(loaded.inbox).fresh.flatMap((event) => toInput(event, loaded.pinned.context)),
];

/** The messages that fit, in the order in which they came, one at least; and all that is asked of the run. */
function takenOf(inbox: Loaded['inbox']): { fresh: InboxEvent[]; later: ReadonlySet<string> } {
  const waiting = inbox.filter((event) => !event.done);
  const messages = waiting.filter(({ control }) => !control);
  let room = MAX_SAID_BYTES;
  const over = messages.findIndex(({ text, attachments }, i) => {
    room -= utf8.encode(JSON.stringify([text, attachments])).length;
    return room < 0 && i > 0;
  });
  const later = new Set(over === -1 ? [] : messages.slice(over).map(({ id }) => id));
  return { fresh: waiting.filter(({ id }) => !later.has(id)), later };
}

const utf8 = new TextEncoder();

/** The session, whose run has been asked for by those whose messages it reads now. */
function askedBy(
  session: Session,
  { loaded: { inbox }, agent }: Step,
  incorporated: readonly string[],
): Session {
  const said = inbox.filter(({ id, done, control }) => !done && !control && incorporated.includes(id));
  if (said.length === 0) return session;
  const run = runOf(session);
  const by = said.flatMap((event) => event.by ?? []);
  const requesters = by.length > 0 && { requesters: withRequesters(run.requesters ?? [], by) };
  // An agent that plans is taken out of it by nobody who writes to it.
  const mode = agent?.mode === 'plan' ? agent.mode : said.findLast((event) => event.mode)?.mode;
  const asked = withRun(session, { ...requesters, ...withCallers(run, said) });
  return mode ? { ...asked, mode } : asked;
}

/** Of what the run was asked to do, what a kept reply did. */
const answeredBy = (textOnly: TextOnly | undefined, { inbox }: Loaded): string[] =>
  inbox.flatMap(({ id, control }) => (control && control === textOnly?.code ? [id] : []));

/** What people say, or has come in their place. What a run is asked to do is a guard's to put into words. */
const toInput = (event: InboxEvent, how: SaidContext | undefined): InputTurn[] => {
  const { id, text, attachments, control, internal } = event;
  return control
    ? []
    : [
        {
          text,
          ...(attachments && { attachments }),
          eventId: id,
          ...(how && !internal && { said: saidOf(event, how.zone) }),
          ...(internal && { internal: { reason: internal } }),
        },
      ];
};

/** Text of ours for the model (A20). */
export const internal = (reason: string, text: string): InputTurn => ({ text, internal: { reason } });

/** What guards have the model told. */
export const toldIn = (spoken: readonly Spoken[]): InputTurn[] =>
  spoken.flatMap((verdict) =>
    verdict.kind === 'nudge' && !verdict.unsaid ? [internal(verdict.code, verdict.text)] : [],
  );

/** Whether the model's last word still stands: nothing was drained, and it is not waited for either. */
export function hasNothingToAsk({ history }: Pick<Step, 'history'>, { input }: Pick<Turn, 'input'>): boolean {
  const last = history.findLast((slot) => !isFold(slot) && isRead(slot));
  if (input.length > 0 || last?.kind !== 'model' || !last.reply) return false;
  return last.reply.content.length > 0 && last.reply.stop !== 'pause_turn';
}

/** Whether a wake found nothing to do: no run is going, and every event was incorporated before, or asks it to end. */
export function nothingNew({ view, inbox }: Loaded): boolean {
  const { run } = view.session;
  return (!run || run.ended) && inbox.every((event) => event.done || event.control);
}

function tellUserMessage({ stream }: Step, event: InboxEvent): void {
  const messageId = userMessageId(event.id);
  stream.emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'user' });
  stream.emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: shownText(event.text, event.attachments) });
  stream.emit({ type: 'TEXT_MESSAGE_END', messageId });
  if (event.attachments) stream.emit(attachedTo(messageId, event.attachments));
}
