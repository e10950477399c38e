import type { Answer } from './api.ts';
import { isLost, type SlackApi } from './api.ts';
import type { Follow, FollowEnd, FollowPorts } from './following.ts';
import type { Outgoing } from './outgoing.ts';
import { updateSlot } from './parts.ts';
import { type AfterRefusal, failedStream, isGone, refusedPost, refusedUpdate } from './refusals.ts';
import type { Move, Thread } from './remembered.ts';
import type { Story } from './story.ts';
import { beginRun, moved, withoutPending } from './thread.ts';

/** How long until Slack is asked again after it did not answer, in ms. */
export const AGAIN_MS = 5_000;

interface CarriedOut {
  readonly thread: Thread;
  readonly end?: Exclude<FollowEnd, { kind: 'quiet' }>;
  /** As in {@link AfterRefusal}. */
  readonly missing?: string;
}

/** Carries out one move, and remembers it. */
export async function carryOut(
  move: Exclude<Move, { kind: 'wait' }>,
  story: Story,
  thread: Thread,
  cursor: number,
  { sessionId, target, recipient }: Follow,
  io: FollowPorts,
): Promise<CarriedOut> {
  const { api, clock } = io;
  const { channel } = target;
  const keep = async (next: Thread): Promise<CarriedOut> =>
    (await io.save(cursor, next)) === 'lost'
      ? { thread: next, end: { kind: 'superseded' } }
      : { thread: next };
  const refused = async ({ thread: next, againMs, missing }: AfterRefusal): Promise<CarriedOut> => ({
    ...(againMs === undefined ? {} : { end: { kind: 'again', ms: againMs } }),
    ...(await keep(next)),
    ...(missing && { missing }),
  });

  switch (move.kind) {
    case 'post':
    case 'start': {
      const stream = move.kind === 'start';
      const pending = { slot: move.slot, stream, since: clock.now(), becomes: move.becomes };
      const announced = await keep({ ...beginRun(thread, story), pending, ...(stream && { unsure: true }) });
      if (announced.end) return announced;
      const answer = stream
        ? await api.startStream(target, recipient, move.markdown)
        : await api.post(target, move.message, { sessionId, slot: move.slot });
      if (answer.kind === 'ok') return keep(moved(announced.thread, story, move, answer.value.ts));
      // The message may have been posted: the next delivery looks for it.
      if (answer.kind === 'unknown') return { thread: announced.thread, end: again(AGAIN_MS) };
      const before = withoutPending(announced.thread);
      if (answer.kind === 'refused' && isLost(answer.error))
        return { thread: before, end: { kind: 'lost', error: answer.error } };
      // There were more streams a minute than Slack allows, or it allows none: a post that is updated works as well.
      if (stream) return keep({ ...before, streams: answer.kind === 'limited' ? 'not_now' : 'never' });
      if (answer.kind === 'limited') return { thread: before, end: again(answer.retryAfterMs) };
      return refused(refusedPost(before, story, move, answer.error));
    }
    case 'append': {
      const marked = thread.unsure ? { thread } : await keep({ ...thread, unsure: true });
      if (marked.end) return marked;
      const answer = await api.appendStream(channel, move.ts, move.markdown);
      switch (answer.kind) {
        case 'ok':
          return { thread: moved(marked.thread, story, move) };
        case 'limited':
          return { thread: marked.thread, end: again(answer.retryAfterMs) };
        case 'refused':
          if (isLost(answer.error))
            return { thread: marked.thread, end: { kind: 'lost', error: answer.error } };
          if (!isGone(answer.error)) await api.stopStream(channel, move.ts, '');
          return keep(failedStream(marked.thread, move, answer.error));
        case 'unknown':
          await api.stopStream(channel, move.ts, '');
          return keep(failedStream(marked.thread, move));
        default:
          return answer satisfies never;
      }
    }
    case 'stop': {
      const answer = await api.stopStream(channel, move.ts, move.markdown, move.blocks);
      switch (answer.kind) {
        case 'ok':
          return keep(moved(thread, story, move));
        case 'limited':
          return { thread, end: again(answer.retryAfterMs) };
        case 'refused':
          if (isLost(answer.error)) return { thread, end: { kind: 'lost', error: answer.error } };
          return keep(failedStream(thread, move, answer.error));
        case 'unknown':
          return keep(failedStream(thread, move));
        default:
          return answer satisfies never;
      }
    }
    case 'update': {
      const answer = await updated(channel, move.ts, move.message, api);
      switch (answer.kind) {
        case 'ok':
          return { thread: moved(thread, story, move, move.ts) };
        case 'limited':
          return { thread, end: again(answer.retryAfterMs) };
        case 'unknown':
          return { thread, end: again(AGAIN_MS) };
        case 'refused':
          if (isLost(answer.error)) return { thread, end: { kind: 'lost', error: answer.error } };
          return refused(refusedUpdate(thread, story, move, updateSlot(move.ts), answer.error));
        default:
          return answer satisfies never;
      }
    }
    case 'startCards':
    case 'appendCards':
    case 'stopCards': {
      const { carryCards } = await import('./carry-cards.ts');
      return carryCards(move, beginRun(thread, story), target, recipient, {
        ...{ api, keep, now: () => clock.now() },
        moved: (before, ts) => moved(before, story, move, ts),
      });
    }
    case 'share': {
      const { share } = await import('./share.ts');
      return share(move, thread, target, { api, now: () => clock.now(), content: io.content, keep });
    }
    case 'told':
      return { thread: moved(thread, story, move) };
    default:
      return move satisfies never;
  }
}

const again = (ms: number): FollowEnd & { kind: 'again' } => ({ kind: 'again', ms });

/** Replaces a message. A stream that is still open, because its stop was lost, is stopped first. */
async function updated(
  channel: string,
  ts: string,
  message: Outgoing,
  api: SlackApi,
): Promise<Answer<unknown>> {
  const answer = await api.update(channel, ts, message);
  if (answer.kind !== 'refused' || answer.error !== 'streaming_state_conflict') return answer;
  const stopped = await api.stopStream(channel, ts, '');
  return stopped.kind === 'ok' ? api.update(channel, ts, message) : stopped;
}
