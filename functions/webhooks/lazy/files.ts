import type { WakeupFile } from '../../../shared/agent/define/webhook.ts';
import { plainName } from '../../../shared/agent/media/name.ts';
import type { Egress } from '../../../shared/agent/ports.ts';
import type { Attachment } from '../../../shared/agent/session/attachments.ts';
import { type KeepContext, keepBest } from '../../attachments/best.ts';
import { bytesOfBase64, fetchLink } from '../../attachments/fetch.ts';

/** Time in ms for all links of a delivery: GitHub waits 10 s for an answer. */
const PATIENCE_MS = 6_000;

/** What has come with a message. */
export interface TakenFiles {
  /** What the model is told of those that have not come whole; empty when there are none. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Takes what a mapping gives with its message over into the session. What cannot be had or used is said to the model, never thrown. */
export async function takeGiven(
  files: readonly WakeupFile[],
  context: KeepContext & { readonly egress: Egress },
): Promise<TakenFiles> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const attachments: Attachment[] = [];
  const said: string[] = [];
  // One after the other: together they would not fit into the function's memory.
  for (const file of files) {
    const name = plainName(file.name);
    const bytes = await bytesOf(file, context.egress, signal);
    const { kept, why } =
      typeof bytes === 'string'
        ? { why: bytes }
        : await keepBest({ name, bytes, folder: file.folder ?? '' }, context);
    if (kept) attachments.push(kept);
    if (why !== undefined) said.push(`[file "${name}"${kept ? '' : ' did not come'}: ${why}]`);
  }
  return { text: said.join('\n'), attachments };
}

async function bytesOf(file: WakeupFile, egress: Egress, signal: AbortSignal): Promise<Uint8Array | string> {
  if ('text' in file) return new TextEncoder().encode(file.text);
  if ('url' in file) return fetchLink(file.url, egress, signal);
  return bytesOfBase64(file.base64) ?? 'It is not in base64.';
}
