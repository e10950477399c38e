/** The thread that the bot opens in a channel for a session that did not begin in Slack. */

import type { Clock } from '../agent/ports/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import { isLost, type SlackApi } from './api.ts';
import { AGAIN_MS } from './carry-out.ts';
import type { FollowEnd } from './following.ts';
import { postOnce } from './post-once.ts';

/** The first message of the thread, as the delivery remembers it. */
export interface Root {
  /** Epoch ms of the first try to post it. */
  readonly since: number;
  /** Undefined until it is known to be posted. */
  readonly ts?: string;
}

interface Opening {
  readonly key: SessionKey;
  readonly channel: string;
  readonly opens: string;
  readonly root: Root | undefined;
}

/** Posts the first message of the thread, once: a delivery that died in between has said that it would. */
export async function openThread(
  { key, channel, opens, root }: Opening,
  {
    api,
    clock,
    saveRoot,
  }: {
    readonly api: SlackApi;
    readonly clock: Pick<Clock, 'now'>;
    readonly saveRoot: (root: Root) => Promise<'saved' | 'lost'>;
  },
): Promise<
  { readonly root: Root } | { readonly end: Exclude<FollowEnd, { kind: 'quiet' }>; readonly root?: Root }
> {
  if (root?.ts) return { root };
  const begun = root ?? { since: clock.now() };
  if (!root && (await saveRoot(begun)) === 'lost') return { end: { kind: 'superseded' } };
  const label = { sessionId: key.sessionId, slot: `root/${key.sessionId}` };
  const posted = await postOnce(api, { channel }, { text: opens }, label, root?.since);
  switch (posted.kind) {
    case 'ok': {
      const opened = { ...begun, ts: posted.value.ts };
      return (await saveRoot(opened)) === 'lost' ? { end: { kind: 'superseded' } } : { root: opened };
    }
    case 'limited':
      return { end: { kind: 'again', ms: posted.retryAfterMs }, root: begun };
    case 'unknown':
      return { end: { kind: 'again', ms: AGAIN_MS }, root: begun };
    case 'refused':
      // A refusal of the message itself will not pass either: the place is tried again as one that is out of reach.
      return { end: { kind: 'lost', error: posted.error }, ...(isLost(posted.error) ? { root: begun } : {}) };
    default:
      return posted satisfies never;
  }
}
