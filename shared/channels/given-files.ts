/** The files that an agent gives to people in a run. */

import { plainName } from '../agent/media/name.ts';
import { jsonIn } from '../agent/plain/json-in.ts';
import type { Slot } from '../agent/session/slots.ts';
import { SEND_FILES, type SentFile, SentFiles } from '../contract/sent-files.ts';

/** Bytes of one file: as many as a file of a workspace may have (`limits.workspace.fileBytes`). */
export const MAX_GIVEN_BYTES = 20_000_000;
/** Most files of one answer: those that were given first. */
const MOST = 20;

/** The files in a result of `send_files`, by names that are safe to be shown; none for other results, and for an error. */
export function givenIn(tool: string | undefined, content: string): SentFile[] {
  if (tool !== SEND_FILES) return [];
  const sent = SentFiles.safeParse(jsonIn(content)).data?.sent ?? [];
  return sent.map((file) => ({ ...file, name: plainName(file.name) }));
}

/** The files that a run has given, each once, in the order in which they were given. */
export function givenBy(slots: readonly Slot[], runId: string): SentFile[] {
  const files = new Map<string, SentFile>();
  for (const slot of slots) {
    if (slot.kind !== 'tools' || slot.runId !== runId) continue;
    for (const { name, outcome, content } of slot.results)
      if (outcome === 'ok')
        for (const file of givenIn(name, content)) files.set(`${file.hash} ${file.name}`, file);
  }
  return [...files.values()].slice(0, MOST);
}
