import { sizeOf, windowOf } from '../../context/size.ts';
import { wasRun } from '../../guardrails/loops/fingerprint.ts';
import { blobKey } from '../../plain/blob-key.ts';
import { modelAt } from '../../session/pinned.ts';
import { runOf } from '../../session/session.ts';
import type { ToolResult } from '../../session/slots.ts';
import { texts } from '../../texts.ts';
import { askedIn } from '../model/turn.ts';
import type { Step } from '../open/step-context.ts';

/** Characters up to which a result is told in any case: what would be said in its place is not much shorter. */
const SHORT = 400;

/**
 * The results of calls that have just ended, of which those that would fill the context are left out: the model is told so, and each
 * lies whole in the blob store (T20). What does not fit is decided in the order in which calls end, so what was told stays.
 *
 * @param slot the number of the reply's slot
 * @param before results of the batch that were told already
 * @param always so many of the batch are left whole
 */
export async function leaveOut(
  step: Step,
  slot: number,
  before: readonly ToolResult[],
  ended: readonly ToolResult[],
  always: number,
): Promise<readonly ToolResult[]> {
  const { pinned } = step.loaded;
  const share = pinned.limits.batchWindowShare;
  if (share === 0) return ended;
  const window = windowOf(pinned, modelAt(pinned, runOf(step.session).fallback).window);
  let room = (share * window - sizeOf(askedIn(step))) * CHARS_A_TOKEN - charsIn(before);
  let told = before.length;
  const fits = ended.map((result) => {
    told += 1;
    const { length } = result.content;
    const isOutput = wasRun(result) && !result.leftOut;
    if (isOutput && told > always && length > SHORT && length > room) return false;
    room -= length;
    return true;
  });
  return Promise.all(ended.map((result, i) => (fits[i] ? result : leftOut(result, step, slot))));
}

/** About as many as `context/estimate.ts` counts. */
const CHARS_A_TOKEN = 4;

const charsIn = (results: readonly ToolResult[]): number =>
  results.reduce((sum, { content }) => sum + content.length, 0);

/** Its text cannot be kept where the blob store cannot be reached: the call has run all the same. */
async function leftOut(result: ToolResult, { loaded, io }: Step, slot: number): Promise<ToolResult> {
  const { json: _, content, ...rest } = result;
  const { tenant, sessionId } = loaded.key;
  const blob = result.blob ?? blobKey(tenant, sessionId, 'results', String(slot), result.callId);
  const kept =
    result.blob !== undefined ||
    (await io.blobs.put(blob, content).then(
      () => true,
      () => false,
    ));
  return { ...rest, content: texts.outputLeftOut(content.length), leftOut: true, ...(kept && { blob }) };
}
