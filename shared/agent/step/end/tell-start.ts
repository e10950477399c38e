import type { AgUiEvent, Frame } from '../../../contract/events.ts';
import { withoutLate } from '../../events/late-frames.ts';
import { closing, leftOpen } from '../../events/left-open.ts';
import { seqBefore } from '../../events/stream.ts';
import { publicRunId } from '../../session/run-ids.ts';
import type { Step } from '../open/step-context.ts';

/** Tells clients that the step begins. After an attempt that died, it first tells what became of that attempt. */
export async function tellStart(
  step: Pick<Step, 'io' | 'isRetry' | 'loaded' | 'recovered' | 'session' | 'stepName' | 'stream'>,
): Promise<void> {
  const { loaded, session, stream, stepName, isRetry } = step;
  const dead = isRetry ? await readDead(step) : [];
  const open = leftOpen(dead);
  const before = dead.at(-1);
  if (before) stream.follow(before.seq);
  for (const event of closing(open)) stream.emit(event);
  if (session !== loaded.view.session && !open.runStarted) {
    stream.emit({ type: 'RUN_STARTED', threadId: loaded.key.sessionId, runId: publicRunId(session) });
  }
  if (isRetry) tellRecovery(step, dead);
  stream.emit({ type: 'STEP_STARTED', stepName });
}

/** The frames of attempts since the last commit, as every reader sees them. */
async function readDead({ loaded: { key, view }, io }: Pick<Step, 'loaded' | 'io'>): Promise<Frame[]> {
  const { eventSeq } = view.session;
  return withoutLate(await io.log.read(key, eventSeq, MAX_DEAD_FRAMES, seqBefore(view.fence.epoch)));
}

function tellRecovery(
  { loaded, stream, recovered }: Pick<Step, 'loaded' | 'stream' | 'recovered'>,
  dead: readonly Frame[],
): void {
  const { session, attempts } = loaded.view;
  const messageIds = dead.flatMap(({ event }) => startedMessage(event));
  if (messageIds.length > 0) {
    const value = { messageIds, why: 'the attempt that said this died' };
    stream.emit({ type: 'CUSTOM', name: 'steploop.aborted', value });
  }
  const upTo = dead.at(-1)?.seq ?? session.eventSeq;
  const value = {
    attempt: attempts,
    adopted: (recovered.model ?? recovered.tools ?? recovered.fold) !== undefined,
    upTo,
  };
  stream.emit({ type: 'CUSTOM', name: 'steploop.recovered', value });
}

/** More frames than the dead attempts of one step can have logged. */
const MAX_DEAD_FRAMES = 10_000;

const startedMessage = (event: AgUiEvent): string[] =>
  (event.type === 'TEXT_MESSAGE_START' && event.role === 'assistant') ||
  event.type === 'REASONING_MESSAGE_START'
    ? [event.messageId]
    : [];
