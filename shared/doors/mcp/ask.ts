/** A call of an agent: begins or continues a session, reports the progress of its run, and returns the result. */

import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { hash } from '../../agent/plain/hash.ts';
import { jsonIn } from '../../agent/plain/json-in.ts';
import type { SessionNow } from '../api.ts';
import { askedOf } from '../asked.ts';
import { follow } from '../follow.ts';
import { decisionsIn, formOf } from './elicit.ts';
import { refused, resultOf } from './result.ts';
import type { Served } from './served.ts';
import { type AskInput, AskState } from './shapes.ts';
import { lineOf, type Told } from './told.ts';

/** Context of a call besides its input. */
export interface CallContext extends Pick<Served, 'client' | 'waitMs'> {
  readonly agent: string;
  readonly tell: Told;
  /** Whether its client shows forms to a person. */
  readonly canAsk: boolean;
}

/** The client's part of a request. */
export interface AskedBy {
  /** Aborted with a text, or nothing, if the client cancels the call; with an Error if the client is gone. */
  readonly signal: AbortSignal;
  /** The people's answers, if the call was repeated with them. */
  readonly inputResponses?: Record<string, unknown>;
  readonly requestState: () => unknown;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Key of `_meta` with which a client marks a repeated call: its message counts once. */
export const IDEMPOTENCY_META_KEY = 'steploop/idempotencyKey';

type Answered = CallToolResult | InputRequiredResult;

/** Never rejects if the deployment refuses: the model reads the reason, and can report it. */
export async function ask(asking: CallContext, input: AskInput, by: AskedBy): Promise<Answered> {
  try {
    const place = await begun(asking, input, by);
    return 'refusal' in place ? refused(place.refusal) : await waited(asking, place, by);
  } catch (error) {
    const refusal = asking.client.refusalOf(error);
    if (refusal !== undefined) return refused(refusal);
    if (by.signal.aborted) return refused('The call was cancelled.');
    throw error;
  }
}

/** The position in the session after which events are new: after the decisions, or after the message. */
async function begun(
  { client, agent }: CallContext,
  { message, session }: AskInput,
  { inputResponses = {}, requestState, _meta = {} }: AskedBy,
): Promise<(AskState & { readonly again: boolean }) | { readonly refusal: string }> {
  const key = _meta[IDEMPOTENCY_META_KEY];
  const once = {
    ...(typeof key === 'string' && key !== '' && { idempotencyKey: `mcp-${hash(`${agent}:${key}`)}` }),
  };
  const state = requestState();
  if (state !== undefined) {
    const { data } = AskState.safeParse(jsonIn(String(state)));
    if (!data) return { refusal: 'The client hands back something else than it was given: ask again.' };
    for (const decision of decisionsIn(inputResponses)) await client.decide(data.session, decision);
    return { ...data, again: true };
  }
  if (session !== undefined) {
    const { agent: its, cursor } = await client.session(session);
    if (its !== agent) return { refusal: `The session ${session} is one of ${its}: go on with ask_${its}.` };
    if (message !== undefined) await client.addMessage(session, message, once);
    return { session, after: cursor, again: false };
  }
  const { sessionId } = await client.createSession({ agent, message: message ?? '' }, once);
  return { session: sessionId, after: 0, again: false };
}

async function waited(
  asking: CallContext,
  { session, after, again }: AskState & { readonly again: boolean },
  by: AskedBy,
): Promise<Answered> {
  const { client, waitMs, tell } = asking;
  const timeUp = AbortSignal.timeout(waitMs);
  let now: SessionNow;
  try {
    now = await follow(
      client,
      session,
      after,
      (event) => {
        const line = lineOf(event);
        if (line !== undefined) tell(line);
      },
      AbortSignal.any([by.signal, timeUp]),
    );
  } catch (error) {
    if (by.signal.aborted) await stopped(client, session, by.signal);
    if (!timeUp.aborted) throw error;
    now = await client.session(session);
  }
  // A form that was left undecided is not shown again by the same call.
  const left = again && decisionsIn(by.inputResponses ?? {}).length === 0;
  return (
    (asking.canAsk && !left && (await formsOf(asking, now))) || resultOf(now, await client.messages(session))
  );
}

/** A person who cancels wants the run stopped; a lost connection does not. */
async function stopped(
  client: CallContext['client'],
  session: string,
  { reason }: AbortSignal,
): Promise<void> {
  const isGone = reason instanceof Error && reason.name !== 'AbortError';
  if (!isGone) await client.cancel(session);
}

/** Asks people, if a request can be decided in a form. */
async function formsOf({ client }: CallContext, now: SessionNow): Promise<InputRequiredResult | undefined> {
  const waits = await Promise.all(askedOf(now).map(({ id }) => client.wait(now.sessionId, id)));
  const forms = waits.flatMap((wait) => {
    const form = formOf(wait);
    return form ? [[wait.id, form] as const] : [];
  });
  if (forms.length === 0) return undefined;
  const state: AskState = { session: now.sessionId, after: now.cursor };
  return inputRequired({
    inputRequests: Object.fromEntries(forms),
    requestState: JSON.stringify(state),
  });
}
