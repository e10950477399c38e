/**
 * Shows in a Slack thread what a session does, from its event log: the shell around `thread.ts`. One caller at a time
 * (the destination is claimed); everything that must not be done twice is remembered before and after.
 */

import { withoutLate } from '../agent/events/late-frames.ts';
import type { Frame } from '../contract/events.ts';
import { type Answer, type Found, isLost } from './api.ts';
import { AGAIN_MS, carryOut } from './carry-out.ts';
import type { Follow, FollowEnd, Followed, FollowPorts } from './following.ts';
import type { Thread } from './remembered.ts';
import { type Story, toStories } from './story.ts';
import { become, distrusted, nextMove, nextSettled, withoutPending } from './thread.ts';

/** Time between two reads of the log, in ms: it is written about every second. */
const LOOK_MS = 1_000;
/**
 * A run that is silent for this long is left alone, in ms: waiting uses no compute. The next step that starts, and each
 * commit, bring a delivery; a step that speaks again after such a silence is heard when it commits.
 */
const SILENCE_MS = 60_000;
/** How long the first frame of a step is waited for, in ms: its delivery may be faster than its log. */
const EXPECT_MS = 15_000;

/** Follows the log until the session rests, falls silent, or time runs out. */
export async function follow(start: Follow, io: FollowPorts): Promise<Followed> {
  let { cursor, thread } = start;
  let updatedAt = Number.NEGATIVE_INFINITY;
  const finish = (end: FollowEnd): Followed => ({ cursor, thread: trusted(thread), end });

  const recovered = await recover(start, io);
  if (recovered.kind !== 'ok')
    return { cursor, thread, end: endOf(recovered) ?? { kind: 'again', ms: AGAIN_MS } };
  thread = recovered.value;

  let frames: readonly Frame[] = [];
  let heardAt = io.clock.now();
  for (;;) {
    const more = await io.frames(Math.max(cursor, frames.at(-1)?.seq ?? 0));
    if (more.length > 0) heardAt = io.clock.now();
    // A takeover says which of the frames before it are retracted.
    frames = withoutLate([...frames, ...more]);
    const stories = toStories(frames, start.target, start);
    const outcomes = thread.open.length > 0 ? await io.outcomes(thread.open) : {};

    for (let wait = false; !wait; ) {
      const story = stories[0] ?? nothing;
      const now = io.clock.now();
      const move =
        nextSettled(thread, outcomes, stories.some(isUnderWay), askedIn(stories)) ??
        (stories.length > 0 ? nextMove(story, thread, { now, updatedAt }) : undefined);
      if (!move && !(start.expecting && now - heardAt < EXPECT_MS)) return finish({ kind: 'quiet' });
      if (!move || move.kind === 'wait') {
        wait = true;
        continue;
      }
      if (now >= start.deadlineAt) return finish({ kind: 'again', ms: 0 });
      const done = await carryOut(move, story, thread, cursor, start, io);
      thread = done.thread;
      if (done.missing) io.onMissing(done.missing);
      if (done.end) return done.end.kind === 'again' ? finish(done.end) : { cursor, thread, end: done.end };
      if (move.kind === 'update') updatedAt = io.clock.now();
      if (move.kind === 'told') {
        cursor = move.endSeq;
        stories.shift();
        frames = frames.filter(({ seq }) => seq > cursor);
        if ((await io.save(cursor, thread)) === 'lost')
          return { cursor, thread, end: { kind: 'superseded' } };
      }
    }

    const now = io.clock.now();
    if (now + LOOK_MS >= start.deadlineAt) return finish({ kind: 'again', ms: 0 });
    const silent = now - heardAt > SILENCE_MS || stories[0]?.retrying !== undefined;
    if (silent && !isStreaming(thread)) return finish({ kind: 'quiet' });
    await io.clock.sleep(LOOK_MS);
  }
}

/**
 * Settles what an earlier delivery left in doubt: a message that may have been posted, streams that may have got more.
 */
async function recover({ target, thread }: Follow, { api }: FollowPorts): Promise<Answer<Thread>> {
  let known = thread;
  if (thread.pending) {
    const { pending } = thread;
    const answer = await api.ownMessages(target, pending.since);
    if (answer.kind !== 'ok' && !(answer.kind === 'refused' && !isLost(answer.error))) return answer;
    const found = answer.kind === 'ok' ? find(answer.value, thread) : undefined;
    known = withoutPending(thread);
    if (found) known = become(known, pending.becomes, found.ts);
  }
  if (!known.unsure) return { kind: 'ok', value: known };
  const { thread: next, stop } = distrusted(known);
  for (const ts of stop) {
    const answer = await api.stopStream(target.channel, ts, '');
    if (answer.kind === 'limited' || answer.kind === 'unknown') return answer;
  }
  return { kind: 'ok', value: next };
}

/**
 * The message that was being posted: it is found by its label, or, for a stream, as the one that is newer than all that
 * are known. (It may not exist. An earlier message, of this run or another, is never taken for it: it would be
 * overwritten.)
 */
function find(messages: readonly Found[], thread: Thread): Found | undefined {
  const { pending, status, parts, asks, open, newest } = thread;
  if (!pending) return undefined;
  if (!pending.stream) return messages.find(({ label }) => label?.slot === pending.slot);
  const known = [status, ...parts, ...Object.values(asks), ...open].map((posted) => posted?.ts);
  const after = Math.max(...[newest, ...known].map((ts) => Number(ts ?? 0)));
  return messages.findLast(({ ts, label }) => !label && Number(ts) > after);
}

function endOf(answer: Exclude<Answer<unknown>, { kind: 'ok' }>): FollowEnd | undefined {
  if (answer.kind === 'limited') return { kind: 'again', ms: answer.retryAfterMs };
  return answer.kind === 'refused' ? { kind: 'lost', error: answer.error } : undefined;
}

/** At the orderly end of a delivery everything is remembered, unless a message is still in doubt. */
const trusted = ({ unsure, ...thread }: Thread): Thread =>
  thread.pending && unsure ? { ...thread, unsure } : thread;

/** Whether the run has told more than its start: the outcomes of the asks before it are in the log by then. */
const isUnderWay = ({ said, calls, endSeq }: Story): boolean =>
  said.length > 0 || calls > 0 || endSeq !== undefined;

/** Ids of what the session asks as the last of these runs has left it. */
function askedIn(stories: readonly Story[]): string[] {
  const { ending } = stories.findLast(isUnderWay) ?? nothing;
  return ending?.kind === 'waiting' ? ending.asks.map(({ id }) => id) : [];
}

const isStreaming = ({ parts, cards }: Thread): boolean =>
  cards?.mode === 'stream' || parts.some(({ mode, ts }) => mode === 'stream' && ts !== undefined);

/** A story for moves that belong to no run. */
const nothing: Story = { runId: '', said: [], calls: 0, files: [], busy: [] };
