import type { Fold } from '../../shared/agent/session/fold.ts';
import { runOf } from '../../shared/agent/session/session.ts';
import type { SessionWorld } from './session-world.ts';

/** What {@link moveContext} puts at the head of a context. */
export const headText = 'What was said before.';

/**
 * Moves the start of the model's context to another slot, as a step that folds does. The session must be due, and stays
 * due.
 */
export async function moveContext(
  { sessions, key, clock }: SessionWorld,
  contextStart: number,
  fold: Partial<Fold> = {},
) {
  const now = clock.now();
  const owner = { invocationId: 'mover', messageId: 'mover', leaseMs: 1_000 };
  const claim = await sessions.claim({ ...owner, key, now });
  if (claim.kind !== 'claimed') throw new Error(`the context cannot be moved: ${claim.kind}`);
  const { session, fence } = claim.view;
  const { version } = session;
  await sessions.putSlot(key, fence.epoch, {
    kind: 'model',
    n: version,
    runId: runOf(session).id,
    step: runOf(session).steps,
    input: [{ text: headText, internal: { reason: 'fold' } }],
    fold: {
      why: 'size',
      start: contextStart,
      clearedBelow: contextStart,
      tokens: { before: 2, after: 1 },
      left: { messages: 0, tokens: 0 },
      ...fold,
    },
    verdicts: [],
  });
  const moved = await sessions.commit({
    epoch: fence.epoch,
    seen: fence,
    session: { ...session, version: version + 1, contextStart, fold: { slot: version, at: now } },
    incorporated: [],
    unmarked: [],
    next: { kind: 'run', dueAt: now },
    waits: 'keep',
    tail: [],
    now,
  });
  if (moved.kind !== 'committed') throw new Error(`the context cannot be moved: ${moved.kind}`);
}
