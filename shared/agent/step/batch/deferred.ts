import { sizeOf, windowOf } from '../../context/size.ts';
import { wasRun } from '../../guardrails/loops/fingerprint.ts';
import { blobKey } from '../../plain/blob-key.ts';
import { modelAt } from '../../session/pinned.ts';
import { runOf } from '../../session/session.ts';
import type { ToolResult } from '../../session/slots.ts';
import { texts } from '../../texts.ts';
import { askedIn } from '../model/turn.ts';
import type { SessionPart, Step } from '../open/step-context.ts';

/** Characters up to which a result is always told: the text in its place would not be much shorter. */
const SHORT = 400;

/**
 * The results of calls that have just ended, without those that would fill the context. For a result that is left out, the
 * model is told so, and the whole text is in the blob store. Calls are considered in the order in which they end, so a result
 * that was told stays told.
 *
 * @param slot the number of the reply's slot
 * @param before results of the batch that were already told
 * @param always this many results of the batch are always left whole
 */
export async function leaveOut(
  step: SessionPart & Pick<Step, 'io'>,
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

/** Roughly as `context/estimate.ts` counts. */
const CHARS_A_TOKEN = 4;

const charsIn = (results: readonly ToolResult[]): number =>
  results.reduce((sum, { content }) => sum + content.length, 0);

/** The text cannot be stored if the blob store is unreachable, but the call has run all the same. */
async function leftOut(
  result: ToolResult,
  { loaded, io }: Pick<Step, 'loaded' | 'io'>,
  slot: number,
): Promise<ToolResult> {
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
