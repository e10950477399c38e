/** Requests to people of the sessions below a session (docs/children.md). */

import type { AgUiEvent } from '../../../contract/events.ts';
import type { SessionKey } from '../../../contract/session.ts';
import { outcomesOf } from '../../events/wait-outcomes.ts';
import { allEnded } from '../../plain/all-ended.ts';
import { defined } from '../../plain/defined.ts';
import { own } from '../../plain/merge.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SessionView } from '../../ports/sessions.ts';
import { isNamedIn } from '../../session/named.ts';
import { type Ask, isForPeople, type Wait } from '../../session/waits.ts';
import type { Loaded } from '../open/load.ts';
import type { StepOptions } from '../open/options.ts';
import { openWaits } from '../open/waiting.ts';

/** Requests that a session shows of those below it; further ones are shown when some of these are decided. They are part of HEAD. */
const MOST = 16;
/** Characters of a request that are shown: the whole is in the session that asks. */
const MAX_MESSAGE = 3_000;

/** The news for a session that waits for its children. */
export interface AsksNow {
  readonly asks: readonly Ask[];
  /** The outcomes of requests that are no longer open. */
  readonly events: readonly AgUiEvent[];
}

/**
 * The requests of the children of a waiting session now. Read after the claim, so a child that asks later knocks at this owner. A message
 * that has come since people were asked answers the first question of a child, as it would answer one of the session's own; the
 * model reads it when the batch is closed.
 *
 * @returns undefined if it has not changed
 */
export async function asksNow(
  loaded: Loaded,
  now: number,
  agentOf: StepOptions['agentOf'],
  io: Pick<Ports, 'sessions' | 'log' | 'queue'>,
): Promise<AsksNow | undefined> {
  const before = loaded.view.session.batch?.asks ?? [];
  const open = await asksBelow(loaded.key, openWaits(loaded, now), now, io);
  const answered = await answerWithMessage(loaded, open, now, agentOf, io);
  const asks = open.filter((ask) => ask !== answered);
  const gone = before.filter(({ id }) => !asks.some((ask) => ask.id === id));
  if (gone.length === 0 && asks.length === before.length) return undefined;
  return { asks, events: await decidedOf(loaded.key, gone, now, io) };
}

/**
 * Gives the first question of a child its answer, if a message of one who may answer has come since it was asked. The first
 * answer stands, so a step that dies after this changes nothing for the next one.
 *
 * @returns the question that has its answer now
 */
async function answerWithMessage(
  { key, view: { session }, inbox }: Loaded,
  open: readonly Ask[],
  now: number,
  agentOf: StepOptions['agentOf'],
  { sessions, queue }: Pick<Ports, 'sessions' | 'queue'>,
): Promise<Ask | undefined> {
  const { asks = [], since = 0 } = session.batch ?? {};
  const question = open.find(({ id, kind }) => kind === 'question' && asks.some((ask) => ask.id === id));
  if (!question) return undefined;
  const { answerers = [] } = agentOf(question.agent)?.approvals ?? {};
  const message = inbox.find(
    ({ done, control, internal, at, text, by: subject, caller }) =>
      !done &&
      !control &&
      !internal &&
      at > since &&
      text.trim() !== '' &&
      (answerers.length === 0 || isNamedIn(answerers, { subject, roles: caller?.roles })),
  );
  if (!message) return undefined;
  const { by = 'unknown', caller, text } = message;
  const asking = { tenant: key.tenant, sessionId: question.child };
  const decision = { approved: true, by, at: now, note: text, ...defined({ caller }) };
  if ((await sessions.decide(asking, question.id, decision)) !== 'decided') return undefined;
  await queue.send(asking);
  return question;
}

/** The requests to people of the children of these waits, their own or of sessions below them. */
export async function asksBelow(
  { tenant }: SessionKey,
  waits: readonly Wait[],
  now: number,
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<readonly Ask[]> {
  const views = new Map<string, Promise<SessionView | undefined>>();
  const viewOf = (sessionId: string) => {
    const known = views.get(sessionId) ?? sessions.read({ tenant, sessionId });
    views.set(sessionId, known);
    return known;
  };
  const below = waits.map(async ({ callId, child }): Promise<Ask[]> => {
    const view = child === undefined ? undefined : await viewOf(child);
    if (!view) return [];
    const relayed = (view.session.batch?.asks ?? []).map(async (ask) => {
      // It may have been decided since the child has last looked.
      const asking = await viewOf(ask.child);
      const isOpen = asking && openIn(asking, now).some(({ id }) => id === ask.id);
      return isOpen ? [{ ...ask, callId }] : [];
    });
    const own = openIn(view, now).map((wait) => askOf(view, wait, callId));
    return [...own, ...(await allEnded(relayed)).flat()];
  });
  return (await allEnded(below)).flat().slice(0, MOST);
}

/** The requests of a session to people that are not settled. */
const openIn = ({ session: { batch, cancelSeen }, fence }: SessionView, now: number): readonly Wait[] =>
  fence.cancelGen > cancelSeen
    ? []
    : (batch?.waits ?? []).filter(
        (wait) => isForPeople(wait) && fence.pending.includes(wait.id) && wait.expiresAt > now,
      );

function askOf({ session }: SessionView, wait: Wait, callId: string): Ask {
  const { id, kind, tool, changes, expiresAt } = wait;
  const message = `${session.agent} asks:\n${wait.message}`;
  const refused = session.batch?.refused && own(session.batch.refused, wait.callId);
  return {
    ...{ id, callId, kind, tool, expiresAt, child: session.key.sessionId, agent: session.agent },
    message:
      message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}… (cut)` : message,
    ...defined({ changes }),
    ...(kind === 'approval' && !refused && { grantable: true as const }),
  };
}

/** Tells clients what became of requests. */
export async function decidedOf(
  { tenant }: SessionKey,
  gone: readonly Ask[],
  now: number,
  io: Pick<Ports, 'sessions' | 'log'>,
): Promise<AgUiEvent[]> {
  return allEnded(
    gone.map(async ({ id, callId, child, expiresAt }): Promise<AgUiEvent> => {
      const known = own(await outcomesOf({ tenant, sessionId: child }, [id], io), id);
      const { at: _, ...outcome } = known ?? { outcome: expiresAt <= now ? 'expired' : 'cancelled' };
      return { type: 'CUSTOM', name: 'steploop.decided', value: { id, toolCallId: callId, ...outcome } };
    }),
  );
}
