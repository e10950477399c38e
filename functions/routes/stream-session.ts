import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Answer, Out } from '../middleware/stream-response.ts';
import type { PageContext, Taken } from './page-arrivals.ts';
import { requireSeen } from './seen.ts';
import { type Reader, readMessages, tellRest, tellUntilRest } from './session-stream.ts';
import { takePlace } from './stream-place.ts';

const sse = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

/** A request that is answered with a session's events. */
export interface Streamed {
  readonly key: SessionKey;
  /** The client's id of the session. */
  readonly threadId: string;
  /** Epoch ms by which the answer must have ended. */
  readonly endsAt: number;
  /** Accepts what is new before the answer begins, so a refusal still has its status. */
  readonly take: () => Promise<Taken>;
  /** Seq of the last frame that the reader has, if it resumes. */
  readonly after?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How the session is shown.
   *
   * @param before the session before anything was accepted
   */
  readonly teller: (taken: Taken, before: SessionView | undefined) => Promise<Teller>;
}

/** How events are shown to one client. */
export interface Teller extends Pick<Reader, 'shown' | 'closes'> {
  /** Written last, unchanged. */
  readonly last?: () => string;
}

/** The answer to a request: accepts what is new, then streams what follows, or the state of the session at rest. */
export async function streamSession(
  { key, threadId, endsAt, take, after, headers, teller }: Streamed,
  caller: Identity,
  { io, isOutage, streams }: PageContext,
): Promise<Answer> {
  await requireSeen(key, caller, io);
  const place = await takePlace({ ...key, id: io.ids.next() }, endsAt, streams);
  try {
    // Read before anything is sent, so that everything from here on is shown.
    const before = await io.sessions.read(key);
    const taken = await take();
    const { last, ...how } = await teller(taken, before);
    const body = async (out: Out) => {
      const reader: Reader = { key, threadId, deadlineAt: endsAt, out, mayStay: place.mayStay, ...how };
      try {
        const view = taken.news ? before : await io.sessions.read(key);
        await tell(reader, taken.news, view, after, { ...io, isOutage });
        if (last) await out.write(last());
      } finally {
        await place.leave();
      }
    };
    return { kind: 'stream', headers: { ...sse, ...headers }, body };
  } catch (error) {
    await place.leave();
    throw error;
  }
}

/** Streams what there is: what follows, or the state of the session at rest. */
async function tell(
  reader: Reader,
  news: boolean,
  view: SessionView | undefined,
  after: number | undefined,
  io: PageContext['io'] & Pick<PageContext, 'isOutage'>,
): Promise<void> {
  const run = view?.dueAt !== undefined && view.session.run?.ended === false ? view.session.run : undefined;
  const told =
    (news || after !== undefined || view?.dueAt !== undefined) &&
    (await tellUntilRest(
      reader,
      after ?? view?.session.eventSeq ?? 0,
      {
        ...(run && { runId: run.id }),
        ...(!news && after === undefined && view && { messages: await readMessages(view, io) }),
      },
      io,
    ));
  // The run of a message or decision that was sent before may be over.
  if (!told) await tellRest(reader, await io.sessions.read(reader.key), io);
}
