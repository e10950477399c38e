/** A door: a way by which words reach a run. */

import type { Answer } from '../../support/embedded.ts';
import { mayHaveChanged } from '../../support/step-lines.ts';
import { atRest, type Call } from '../target.ts';

/** A session of Ada's at which a caller tries a door. */
export interface Before {
  readonly id: string;
  /** The request to people that is open, and the session below that asks, if it is not Ada's own. */
  readonly waitId: string;
  readonly child?: string;
  readonly callId: string;
  /** Id of her message. */
  readonly messageId: string;
  readonly ada: Call;
}

/** The place that a caller has reached: the session whose run they may have spoken to, or the status of their refusal. */
export type Reached = { readonly id: string } | number;

export interface Door {
  /** Ada's message. Its first word says where her session rests. */
  readonly before:
    | 'hello'
    | 'ask'
    | 'transfer'
    | 'fail'
    | 'delegate ask'
    | 'delegate transfer'
    | 'consult'
    | 'paint';
  /** The agent of Ada's session; the default is `worker`. */
  readonly agent?: 'worker' | 'teller' | 'leader';
  go(call: Call, at: Before, connect: (call: Call) => Promise<Ask>): Promise<Reached>;
}

/** Sends a request over a WebSocket, and resolves with the answer. */
export type Ask = (request: object) => Promise<{ type: string; problem?: { status: number } }>;

export const reached = ({ status, body }: Answer, id: string): Reached => {
  if (status >= 300) return status;
  // A stream begins with 200 and may tell of an error.
  return typeof body === 'string' && body.includes('"RUN_ERROR"') && !body.includes('RUN_STARTED')
    ? 500
    : { id };
};

export const post =
  (path: string, body: (at: Before) => object | undefined): Door['go'] =>
  async (call, at) =>
    reached(await call('POST', path.replace('{id}', at.id), body(at)), at.id);

/** A decision on what Ada's session shows as open, over HTTP. */
export const decision = (approved: boolean, note?: string): Door['go'] =>
  post('/sessions/{id}/decisions', ({ waitId }) => ({ id: waitId, approved, ...(note && { note }) }));

/** The same over the WebSocket. */
export const decisionOverSocket =
  (approved: boolean, note: string): Door['go'] =>
  async (call, { id, waitId }, connect) => {
    const ask = await connect(call);
    const answer = await ask({ action: 'decide', sessionId: id, id: waitId, approved, note });
    return answer.problem?.status ?? { id };
  };

export const agui = (agent: string, more: (at: Before) => object): Door['go'] =>
  post(`/agui/${agent}`, (at) => ({ threadId: at.id, runId: 'r', messages: [], ...more(at) }));
export const chat = (agent: string, message: (at: Before) => object): Door['go'] =>
  post(`/chat/${agent}`, (at) => ({ id: at.id, messages: [message(at)] }));

let n = 0;
export const fresh = () => `m${++n}`;

/** An answer to the question that is open, over AG-UI. */
export const answerOverAgui = (agent: string): Door['go'] =>
  agui(agent, ({ waitId }) => ({
    resume: [{ interruptId: waitId, status: 'resolved', payload: 'FIN' }],
  }));
export const answerOverChat = (agent: string): Door['go'] =>
  chat(agent, ({ callId }) => ({
    ...{ id: fresh(), role: 'assistant' },
    parts: [
      { type: 'tool-ask_user', toolCallId: callId, state: 'output-available', input: {}, output: 'FIN' },
    ],
  }));

/** The tool that Ada's page offers. */
const paint = { name: 'paint', description: 'Paints the page.', parameters: { type: 'object' } };

/** An answer to the call that waits for Ada's page, over AG-UI. */
export const pageAnswerOverAgui: Door['go'] = agui('worker', ({ callId }) => ({
  messages: [{ id: fresh(), role: 'tool', toolCallId: callId, content: 'FIN' }],
}));
export const pageAnswerOverChat: Door['go'] = chat('worker', ({ callId }) => ({
  ...{ id: fresh(), role: 'assistant' },
  parts: [{ type: 'tool-paint', toolCallId: callId, state: 'output-available', input: {}, output: 'FIN' }],
}));

/** Begins Ada's session, with a page if its run is to call a tool of one. */
async function begun(ada: Call, before: Door['before'], agent: string): Promise<string> {
  const message = `${before} x`;
  if (before !== 'paint') return (await ada('POST', '/sessions', { agent, message })).body.sessionId;
  const threadId = crypto.randomUUID();
  const messages = [{ id: fresh(), role: 'user', content: message }];
  await ada('POST', `/agui/${agent}`, { threadId, runId: 'r', messages, tools: [paint] });
  return threadId;
}

/** Ada's session, at rest where the door needs it. */
export async function prepared(ada: Call, { before, agent = 'worker' }: Door): Promise<Before> {
  const id = await begun(ada, before, agent);
  let { waits } = await atRest(ada, id);
  // A parent rests before its child asks.
  for (; agent === 'leader' && waits.every(isForChild); { waits } = await atRest(ada, id))
    await mayHaveChanged(id);
  const [wait] = waits.filter((one: { kind: string }) => !isForChild(one));
  const { messages } = (await ada('GET', `/sessions/${id}/messages`)).body;
  return {
    ...{ id, ada },
    waitId: wait?.id ?? '',
    ...(wait?.child && { child: wait.child }),
    callId: wait?.toolCallId ?? '',
    messageId: messages[0]?.id ?? '',
  };
}

const isForChild = ({ kind }: { kind: string }) => kind === 'child';
