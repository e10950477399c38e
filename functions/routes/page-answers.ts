import { type DecisionRule, whyMayNotDecide } from '../../shared/agent/define/may-decide.ts';
import { type AnswerPorts, answerGranted } from '../../shared/agent/entrypoints/answer.ts';
import { isTooDeep, MAX_DEPTH } from '../../shared/agent/plain/depth.ts';
import { byteLength } from '../../shared/agent/plain/utf8.ts';
import { type CallerFacts, callerFacts } from '../../shared/agent/session/caller.ts';
import type { DecidedBefore } from '../../shared/contract/events.ts';
import { MAX_ANSWER_BYTES } from '../../shared/contract/http.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { PageAnswer } from '../../shared/contract/page.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';

/** The outcome of a page's answers to calls. */
export interface Answered {
  /** How many of them count, now or since an earlier request. */
  readonly counted: number;
  /** Answers that have no effect. */
  readonly late: readonly DecidedBefore[];
}

/**
 * Answers calls of the session that wait for their page, in the caller's name. An answer counts once. One to a call that no
 * longer waits has no effect, and does not keep the others from counting. Refuses callers who take no part in the session.
 */
export async function answerAll(
  key: SessionKey,
  answers: readonly PageAnswer[],
  caller: Identity,
  channel: CallerFacts['channel'],
  { io, agents }: { readonly io: AnswerPorts; readonly agents: readonly DecisionRule[] },
): Promise<Answered> {
  if (answers.length === 0) return { counted: 0, late: [] };
  const session = (await io.sessions.read(key))?.session;
  const by = { by: caller.subject, caller: callerFacts(caller, channel) };
  let counted = 0;
  const late: DecidedBefore[] = [];
  for (const { toolCallId, answer } of answers) {
    const wait = session?.batch?.waits.find(({ kind, callId }) => kind === 'page' && callId === toolCallId);
    if (!session?.batch || !wait) {
      late.push({ id: toolCallId, detail: isOver });
      continue;
    }
    const agent = agents.find(({ name }) => name === session.agent);
    const why = whyMayNotDecide(caller, wait, session, agent);
    if (why !== undefined) throw new Refusal(403, 'You may not decide this', { detail: why });
    const grant = {
      ...key,
      ...{ slot: session.batch.slot, callId: wait.callId, name: wait.tool },
      ...{ id: wait.id, expiresAt: wait.expiresAt },
    };
    const became = await answerGranted(grant, fitting(answer), io, by);
    if (became === 'taken' || became === 'taken_before') counted += 1;
    else late.push({ id: toolCallId, detail: isOver });
  }
  return { counted, late };
}

const isOver =
  'The call does not wait for this answer: it has another one, its time is over, or its run has ended. The answer has no effect.';

/** An answer that can be stored; otherwise the reason why not, as the page's error, so that the run goes on. */
function fitting(answer: PageAnswer['answer']): PageAnswer['answer'] {
  if (isTooDeep(answer))
    return { error: `the page answered with a value that is nested more than ${MAX_DEPTH} levels deep` };
  const bytes = byteLength(JSON.stringify(answer));
  return bytes > MAX_ANSWER_BYTES
    ? { error: `the page answered with ${bytes} bytes; at most ${MAX_ANSWER_BYTES} may be` }
    : answer;
}
