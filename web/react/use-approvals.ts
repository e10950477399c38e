import { useMemo } from 'react';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { WaitDetails, WaitInfo } from '../../shared/contract/http.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import { isForPeople } from '../../shared/contract/waits.ts';
import { isFinal, ProblemError } from '../client/problem.ts';
import type { Deployment } from './deployment.ts';
import { type Polled, polled } from './polled.ts';
import { useDeployment } from './provider.ts';
import { sessionStore } from './session-store.ts';
import { useStore } from './use-store.ts';

/** A request of a session for people. */
export interface OpenRequest {
  readonly session: SessionRow;
  readonly wait: WaitInfo;
}

/** The open requests to people, and how to decide them. The functions are stable. */
export interface UseApprovals {
  /** Those of the most recently active sessions first. */
  readonly asked: readonly OpenRequest[];
  /** Whether the first read is still under way. */
  readonly loading: boolean;
  /** Whether more sessions wait than the 50 that are read. */
  readonly hasMore: boolean;
  readonly error: Error | undefined;
  /**
   * Decides a request. Rejects with a `ProblemError` if the server refuses: another decision stands, or the user may
   * not decide it.
   */
  decide(sessionId: string, decision: Decision): Promise<void>;
  /** Answers a question, by the `id` of its wait. */
  answer(sessionId: string, id: string, text: string): Promise<void>;
  /** One request with the full input of its call: show it before people approve. */
  details(sessionId: string, id: string): Promise<WaitDetails>;
  /** Reads the requests at once; otherwise they are read every 2 s. */
  refresh(): Promise<void>;
}

/** Which sessions to read; all that the caller may see if absent. */
export interface ApprovalFilters {
  readonly agent?: string;
  /** Subject of the user who has started them. */
  readonly user?: string;
}

/** Ms between two reads. */
const LOOK_MS = 2_000;
/** Ms after which a session without activity is read again: another person may have decided one of its two requests. */
const STALE_MS = 10_000;
/** Most sessions that are read: one page of the list. */
const MOST = 50;

interface AskedNow {
  readonly asked: readonly OpenRequest[];
  readonly hasMore: boolean;
}

const none: readonly OpenRequest[] = [];

/** The open requests to people, across sessions, with the functions to decide them. */
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

/** The requests of one session at the last read. */
interface Looked {
  readonly movedAt: string;
  /** Epoch ms. */
  readonly at: number;
  readonly waits: readonly WaitInfo[];
}

interface AskedStore extends Polled<AskedNow> {
  /** Makes the next read include a session that was decided. */
  readonly decided: (sessionId: string) => void;
}

/** The requests of waiting sessions, read again when the sessions have changed. */
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

/** Its requests to people; none if it was deleted meanwhile. */
async function waitsOf({ client }: Deployment, sessionId: string): Promise<readonly WaitInfo[]> {
  try {
    return (await client.session(sessionId)).waits.filter(({ kind }) => isForPeople(kind));
  } catch (error) {
    if (error instanceof ProblemError && isFinal(error.problem)) return [];
    throw error;
  }
}
