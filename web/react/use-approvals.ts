import { useMemo } from 'react';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { WaitDetails, WaitInfo } from '../../shared/contract/http.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import { isFinal, ProblemError } from '../client/http.ts';
import { isForPeople } from './actions.ts';
import type { Deployment } from './deployment.ts';
import { type Polled, polled } from './polled.ts';
import { useDeployment } from './provider.ts';
import { sessionStore } from './session-store.ts';
import { useStore } from './use-store.ts';

/** Something that a session asks people. */
export interface Asked {
  readonly session: SessionRow;
  readonly wait: WaitInfo;
}

/** What people are asked, and how they decide it. The functions stay the same. */
export interface UseApprovals {
  /** Of those sessions first that moved last. */
  readonly asked: readonly Asked[];
  /** It has not been read yet. */
  readonly loading: boolean;
  /** More sessions wait than are read, which are 50. */
  readonly hasMore: boolean;
  readonly error: Error | undefined;
  /** Decides one of them. Rejects with a `ProblemError` when the server refuses: another decision stands, or it is not theirs to decide. */
  decide(sessionId: string, decision: Decision): Promise<void>;
  /** Answers a question, by the `id` of its wait. */
  answer(sessionId: string, id: string, text: string): Promise<void>;
  /** One of them with all of what its call would be run with: show it before people approve. */
  details(sessionId: string, id: string): Promise<WaitDetails>;
  /** Reads them at once, which happens by itself every 2 s. */
  refresh(): Promise<void>;
}

/** Which sessions are looked at: all that the caller may see when nothing is said. */
export interface ApprovalFilters {
  readonly agent?: string;
  /** Subject of who has begun them. */
  readonly user?: string;
}

/** Ms between two looks. */
const LOOK_MS = 2_000;
/** Ms after which a session that has not moved is looked at again: of two things that it asks, somebody else may have decided one. */
const STALE_MS = 10_000;
/** Sessions that are looked at, at most: one page of the list. */
const MOST = 50;

interface AskedNow {
  readonly asked: readonly Asked[];
  readonly hasMore: boolean;
}

const none: readonly Asked[] = [];

/** What people are asked, across sessions; it is decided from here. */
export function useApprovals(filters: ApprovalFilters = {}): UseApprovals {
  const deployment = useDeployment();
  const kept = deployment.kept(`asked ${JSON.stringify(filters)}`, () => askedStore(deployment, filters));
  const { data, error } = useStore(kept);
  const actions = useMemo(() => {
    const decide = async (sessionId: string, decision: Decision) => {
      try {
        await deployment.client.decide(sessionId, decision);
      } finally {
        kept.decided(sessionId);
        void sessionStore(deployment, sessionId).info.refresh();
      }
    };
    return {
      decide,
      answer: (sessionId: string, id: string, note: string) =>
        decide(sessionId, { id, approved: true, note }),
      details: async (sessionId: string, id: string) => deployment.client.wait(sessionId, id),
      refresh: kept.refresh,
    };
  }, [deployment, kept]);
  return {
    ...actions,
    asked: data?.asked ?? none,
    loading: data === undefined && error === undefined,
    hasMore: data?.hasMore ?? false,
    error,
  };
}

/** What one session asked when it was looked at. */
interface Looked {
  readonly movedAt: string;
  /** Epoch ms. */
  readonly at: number;
  readonly waits: readonly WaitInfo[];
}

interface AskedStore extends Polled<AskedNow> {
  /** What was decided is looked at again. */
  readonly decided: (sessionId: string) => void;
}

/** What the sessions that wait ask, read again when they have moved. */
export function askedStore(deployment: Deployment, { agent, user }: ApprovalFilters): AskedStore {
  let known = new Map<string, Looked>();
  const look = async ({ sessionId, movedAt }: SessionRow): Promise<Looked> => {
    const before = known.get(sessionId);
    const at = Date.now();
    if (before?.movedAt === movedAt && at - before.at < STALE_MS) return before;
    return { movedAt, at, waits: await waitsOf(deployment, sessionId) };
  };
  const kept = polled<AskedNow>(
    async () => {
      const query = { state: ['waiting_for_input'] as const, agent, user, limit: MOST };
      const { sessions, next } = await deployment.client.sessions(query);
      const looked = await Promise.all(sessions.map(look));
      known = new Map(looked.map((one, i) => [sessions[i]?.sessionId ?? '', one]));
      const asked = looked.flatMap(({ waits }, i) => {
        const session = sessions[i];
        return session ? waits.map((wait) => ({ session, wait })) : [];
      });
      return { asked, hasMore: next !== undefined };
    },
    () => LOOK_MS,
  );
  return {
    ...kept,
    decided(sessionId) {
      known.delete(sessionId);
      void kept.refresh();
    },
  };
}

/** What it asks people; nothing when it was taken away meanwhile. */
async function waitsOf({ client }: Deployment, sessionId: string): Promise<readonly WaitInfo[]> {
  try {
    return (await client.session(sessionId)).waits.filter(isForPeople);
  } catch (error) {
    if (error instanceof ProblemError && isFinal(error.problem)) return [];
    throw error;
  }
}
