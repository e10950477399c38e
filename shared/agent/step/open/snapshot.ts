import { toSnapshot } from '../../events/snapshot.ts';
import type { ModelSlot, Slot } from '../../session/slots.ts';
import type { Step } from './step-context.ts';

/** Sends clients the whole conversation again, after an attempt of which they may have seen any part. */
export function tellSnapshot(
  step: Pick<Step, 'atCommit' | 'history' | 'loaded' | 'stream'>,
  slots: readonly Slot[],
  input: ModelSlot['input'],
): void {
  const before = step.loaded.before?.map(({ slot }) => slot);
  const messages = before && toSnapshot([...before, ...step.history, ...slots], input);
  if (!messages || JSON.stringify(messages).length > MAX_SNAPSHOT) {
    // Told with the commit, when the messages can be read.
    const value = { why: 'the conversation is too long for one message: GET /sessions/{id}/messages' };
    step.atCommit.push({ type: 'CUSTOM', name: 'steploop.snapshot_needed', value });
  } else {
    step.stream.emit({ type: 'MESSAGES_SNAPSHOT', messages });
  }
}

/** Characters of a snapshot that still fits a 128 KB WebSocket message; larger ones are read over HTTP. */
const MAX_SNAPSHOT = 30_000;
