import { describe, expect, test } from 'vitest';
import type { SessionView } from '../../../shared/agent/ports/sessions.ts';
import { newRun, type Run } from '../../../shared/agent/session/session.ts';
import {
  batchTimingIn,
  storedBatchTiming,
  storedTiming,
  timingIn,
} from '../../../shared/agent/session/timing.ts';
import { timingOf } from '../../../shared/agent/step/open/timing.ts';
import type { Wake } from '../../../shared/contract/queue.ts';
import { aSession, key, now } from '../../contract/harness.ts';

interface Case {
  readonly sentAt?: number;
  readonly dueAt?: number;
  readonly run?: Partial<Run>;
  readonly attempts?: number;
  readonly inbox?: string[];
  readonly infraUsd?: number;
}

function timing({ sentAt, dueAt, run, attempts = 1, inbox, infraUsd }: Case) {
  const session = aSession({ ...(run && { run: { ...newRun, id: 'r', ...run } }) });
  const totals = { ...session.totals, ...(infraUsd !== undefined && { infraUsd }) };
  const view = { session: { ...session, totals }, dueAt, attempts } as unknown as SessionView;
  const hint = { version: 1, from: 0, definition: 'd', ...(inbox && { inbox }) };
  const wake: Wake = { ...key, hint };
  const message = { messageId: 'm', receiptHandle: 'r', ...(sentAt !== undefined && { sentAt }) };
  return timingOf(view, wake, { id: 'i', message, deadlineAt: now + 1 }, now, now + 8);
}

describe('the times of a claim', () => {
  test('during a run: the commit before it, and the queue', () => {
    expect(timing({ run: { steps: 1 }, dueAt: now - 20, sentAt: now - 11, infraUsd: 0.002 })).toEqual({
      startedAt: now,
      claimMs: 8,
      queueMs: 11,
      commitMs: 9,
      infraUsd: 0.002,
    });
  });

  test('for a message that was sent before the session was due count from the due time', () => {
    expect(timing({ run: { steps: 1, retries: 2 }, dueAt: now - 5, sentAt: now - 30_000 })).toEqual({
      startedAt: now,
      claimMs: 8,
      queueMs: 5,
      retries: 2,
    });
  });

  test.each<[string, Case]>([
    ['begins a run', { dueAt: now - 20, sentAt: now - 11 }],
    ['begins another run', { run: { ended: true }, dueAt: now - 20, sentAt: now - 11 }],
    ['was woken by a new message', { run: {}, inbox: ['e'], dueAt: now - 20, sentAt: now - 11 }],
    ['takes over', { run: {}, attempts: 2, dueAt: now - 20, sentAt: now - 11 }],
    ['was woken by the sweeper', { run: {}, dueAt: now - 400_000, sentAt: now - 11 }],
    ['does not know when its message was sent', { run: {}, dueAt: now - 20 }],
  ])('for a step that %s do not include the commit before it', (_, of) => {
    expect(timing(of)).not.toHaveProperty('commitMs');
  });

  test('are never negative, whatever the clocks say', () => {
    expect(timing({ dueAt: now - 20, sentAt: now + 500 })).toMatchObject({ queueMs: 0 });
  });

  test('are stored in few bytes of a slot, and read back unchanged', () => {
    const most = {
      ...{ startedAt: now, claimMs: 45_000, queueMs: 900_000, commitMs: 59_999, askedMs: 60_000 },
      ...{ firstTokenMs: 300_000, infraUsd: 12.345678901, attempt: 3, retries: 12 },
    };
    expect(timingIn(storedTiming(most))).toEqual(most);
    expect(storedTiming(most).length).toBeLessThanOrEqual(50);
    const few = timing({ dueAt: now, infraUsd: 0.000052388 });
    expect(timingIn(storedTiming(few))).toEqual(few);
    expect(storedTiming(few).length).toBeLessThanOrEqual(24);
    const batch = { startedAt: now, ms: 840_000 };
    expect(batchTimingIn(storedBatchTiming(batch))).toEqual(batch);
  });
});
