import type { FoldReason } from '../../../contract/events.ts';
import type { ContextInputs } from '../../context/asked.ts';
import { headOf } from '../../context/head.ts';
import { fullness } from '../../context/room.ts';
import { limitOf, sizeOf } from '../../context/size.ts';
import { planFold } from '../../context/stages.ts';
import { defined } from '../../plain/defined.ts';
import { charge } from '../../session/charge.ts';
import type { Fold } from '../../session/fold.ts';
import { runOf } from '../../session/session.ts';
import type { FoldSlot } from '../../session/slots.ts';
import { storedTiming } from '../../session/timing.ts';
import type { Draft } from '../draft.ts';
import { contextFull, MOST_FOLDS } from '../end/fold-instead.ts';
import { refusal } from '../end/over-budget.ts';
import * as unanswered from '../end/unanswered.ts';
import { toUsageEvent } from '../model/account.ts';
import { drainWithFiles } from '../model/input-files.ts';
import { lostWithout } from '../model/model-call.ts';
import type { Admitted } from '../model/preflight.ts';
import { askedIn, type Turn, waitingInput } from '../model/turn.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { SessionPart, Step, WritingPart } from '../open/step-context.ts';
import { keepFold, worked } from './keep-fold.ts';
import { type Bought, buySummary, type Stopped } from './summary.ts';

export { adoptFold } from './keep-fold.ts';

/**
 * A step that begins a new context, and does nothing else: it drains no inbox event unless it fails, keeps no guard verdict,
 * and does not count as a step of the run. Undefined if a fold would change next to nothing.
 */
export async function fold(step: Step, admitted: Admitted, why: FoldReason): Promise<Draft | undefined> {
  const { session, loaded, stream } = step;
  const run = runOf(session);
  const asked = askedIn(step);
  const size = fullness(sizeOf(asked), asked);
  const again = run.folds < MOST_FOLDS;
  const need = why !== 'budget' && (why !== 'size' || size > limitOf(loaded.pinned, run.fallback));
  if (!again && !need) return undefined;
  const plan = again ? planFold({ ...asked, size }, why) : 'full';
  if (plan === 'no_use') return undefined;
  if (plan === 'full') return unanswered.refused(step, admitted, contextFull(nothingFits));

  if (step.isRetry) tellSnapshot(step, [], []);
  stream.emit({ type: 'CUSTOM', name: 'steploop.folding', value: { why, tokens: size, chars: 0 } });
  const asks = plan.summaryChars > 0 && !hasLastWord(admitted);
  const bought = (asks && (await buySummary(step, why, size, plan))) || nothingBought(step);
  switch (bought.kind) {
    case 'failed':
      // The run may end here, because of the failure or a cancel, so what it was asked must be in history.
      return unanswered.failed(step, await drainWithFiles(step, admitted), bought);
    case 'exceeded': {
      const { halt, notice } = refusal(bought.over);
      return unanswered.refused(step, admitted, halt, { events: [notice], lost: bought.lost });
    }
    case 'stopped':
      return stopped(step, bought);
    case 'summary': {
      // The list of what was done is kept only when there is no summary.
      const { log: _log, ...cut } = plan.fold;
      return keepFold(step, slotOf(step, asked, { ...cut, summary: bought.summary }, bought.lost));
    }
    case 'none':
      return keepFold(step, slotOf(step, asked, plan.fold, bought.lost), bought);
    default:
      return bought satisfies never;
  }
}

const nothingFits =
  'Nothing that could be left out makes the conversation fit the context window of its model: instructions, tools and the last messages alone are too long.';

/** The run is over its limit, and only one last reply is bought. */
const hasLastWord = ({ verdict }: Admitted): boolean =>
  verdict?.kind === 'text_only' && verdict.ending !== undefined;

/** The waiting events are drained by the step that asks the model. */
const nothingDrained = ({ session }: Pick<Step, 'session'>): Turn => ({
  session,
  input: [],
  incorporated: [],
  spoken: [],
});

/** No model is asked. A dead attempt at this step may have asked one, before something arrived that makes this attempt fold. */
const nothingBought = (step: SessionPart): Bought => ({
  kind: 'none',
  durationMs: 0,
  ...lostWithout(step, waitingInput(step)),
});

/** The run is to end, and the next invocation says how. The cost so far is charged. */
function stopped(step: WritingPart, { lost, used, durationMs }: Stopped): Promise<Draft> {
  const session = worked(lost ? charge(step.session, lost) : step.session, durationMs);
  const turn = { ...nothingDrained(step), session, ...defined({ lost }) };
  const spent = used ? [toUsageEvent(session, runOf(session).steps + 1, used.model, used.call)] : [];
  return unanswered.withInputOnly(step, turn, spent, { kind: 'leave' });
}

function slotOf(
  { session, loaded }: Pick<Step, 'session' | 'loaded'>,
  asked: ContextInputs,
  fold: Fold,
  lost: FoldSlot['lost'],
): FoldSlot {
  const run = runOf(session);
  return {
    kind: 'model',
    n: session.version,
    runId: run.id,
    step: run.steps + 1,
    input: headOf(asked, fold, fold.summary?.text),
    fold,
    verdicts: [],
    ...defined({ lost }),
    at: storedTiming(loaded.timing),
    ...(session.workspace && { workspace: session.workspace }),
  };
}
