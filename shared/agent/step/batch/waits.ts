import type { SessionKey } from '../../../contract/session.ts';
import { hash } from '../../plain/hash.ts';
import { byteLength } from '../../plain/utf8.ts';
import { mayHaveRun } from '../../session/may-have-run.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { OpenBatch, Wait } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { idempotencyKey } from '../../tools/execute.ts';
import { readingDigest } from '../../tools/reading.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Loaded } from '../open/load.ts';
import { leavesOf, saidToOf } from './denied.ts';
import type { PlannedCall } from './planned-call.ts';

/** The id of a wait. It differs for each kind, slot, call and arguments. */
export const waitId = (key: SessionKey, slot: number, kind: Wait['kind'], call: ToolCall): string =>
  hash(`${kind}:${idempotencyKey(key, slot, call)}`);

/**
 * The id of an approval. It also differs when the tool reads the same arguments differently. A decision therefore applies only
 * to what the person was shown, whatever has been deployed since.
 */
export const approvalId = (key: SessionKey, slot: number, call: ToolCall, tool: Tool | undefined): string =>
  hash(`${waitId(key, slot, 'approval', call)}:${readingDigest(call, tool)}`);

/** The batch while it waits for people, with a wait for each call that needs one. */
export function openForPeople(
  { key, pinned }: Loaded,
  slot: number,
  calls: readonly PlannedCall[],
  now: number,
): OpenBatch {
  const expiresAt = now + pinned.approvals.expireAfterSeconds * 1000;
  const waits = calls.flatMap((planned): Wait[] => {
    if (planned.kind !== 'run' || !planned.ask) return [];
    const { call, tool, ask } = planned;
    const { kind } = ask;
    const id = kind === 'approval' ? approvalId(key, slot, call, tool) : waitId(key, slot, kind, call);
    const message = ask.cut ? `${cutNotice(key, id)}\n${ask.message}` : ask.message;
    return [{ id, callId: call.id, tool: call.name, kind, message, expiresAt }];
  });
  const asked = calls.flatMap((planned) =>
    planned.kind === 'run' && planned.ask?.refused ? [[planned.call.id, planned.ask.refused] as const] : [],
  );
  const said = fitted(asked.map(([, { result }]) => result));
  const refused = asked.map(([id, one], i) => [id, { ...one, result: said[i] ?? '' }] as const);
  const settled = calls.flatMap((planned) => (planned.kind === 'settled' ? planned.result : []));
  return {
    ...{ slot, waits, since: now },
    ...notesOf(calls),
    ...leavesOf(calls),
    ...unrunIn(settled, calls, pinned),
    ...(refused.length > 0 && { refused: Object.fromEntries(refused) }),
  };
}

/** The notice comes first, so that a later shortening of the message cannot remove it. */
export const cutNotice = ({ sessionId }: SessionKey, id: string): string =>
  `Not all of this is shown. All of it: GET /sessions/${sessionId}/waits/${id}`;

/** The batch while it waits for its queued calls. */
export function openForCalls(
  { key, pinned }: Loaded,
  slot: number,
  queued: readonly PlannedCall[],
  calls: readonly PlannedCall[],
  ran: readonly ToolResult[],
  now: number,
): OpenBatch {
  const expiresAt = now + pinned.limits.queuedCallSeconds * 1000;
  const waits = queued.map((planned): Wait => {
    const { call, answers = [] } = planned;
    // The call runs again after each answer, under another wait id, so that a late worker of the previous round cannot end the
    // new wait.
    const id = withRound(waitId(key, slot, 'call', call), answers.length);
    return { id, callId: call.id, tool: call.name, kind: 'call', message: call.name, expiresAt };
  });
  return {
    ...{ slot, waits, since: now },
    ...notesOf(calls),
    ...leavesOf(calls),
    ...saidToOf(calls),
    ...answersOf(calls),
    ...unrunIn(ran, calls, pinned),
  };
}

/** The id of a call's wait in its n-th round. */
export const withRound = (id: string, round: number): string => (round === 0 ? id : hash(`${id}:${round}`));

/** Answers of people to calls that are to run again. */
function answersOf(calls: readonly PlannedCall[]): Pick<OpenBatch, 'answers'> {
  const answers = calls.flatMap((planned) =>
    planned.answers ? [[planned.call.id, planned.answers] as const] : [],
  );
  return answers.length > 0 ? { answers: Object.fromEntries(answers) } : {};
}

/** Calls over the limit of a reply are recorded as positions, and there may be thousands. */
function unrunIn(
  results: readonly ToolResult[],
  calls: readonly PlannedCall[],
  { limits }: Loaded['pinned'],
): Pick<OpenBatch, 'unrun'> {
  const within = new Set(calls.slice(0, limits.maxCallsPerReply).map(({ call }) => call.id));
  const unrun = results.filter((result) => !mayHaveRun(result) && within.has(result.callId));
  const said = fitted(unrun.map(({ content }) => content));
  return unrun.length > 0 ? { unrun: unrun.map((result, i) => ({ ...result, content: said[i] ?? '' })) } : {};
}

/** A note is told with the result of a call that was run. */
function notesOf(calls: readonly PlannedCall[]): Pick<OpenBatch, 'notes'> {
  const noted = calls.flatMap((planned) => {
    const { call, note } = planned;
    return note && (planned.kind === 'run' || mayHaveRun(planned.result)) ? [[call.id, note] as const] : [];
  });
  const said = fitted(noted.map(([, { message }]) => message));
  const notes = noted.map(([id, note], i) => [id, { ...note, message: said[i] ?? '' }] as const);
  return notes.length > 0 ? { notes: Object.fromEntries(notes) } : {};
}

/** Bytes of UTF-8 of the stored texts about a batch's calls, for each kind of text. They are part of HEAD, which may have 350 KB. */
const MAX_SAID = 60_000;

/** If the texts are too large together, those that are longer than their share are cut to it. */
function fitted(said: readonly string[]): readonly string[] {
  if (byteLength(said.join('')) <= MAX_SAID) return said;
  // A UTF-16 code unit has at most three bytes in UTF-8.
  const most = Math.floor(MAX_SAID / said.length / 3);
  return said.map((text) =>
    text.length <= most ? text : text.slice(0, most).toWellFormed() + texts.outputCut(most, text.length),
  );
}
