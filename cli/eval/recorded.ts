/** Extracts the parts of a case from a session as its clients see it. Pure. */

import { defined } from '../../shared/agent/plain/defined.ts';
import type { FeedbackInfo, SessionInfo, SnapshotMessage, StepInfo } from '../../web/client/index.ts';

/** A session as the API returns it. */
export interface Seen {
  readonly session: Pick<SessionInfo, 'sessionId' | 'agent' | 'state' | 'reason' | 'run'>;
  readonly messages: readonly SnapshotMessage[];
  readonly steps: readonly StepInfo[];
  readonly feedback: readonly FeedbackInfo[];
}

/** A call of the model. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

export interface Recorded {
  readonly sessionId: string;
  readonly agent: string;
  /** The user's messages, each sent after the session had come to rest. */
  readonly user: readonly string[];
  /** The model's replies. */
  readonly script: readonly { readonly text: string; readonly calls: readonly Call[] }[];
  /** Results of tools, with inputs as their tools receive them. */
  readonly results: readonly (Call & ({ readonly result: string } | { readonly error: string }))[];
  /** The model's successful calls, in order. */
  readonly trajectory: readonly Call[];
  /** The user's decisions: approved or not, or an answer, by the first request of each tool. */
  readonly decisions: Readonly<Record<string, boolean | string>>;
  /** How the run ended, if not with `completed`. */
  readonly ending?: { readonly state: string; readonly reason?: string };
  /** The agent's last text. */
  readonly answer?: string;
  /** A person has rated that answer as bad. */
  readonly isBad?: true;
}

type Assistant = Extract<SnapshotMessage, { role: 'assistant' }>;

/** @param asRead returns a call's input as its tool receives it, with defaults filled in */
export function recordedOf(
  { session, messages, steps, feedback }: Seen,
  asRead: (call: Call) => unknown,
): Recorded {
  const { sessionId, agent, state, reason, run } = session;
  const spoken = messages.filter((message): message is Assistant => message.role === 'assistant');
  const own = spoken.filter(({ made }) => made === undefined);
  const contents = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.toolCallId, message.content] as const] : [],
    ),
  );
  const infos = new Map(steps.flatMap(({ calls }) => calls.map((call) => [call.id, call] as const)));
  const ended = (id: string) => infos.get(id)?.outcome;
  const callsOf = (of: readonly Assistant[]) => of.flatMap(({ toolCalls = [] }) => toolCalls).map(parsed);
  return {
    ...{ sessionId, agent },
    user: saidIn(messages),
    script: own.map(({ content = '', toolCalls = [] }) => ({
      text: content,
      calls: toolCalls.map(parsed).map(({ name, input }) => ({ name, input })),
    })),
    results: callsOf(spoken).flatMap(({ id, ...call }) => {
      const content = contents.get(id);
      const outcome = ended(id);
      if (content === undefined || (outcome !== 'ok' && outcome !== 'error')) return [];
      const input = asRead(call);
      return [
        outcome === 'ok'
          ? { name: call.name, input, result: content }
          : { name: call.name, input, error: content.replace(/^Error \[[^\]]*\]: /, '') },
      ];
    }),
    trajectory: callsOf(own)
      .filter(({ id }) => ended(id) === 'ok')
      .map(({ name, input }) => ({ name, input })),
    decisions: decisionsIn(callsOf(spoken), infos, contents),
    ...(state !== 'completed' && { ending: { state, ...defined({ reason }) } }),
    ...answerIn(own),
    ...(feedback.some(({ runId, rating }) => runId === run?.id && rating === 'bad') && { isBad: true }),
  };
}

/** A message in the middle of a run is joined to the one before it, because a rehearsal sends messages only to a session at rest. */
function saidIn(messages: readonly SnapshotMessage[]): string[] {
  const said: string[] = [];
  let rests = true;
  for (const message of messages) {
    if (message.role === 'assistant') rests = (message.toolCalls ?? []).length === 0;
    if (message.role !== 'user') continue;
    if (rests || said.length === 0) said.push(message.content);
    else said.push([said.pop(), message.content].join('\n\n'));
    rests = false;
  }
  return said;
}

function parsed(call: {
  id: string;
  function: { name: string; arguments: string };
}): Call & { readonly id: string } {
  const { name, arguments: args } = call.function;
  try {
    return { id: call.id, name, input: JSON.parse(args) };
  } catch {
    return { id: call.id, name, input: args };
  }
}

/** The result of `ask_user` is the person's answer; other calls count as approved if a person let them run. */
function decisionsIn(
  calls: readonly (Call & { readonly id: string })[],
  infos: ReadonlyMap<string, StepInfo['calls'][number]>,
  contents: ReadonlyMap<string, string>,
): Record<string, boolean | string> {
  const decided = calls.flatMap(({ id, name }): [string, boolean | string][] => {
    const content = contents.get(id) ?? '';
    if (name === 'ask_user') return content === '' ? [] : [[name, content]];
    if (infos.get(id)?.decidedBy !== undefined) return [[name, true]];
    return content.startsWith('Error [denied]: a person') ? [[name, false]] : [];
  });
  return Object.fromEntries(decided.toReversed());
}

function answerIn(own: readonly Assistant[]): Pick<Recorded, 'answer'> {
  const last = own.at(-1);
  return last?.content && (last.toolCalls ?? []).length === 0 ? { answer: last.content } : {};
}
