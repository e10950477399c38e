import type { WakeupFile } from '../../shared/agent/define/webhook.ts';
import { plainName } from '../../shared/agent/media/name.ts';
import { encoded } from '../../shared/agent/plain/utf8.ts';
import type { Egress } from '../../shared/agent/ports/egress.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import { type KeepContext, keepBest } from '../attachments/best.ts';
import { bytesOfBase64, fetchLink } from '../attachments/fetch.ts';

/** Time in ms for all links of a delivery: GitHub waits 10 s for an answer. */
const PATIENCE_MS = 6_000;

/** A file whose bytes are there. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files of a message, as they were taken in. */
export interface TakenFiles {
  /** Tells the model which files did not arrive whole; empty if all did. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/**
 * Takes the files that a mapping gives with its message into the session. A file that cannot be fetched or used is reported to
 * the model, never thrown.
 */
export async function takeGiven(
  files: readonly (WakeupFile | GivenFile)[],
  context: KeepContext & { readonly egress: Egress },
): Promise<TakenFiles> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const attachments: Attachment[] = [];
  const said: string[] = [];
  // Sequential, because all of them together would not fit into the function's memory.
  for (const file of files) {
    const name = plainName(file.name);
    const bytes = await bytesOf(file, context.egress, signal);
    const { kept, why } =
      typeof bytes === 'string'
        ? { why: bytes }
        : await keepBest(
            { name, bytes, folder: ('folder' in file ? file.folder : undefined) ?? '' },
            context,
          );
    if (kept) attachments.push(kept);
    if (why !== undefined) said.push(`[file "${name}"${kept ? '' : ' did not come'}: ${why}]`);
  }
  return { text: said.join('\n'), attachments };
}

async function bytesOf(
  file: WakeupFile | GivenFile,
  egress: Egress,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  if ('bytes' in file) return file.bytes;
  if ('text' in file) return encoded(file.text);
  if ('url' in file) return fetchLink(file.url, egress, signal);
  return bytesOfBase64(file.base64) ?? 'It is not valid base64.';
}
