/** Requests to people with rules of their own: questions to those whom the agent names, and requests of sessions below. */

import { answerOverAgui, answerOverChat, type Door, decision, decisionOverSocket, post } from './door.ts';

export const requestDoors = {
  'an answer to a question for finance': { before: 'ask', agent: 'teller', go: decision(true, 'FIN') },
  'an answer to a question for finance over the WebSocket': {
    ...{ before: 'ask', agent: 'teller' },
    go: decisionOverSocket(true, 'FIN'),
  },
  'an answer to a question for finance over AG-UI': {
    ...{ before: 'ask', agent: 'teller' },
    go: answerOverAgui('teller'),
  },
  'an answer to a question for finance over chat': {
    ...{ before: 'ask', agent: 'teller' },
    go: answerOverChat('teller'),
  },
  'a message while a question for finance is open': {
    ...{ before: 'ask', agent: 'teller' },
    go: post('/sessions/{id}/messages', () => ({ message: 'FIN' })),
  },
  'an answer to a child': { before: 'delegate ask', agent: 'leader', go: decision(true, 'FIN') },
  'a message while a child asks': {
    ...{ before: 'delegate ask', agent: 'leader' },
    go: post('/sessions/{id}/messages', () => ({ message: 'FIN' })),
  },
  'a refusal to a child with a note': {
    ...{ before: 'delegate transfer', agent: 'leader' },
    go: decision(false, 'Pay FIN'),
  },
  'an approval to a child': { before: 'delegate transfer', agent: 'leader', go: decision(true) },
  'an answer to a child that asks finance': { before: 'consult', agent: 'leader', go: decision(true, 'FIN') },
} as const satisfies Record<string, Door>;
