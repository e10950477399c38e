import type { SessionView } from '../../shared/agent/ports.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Answer, Out } from '../middleware/stream-response.ts';
import type { PageContext, Taken } from './page-arrivals.ts';
import { requireSeen } from './seen.ts';
import { type Reader, readMessages, tellRest, tellUntilRest } from './session-stream.ts';
import { takePlace } from './stream-place.ts';

const sse = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

/** A request whose answer is what a session tells. */
export interface Streamed {
  readonly key: SessionKey;
  /** What the client calls the session. */
  readonly threadId: string;
  /** Epoch ms at which the answer must have ended. */
  readonly endsAt: number;
  /** Takes in what is new, before the answer begins: a refusal still has its status. */
  readonly take: () => Promise<Taken>;
  /** Of a reader who goes on where they were: the seq of the last frame that they were told. */
  readonly after?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How the session is told.
   *
   * @param before the session before anything was taken in
   */
  readonly teller: (taken: Taken, before: SessionView | undefined) => Promise<Teller>;
}

/** How one client is told. */
export interface Teller extends Pick<Reader, 'shown' | 'closes'> {
  /** What is written last, as it is. */
  readonly last?: () => string;
}

/** The answer to a request: takes in what is new, and tells what comes, or how the session stands at rest. */
export async function streamSession(
  { key, threadId, endsAt, take, after, headers, teller }: Streamed,
  caller: Identity,
  { io, isOutage, streams }: PageContext,
): Promise<Answer> {
  await requireSeen(key, caller, io);
  const place = await takePlace({ ...key, id: io.ids.next() }, endsAt, streams);
  try {
    // Read before anything is sent: what happens from here on is shown.
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

/** Tells what there is to tell: what comes, or how the session stands at rest. */
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
  // A message or a decision that was sent before has had its run already.
  if (!told) await tellRest(reader, await io.sessions.read(reader.key), io);
}
