/** The actions that people take on a session, for every hook that shows one. */

import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { WaitDetails } from '../../shared/contract/http.ts';
import type { MessageContent } from '../../shared/contract/message.ts';
import type { Accepted, Repeatable } from '../client/answers.ts';
import { isFinal, ProblemError } from '../client/problem.ts';
import type { Deployment } from './deployment.ts';
import { sessionStore } from './session-store.ts';

/** Each rejects with a `ProblemError` if the server refuses, and as `fetch` does without a network. */
export interface SessionActions {
  /**
   * Sends a message. If it is unknown whether the last message arrived, sending the same text again counts as the same
   * message.
   */
  send(message: MessageContent, options?: Repeatable): Promise<Accepted>;
  /** Decides a wait of the run: `{ id, approved, note }`. */
  decide(decision: Decision): Promise<void>;
  /** Answers a question, by its `id` among the waits. */
  answer(id: string, text: string): Promise<void>;
  /** One wait of the run, with the full input of its call: `message` of a wait cuts long values. */
  details(id: string): Promise<WaitDetails>;
  /** Stops the run. */
  stop(): Promise<void>;
  /** Asks the run for a summary, and ends it. */
  wrapUp(): Promise<void>;
}

/** The actions of a session; without a session, all of them reject. */
export function actionsOf(deployment: Deployment, sessionId: string | undefined): SessionActions {
  const there = async () => {
    if (sessionId === undefined)
      throw new Error('there is no session yet: begin one with start of useSessions');
    return { client: deployment.client, id: sessionId };
  };
  /** Whatever the outcome, the session is read again. */
  const acting = async <T>(act: (to: Awaited<ReturnType<typeof there>>) => Promise<T>): Promise<T> => {
    const to = await there();
    try {
      return await act(to);
    } finally {
      void sessionStore(deployment, to.id).info.refresh();
    }
  };
  const keys = keysOfMessages();
  const decide: SessionActions['decide'] = (decision) =>
    acting(({ client, id }) => client.decide(id, decision));
  return {
    send: (message, options) =>
      acting(({ client, id }) =>
        options?.idempotencyKey === undefined
          ? keys.sending(message, (idempotencyKey) => client.addMessage(id, message, { idempotencyKey }))
          : client.addMessage(id, message, options),
      ),
    decide,
    answer: (id, note) => decide({ id, approved: true, note }),
    details: async (waitId) => {
      const { client, id } = await there();
      return client.wait(id, waitId);
    },
    stop: () => acting(({ client, id }) => client.cancel(id)),
    wrapUp: () => acting(({ client, id }) => client.wrapUp(id)),
  };
}

/** Idempotency keys. A message that may or may not have arrived keeps its key until it is sent again, or another one is. */
function keysOfMessages() {
  let unsure: { readonly said: string; readonly key: string } | undefined;
  return {
    async sending<T>(message: MessageContent, send: (key: string) => Promise<T>): Promise<T> {
      const said = JSON.stringify(message);
      const key = unsure?.said === said ? unsure.key : randomKey();
      unsure = undefined;
      try {
        return await send(key);
      } catch (error) {
        if (!(error instanceof ProblemError && isFinal(error.problem))) unsure = { said, key };
        throw error;
      }
    },
  };
}

/** 32 hex digits. Not `randomUUID`, which pages have only over HTTPS and on localhost. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
