/** The doors by which words reach a run over our own APIs, and those that only look like it. */

import type { Answer } from '../../support/embedded.ts';
import { atRest, type Call } from '../target.ts';

/** A session of Ada's at which a caller tries a door. */
export interface Before {
  readonly id: string;
  readonly waitId: string;
  readonly callId: string;
  /** Id of her message. */
  readonly messageId: string;
}

/** The place that a caller has reached: the session whose run they may have spoken to, or the status of their refusal. */
export type Reached = { readonly id: string } | number;

export interface Door {
  /** First word of Ada's message, which says where her session rests. */
  readonly before: 'hello' | 'ask' | 'transfer' | 'fail';
  go(call: Call, at: Before, connect: (call: Call) => Promise<Ask>): Promise<Reached>;
}

/** Sends a request over a WebSocket, and resolves with the answer. */
export type Ask = (request: object) => Promise<{ type: string; problem?: { status: number } }>;

const reached = ({ status, body }: Answer, id: string): Reached => {
  if (status >= 300) return status;
  // A stream begins with 200 and may tell of an error.
  return typeof body === 'string' && body.includes('"RUN_ERROR"') && !body.includes('RUN_STARTED')
    ? 500
    : { id };
};

const post =
  (path: string, body: (at: Before) => object | undefined): Door['go'] =>
  async (call, at) =>
    reached(await call('POST', path.replace('{id}', at.id), body(at)), at.id);

/** A route that begins another session. */
const branch =
  (path: string, body: (at: Before) => object): Door['go'] =>
  async (call, at) => {
    const answer = await call('POST', path.replace('{id}', at.id), body(at));
    return reached(answer, answer.body.sessionId);
  };

const agui = (more: (at: Before) => object): Door['go'] =>
  post('/agui/worker', (at) => ({ threadId: at.id, runId: 'r', messages: [], ...more(at) }));
const chat = (message: (at: Before) => object): Door['go'] =>
  post('/chat/worker', (at) => ({ id: at.id, messages: [message(at)] }));

let n = 0;
const fresh = () => `m${++n}`;

export const doors = {
  'a new session': {
    before: 'hello',
    go: branch('/sessions', () => ({ agent: 'worker', message: 'hi' })),
  },
  'a message over HTTP': { before: 'hello', go: post('/sessions/{id}/messages', () => ({ message: 'hi' })) },
  'a message over AG-UI': {
    before: 'hello',
    go: agui(() => ({ messages: [{ id: fresh(), role: 'user', content: 'hi' }] })),
  },
  'a message over chat': {
    before: 'hello',
    go: chat(() => ({ id: fresh(), role: 'user', parts: [{ type: 'text', text: 'hi' }] })),
  },
  'a message while a question is open': {
    before: 'ask',
    go: post('/sessions/{id}/messages', () => ({ message: 'FIN' })),
  },
  'an answer over HTTP': {
    before: 'ask',
    go: post('/sessions/{id}/decisions', ({ waitId }) => ({ id: waitId, approved: true, note: 'FIN' })),
  },
  'an answer over the WebSocket': {
    before: 'ask',
    async go(call, { id, waitId }, connect) {
      const ask = await connect(call);
      const answer = await ask({ action: 'decide', sessionId: id, id: waitId, approved: true, note: 'FIN' });
      return answer.problem?.status ?? { id };
    },
  },
  'an answer over AG-UI': {
    before: 'ask',
    go: agui(({ waitId }) => ({ resume: [{ interruptId: waitId, status: 'resolved', payload: 'FIN' }] })),
  },
  'an answer over chat': {
    before: 'ask',
    go: chat(({ callId }) => ({
      id: fresh(),
      role: 'assistant',
      parts: [
        { type: 'tool-ask_user', toolCallId: callId, state: 'output-available', input: {}, output: 'FIN' },
      ],
    })),
  },
  'a refusal with a note': {
    before: 'transfer',
    go: post('/sessions/{id}/decisions', ({ waitId }) => ({ id: waitId, approved: false, note: 'Pay FIN' })),
  },
  'a refusal without a word': {
    before: 'transfer',
    go: post('/sessions/{id}/decisions', ({ waitId }) => ({ id: waitId, approved: false })),
  },
  'an approval whose note no model reads': {
    before: 'transfer',
    go: post('/sessions/{id}/decisions', ({ waitId }) => ({ id: waitId, approved: true, note: 'Fine' })),
  },
  'a retry': { before: 'fail', go: post('/sessions/{id}/retry', () => undefined) },
  'an edit': {
    before: 'hello',
    go: branch('/sessions/{id}/edit', ({ messageId }) => ({ messageId, message: 'hi' })),
  },
  'a fork with a message': { before: 'hello', go: branch('/sessions/{id}/fork', () => ({ message: 'hi' })) },
  'a fork without a word': { before: 'hello', go: branch('/sessions/{id}/fork', () => ({})) },
  'a request to wrap up': {
    before: 'transfer',
    async go(call, at) {
      const answer = reached(await call('POST', `/sessions/${at.id}/wrap-up`), at.id);
      // The run reads it when it continues, after a decision without a word.
      return answer;
    },
  },
  'a cancel': { before: 'transfer', go: post('/sessions/{id}/cancel', () => undefined) },
  'a new title': {
    before: 'hello',
    go: async (call, { id }) => reached(await call('PATCH', `/sessions/${id}`, { title: 'Mine' }), id),
  },
} as const satisfies Record<string, Door>;
export type DoorName = keyof typeof doors;

/** Ada's session, at rest where the door needs it. */
export async function prepared(ada: Call, before: Door['before']): Promise<Before> {
  const { body } = await ada('POST', '/sessions', { agent: 'worker', message: `${before} x` });
  const { waits } = await atRest(ada, body.sessionId);
  const { messages } = (await ada('GET', `/sessions/${body.sessionId}/messages`)).body;
  return {
    id: body.sessionId,
    waitId: waits[0]?.id ?? '',
    callId: waits[0]?.toolCallId ?? '',
    messageId: messages[0]?.id ?? '',
  };
}
