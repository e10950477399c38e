import type { SessionWorld } from './session-world.ts';

/** Lets the model's context begin at another slot, as a step's commit would. The session must be due, and stays so. */
export async function moveContext({ sessions, key, clock }: SessionWorld, contextStart: number) {
  const now = clock.now();
  const owner = { invocationId: 'mover', messageId: 'mover', leaseMs: 1_000 };
  const claim = await sessions.claim({ ...owner, key, now });
  if (claim.kind !== 'claimed') throw new Error(`the context cannot be moved: ${claim.kind}`);
  const { session, fence } = claim.view;
  const moved = await sessions.commit({
    epoch: fence.epoch,
    seen: fence,
    session: { ...session, contextStart },
    incorporated: [],
    unmarked: [],
    next: { kind: 'run', dueAt: now },
    waits: 'keep',
    tail: [],
    now,
  });
  if (moved.kind !== 'committed') throw new Error(`the context cannot be moved: ${moved.kind}`);
}
