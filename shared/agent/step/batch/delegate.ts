/** Calls that begin other sessions (docs/children.md). Loaded by the first such call in a process. */

import { fromNano, toNano } from '../../../contract/money.ts';
import { leftOf } from '../../guardrails/budgets/budget.ts';
import { defined } from '../../plain/defined.ts';
import { aliveFor } from '../../session/background.ts';
import {
  type BackgroundChild,
  type Cap,
  childIdOf,
  MAX_ALIVE,
  MAX_CHILDREN,
  MAX_DEPTH,
  MAX_UNPROMPTED,
} from '../../session/parent.ts';
import { runOf, type Session } from '../../session/session.ts';
import type { Slot, ToolCall, ToolResult } from '../../session/slots.ts';
import { speakersOf } from '../../session/speakers.ts';
import { laterId } from '../../tools/deferred-results.ts';
import { notRun } from '../../tools/execute.ts';
import type { Postponing } from '../../tools/later.ts';
import { readInput } from '../../tools/reading.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Step, WritingPart } from '../open/step-context.ts';
import { timesOfChild } from './child-times.ts';
import type { BatchPlan } from './planned-call.ts';
import { withConversation } from './quoted-conversation.ts';

/** Texts that the model reads about calls that begin nothing. */
const said = {
  deep: `a session that is ${MAX_DEPTH} levels below the first one begins no others. Do this work yourself.`,
  many: (most: number) =>
    most === 0
      ? 'no more agents may be at work for this task. Do this work yourself.'
      : `one reply may ask ${most} other agents here. Wait for their answers, and ask the others then.`,
  poor: 'the rest of the budget is too small to share. Do this work yourself.',
  again: (code: string) =>
    `it has failed twice in the same way (${code}), so a third try is not made in this run. Do this work yourself, or tell the user that it cannot be done.`,
  wrong: 'say what is to be done, as { "task": "…" }.',
  wrongList:
    'say the items, as { "items": ["…"], "task": "…" }: up to 1,000 texts, with up to 100,000 characters together.',
  noAgent: (name: string) => `there is no agent ${name} any more. Do this work yourself.`,
  gone: 'its session was deleted. Its task may or may not have been done.',
  unprompted: `agents have reported ${MAX_UNPROMPTED} times in a row, and no message from outside has come. Do this work yourself, or tell the user what is left to do.`,
  begun: (name: string, child: string) =>
    `${name} works on it in the background, as session ${child}. Its report will come as a message. Go on with other work, or end your turn.`,
};

/**
 * Begins the session that answers a call. Whether it may, and its share of what is left, follows from the reply and from committed
 * state alone, so each attempt at the call begins the same session, with the same share.
 * An attempt that cannot store the reply begins nothing.
 */
export async function beginChild(
  step: WritingPart & Pick<Step, 'recovered' | 'tools'>,
  { calls, session }: Pick<BatchPlan, 'calls' | 'session'>,
  call: ToolCall,
  tool: Tool,
  { slot, slotKept }: Pick<Postponing, 'slot' | 'slotKept'>,
): Promise<ToolResult> {
  const { loaded, io } = step;
  const { key } = loaded;
  if (!tool.delegates) throw new Error(`${tool.name} begins no sessions`);
  const { agent, cap: own, expiresAfterSeconds, messages, takesItems, shape } = tool.delegates;
  const refused = (why: string) =>
    notRun(call, 'refused', `Error [refused]: ${call.name} was not asked: ${why}`);
  const { depth = 0, room: all = MAX_ALIVE } = session.parent ?? {};
  const room = all - aliveFor(session);
  const reading = readInput(call, tool);
  const task = reading.kind === 'read' ? taskIn(reading.value) : undefined;
  if (task === undefined) return refused(takesItems ? said.wrongList : said.wrong);
  if (depth >= MAX_DEPTH) return refused(said.deep);
  const asking = calls.filter((one) =>
    step.tools.some(({ name, delegates }) => delegates && name === one.call.name),
  );
  const most = Math.min(shape?.width ?? MAX_CHILDREN, room);
  if (asking.findIndex((one) => one.call === call) >= most) return refused(said.many(most));
  // The tasks of a shape differ, and it knows how many there are.
  const failed = shape ? undefined : failsAlike(step, call.name);
  if (failed) return refused(said.again(failed));
  const among = Math.min(asking.length, most);
  const isBackground = worksInBackground(tool, session);
  if (isBackground && (session.unprompted ?? 0) >= MAX_UNPROMPTED) return refused(said.unprompted);
  // A session goes on beside those in the background, so it keeps a part for itself.
  const parts = asking.some((one) =>
    step.tools.some((other) => other.name === one.call.name && worksInBackground(other, session)),
  )
    ? among + 1
    : among;
  const { limits, guardrails } = loaded.pinned;
  const share = shareOf(leftOf(session, limits, guardrails.budget), parts);
  if (share.tokens === 0 || share.usd === 0) return refused(said.poor);
  const cap = lowerOf(share, own ?? {});

  await slotKept;
  const id = laterId(key, slot, call);
  const child = childIdOf(id);
  const { until, wrapUpAt } = timesOfChild(expiresAfterSeconds * 1000, io.clock.now(), session.parent);
  const shared = { room: Math.floor((room - among) / parts), ...(Object.keys(cap).length > 0 && { cap }) };
  if (!io.children) throw new Error('this function begins no sessions');
  const begun = await io.children.begin({
    key: { tenant: key.tenant, sessionId: child },
    agent,
    parent: {
      ...{ sessionId: key.sessionId, slot, callId: call.id, name: call.name, id },
      ...{ depth: depth + 1, ...shared, wrapUpAt },
      ...(isBackground && { background: { until } }),
    },
    task: messages === undefined ? task : withConversation(task, messages, slotsBefore(step, slot)),
    speakers: speakersOf(runOf(session)),
    user: session.user,
    mode: session.mode,
  });
  if (begun === 'no_agent') return refused(said.noAgent(agent));
  if (begun === 'gone') return notRun(call, 'unknown', `Error [gone]: ${call.name}: ${said.gone}`);
  const ok = { callId: call.id, name: call.name, outcome: 'ok', durationMs: 0 } as const;
  if (!isBackground)
    return {
      ...{ ...ok, content: '' },
      awaits: { kind: 'answer', until, child, ...(shape?.races && { races: true as const }) },
    };
  const background: BackgroundChild = {
    id,
    sessionId: child,
    callId: call.id,
    name: call.name,
    until,
    ...shared,
  };
  return { ...ok, content: said.begun(call.name, child), child: { sessionId: child, background } };
}

/**
 * Whether a tool's calls return before their child has ended. A session that works for another one ends with its run, so it waits
 * for its children.
 */
const worksInBackground = ({ delegates }: Pick<Tool, 'delegates'>, { parent }: Session): boolean =>
  delegates?.background === true && parent === undefined;

/** Failures of the same kind after which an agent is not asked again. */
const ALIKE = 2;

/** How the last tasks of this run that an agent was given have failed, if all of them did in the same way. */
function failsAlike(
  { history, session }: Pick<Step, 'history' | 'session'>,
  name: string,
): string | undefined {
  const ends = history.flatMap((slot) =>
    slot.kind === 'tools' && slot.runId === runOf(session).id
      ? slot.results.filter((result) => result.name === name && result.child)
      : [],
  );
  const last = ends.slice(-ALIKE);
  const [first] = last;
  const code = first && codeOf(first);
  return code !== undefined && last.length === ALIKE && last.every((end) => codeOf(end) === code)
    ? code
    : undefined;
}

const codeOf = ({ outcome, content }: ToolResult): string | undefined =>
  outcome === 'ok' ? undefined : /^Error \[(\w+)\]/.exec(content)?.[1];

/** The slots of the conversation up to the reply that makes the call. */
const slotsBefore = (
  { history, kept, recovered, loaded }: Pick<Step, 'history' | 'kept' | 'loaded' | 'recovered'>,
  slot: number,
): readonly Slot[] => {
  const all = [...history, ...loaded.slots, ...(recovered.model ? [recovered.model] : []), ...kept];
  const byNumber = new Map(all.filter(({ n }) => n <= slot).map((one) => [one.n, one]));
  return [...byNumber.values()].sort((a, b) => a.n - b.n);
};

/** The message that the agent begins with. A map reads its list as JSON. */
function taskIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  if ('items' in input) return JSON.stringify(input);
  return 'task' in input && typeof input.task === 'string' ? input.task : undefined;
}

/** An equal part of what is left, rounded down: the parts together are never more than that. */
const shareOf = ({ tokens, usd }: Cap, among: number): Cap => ({
  ...(tokens !== undefined && { tokens: Math.floor(tokens / among) }),
  ...(usd !== undefined && { usd: fromNano(Math.floor(toNano(usd) / among)) }),
});

function lowerOf(one: Cap, other: Cap): Cap {
  const tokens = lowest(one.tokens, other.tokens);
  const usd = lowest(one.usd, other.usd);
  return { ...defined({ tokens, usd }) };
}

const lowest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
