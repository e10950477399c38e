/**
 * Files that an agent gives to people, in the thread (docs.slack.dev, files.getUploadURLExternal, files.completeUploadExternal). Slack
 * knows a file by its id before people see it, so the memory has the id before Slack is asked to show the file. A delivery that finds
 * an id asks whether the file is shown, and does not upload it again.
 */

import { MAX_GIVEN_BYTES } from '../channels/given-files.ts';
import { isLost, type SlackApi, type Target } from './api.ts';
import type { FollowEnd } from './following.ts';
import type { FileMark, Move, Thread } from './remembered.ts';

/** Files that are remembered, of this run and earlier ones. */
const KEPT = 60;
/** Time in ms in which Slack shows a file after it was asked to: it scans files first (slackapi/bolt-js#2115). */
const SETTLE_MS = 30_000;
/** How long until Slack is asked again, in ms. */
const AGAIN_MS = 5_000;

type Sharing = Extract<Move, { kind: 'share' }>;

interface SharePorts {
  readonly api: SlackApi;
  readonly now: () => number;
  /** The content under a hash; undefined if there is none. Rejects if it has more bytes. */
  readonly content: (hash: string, maxBytes: number) => Promise<Uint8Array | undefined>;
  /** Saves the memory. */
  readonly keep: (thread: Thread) => Promise<Shared>;
}

interface Shared {
  readonly thread: Thread;
  readonly end?: Exclude<FollowEnd, { kind: 'quiet' }>;
  readonly missing?: string;
}

/** Shares one file, or finds that it is shared. */
export async function share(
  { file, refused }: Sharing,
  thread: Thread,
  target: Target,
  { api, now, content, keep }: SharePorts,
): Promise<Shared> {
  const { key, name, hash } = file;
  const done = () => keep(marked(thread, { key, done: true }));
  const again = (ms = AGAIN_MS, at = thread): Shared => ({ thread: at, end: { kind: 'again', ms } });
  const failed = async (error: string, at = thread): Promise<Shared> =>
    isLost(error)
      ? { thread: unmarked(at, key), end: { kind: 'lost', error } }
      : { ...(await keep(marked(at, { key, unsent: error }))), missing: error };

  if (refused !== undefined) return keep(marked(thread, { key, unsent: refused }));
  let mark = thread.files?.find((one) => one.key === key);
  let current = thread;
  if (mark?.id !== undefined) {
    const shown = await api.isShared(mark.id, target.channel);
    if (shown.kind === 'limited') return again(shown.retryAfterMs);
    if (shown.kind === 'unknown') return again();
    if (shown.kind === 'refused') return failed(shown.error);
    if (shown.value) return done();
    if (now() - (mark.since ?? 0) < SETTLE_MS) return again();
  } else {
    const bytes = await content(hash, MAX_GIVEN_BYTES).catch(() => undefined);
    if (!bytes || bytes.length === 0) return failed('file_not_readable');
    const place = await api.uploadUrl(name, bytes.length);
    if (place.kind === 'limited') return again(place.retryAfterMs);
    if (place.kind === 'unknown') return again();
    if (place.kind === 'refused') return failed(place.error);
    // Without an answer nothing is shown, and the next try makes a new file.
    const uploaded = await api.upload(place.value.url, bytes);
    if (uploaded.kind === 'limited') return again(uploaded.retryAfterMs);
    if (uploaded.kind === 'unknown') return again();
    if (uploaded.kind === 'refused') return failed(uploaded.error);
    mark = { key, id: place.value.id, since: now() };
    const kept = await keep(marked(thread, mark));
    if (kept.end) return kept;
    current = kept.thread;
  }
  const completed = await api.completeUpload(target, { id: mark.id ?? '', title: name });
  switch (completed.kind) {
    case 'ok':
      return keep(marked(current, { key, done: true }));
    case 'limited':
      return again(completed.retryAfterMs, current);
    case 'unknown':
      return again(AGAIN_MS, current);
    case 'refused':
      return failed(completed.error, current);
    default:
      return completed satisfies never;
  }
}

const unmarked = (thread: Thread, key: string): Thread => ({
  ...thread,
  files: (thread.files ?? []).filter((one) => one.key !== key),
});
const marked = (thread: Thread, mark: FileMark): Thread => ({
  ...thread,
  files: [...(thread.files ?? []).filter(({ key }) => key !== mark.key), mark].slice(-KEPT),
});
