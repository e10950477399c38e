/** The doors by which words reach a run over our own APIs, and those that only look like it. */

import {
  agui,
  answerOverAgui,
  answerOverChat,
  type Before,
  chat,
  type Door,
  decision,
  decisionOverSocket,
  fresh,
  pageAnswerOverAgui,
  pageAnswerOverChat,
  post,
  reached,
} from './door.ts';
import { requestDoors } from './request-doors.ts';
import { scheduleDoors } from './schedule-doors.ts';

/** A route that begins another session. */
const branch =
  (path: string, body: (at: Before) => object): Door['go'] =>
  async (call, at) => {
    const answer = await call('POST', path.replace('{id}', at.id), body(at));
    return reached(answer, answer.body.sessionId);
  };

export const doors = {
  'a new session': {
    before: 'hello',
    go: branch('/sessions', () => ({ agent: 'worker', message: 'hi' })),
  },
  'a message over HTTP': { before: 'hello', go: post('/sessions/{id}/messages', () => ({ message: 'hi' })) },
  'a message over AG-UI': {
    before: 'hello',
    go: agui('worker', () => ({ messages: [{ id: fresh(), role: 'user', content: 'hi' }] })),
  },
  'a message over chat': {
    before: 'hello',
    go: chat('worker', () => ({ id: fresh(), role: 'user', parts: [{ type: 'text', text: 'hi' }] })),
  },
  'a message while a question is open': {
    before: 'ask',
    go: post('/sessions/{id}/messages', () => ({ message: 'FIN' })),
  },
  'an answer over HTTP': { before: 'ask', go: decision(true, 'FIN') },
  'an answer over the WebSocket': { before: 'ask', go: decisionOverSocket(true, 'FIN') },
  'an answer over AG-UI': { before: 'ask', go: answerOverAgui('worker') },
  'an answer over chat': { before: 'ask', go: answerOverChat('worker') },
  'an answer of a page over HTTP': {
    before: 'paint',
    go: post('/sessions/{id}/answers', ({ callId }) => ({ toolCallId: callId, result: 'FIN' })),
  },
  'an answer of a page over AG-UI': { before: 'paint', go: pageAnswerOverAgui },
  'an answer of a page over chat': { before: 'paint', go: pageAnswerOverChat },
  'a refusal with a note': { before: 'transfer', go: decision(false, 'Pay FIN') },
  'a refusal without a word': { before: 'transfer', go: decision(false) },
  'an approval whose note no model reads': { before: 'transfer', go: decision(true, 'Fine') },
  'a retry': { before: 'fail', go: post('/sessions/{id}/retry', () => undefined) },
  'an edit': {
    before: 'hello',
    go: branch('/sessions/{id}/edit', ({ messageId }) => ({ messageId, message: 'hi' })),
  },
  'a fork with a message': { before: 'hello', go: branch('/sessions/{id}/fork', () => ({ message: 'hi' })) },
  'a fork without a word': { before: 'hello', go: branch('/sessions/{id}/fork', () => ({})) },
  // The run reads it when it continues, after a decision without a word.
  'a request to wrap up': { before: 'transfer', go: post('/sessions/{id}/wrap-up', () => undefined) },
  'a cancel': { before: 'transfer', go: post('/sessions/{id}/cancel', () => undefined) },
  'a new title': {
    before: 'hello',
    go: async (call, { id }) => reached(await call('PATCH', `/sessions/${id}`, { title: 'Mine' }), id),
  },
  ...scheduleDoors,
  ...requestDoors,
} as const satisfies Record<string, Door>;
export type DoorName = keyof typeof doors;
