/**
 * The client of Steploop, for browsers and for Node: sessions over HTTP, their events over one WebSocket.
 *
 * It delivers the events of a session as a strict AG-UI sequence, whatever the connection does: it reconnects with its
 * cursor, drops duplicates and fills gaps. It needs only web standards.
 *
 * @example
 * const steploop = connect({ httpUrl, socketUrl, token });
 * const { sessionId } = await steploop.createSession({ agent: 'triage', message: 'Hello' });
 * steploop.subscribe(sessionId, { onEvent: (event) => { view = fold(view, event); } });
 */

import type { AgUiEvent, Frame, RunResult, SnapshotMessage } from '../../shared/contract/events.ts';
import type { Problem, SocketNotice, SocketRequest } from '../../shared/contract/http.ts';
import type { CreateSessionBody } from '../../shared/contract/page-input.ts';
import type { Repeatable } from './answers.ts';
import { type Following, follow } from './follow.ts';
import { httpClient, type Token } from './http.ts';
import type { HttpClient } from './http-client.ts';
import { isFinal, ProblemError } from './problem.ts';
import { keepOpen, type Socket, type Status, type WebSocketConstructor } from './socket.ts';

export type { SessionInfo } from './answers.ts';
export type { HttpClient } from './http-client.ts';
export type { Status, WebSocketConstructor } from './socket.ts';

/** The address of a deployment, and the caller's credentials. */
export interface ConnectOptions {
  /** The stack's output HttpUrl. */
  readonly httpUrl: string;
  /** The stack's output SocketUrl. */
  readonly socketUrl: string;
  /** The API token, or a function that gets one. */
  readonly token: Token;
  /** Opens WebSockets if there is no global one, as in Node 20: pass that of the package `ws`. */
  readonly WebSocket?: WebSocketConstructor;
  readonly onStatus?: (status: Status) => void;
}

/** Receives the events of a session. */
export interface Listener {
  /** Called once for each event, in order. `seq` is the cursor to resume from. Must not throw. */
  readonly onEvent: (event: AgUiEvent, seq: number) => void;
  /**
   * Called for events outside of a run: the progress of a call that is answered later (`steploop.progress`). AG-UI has
   * no place for it there; `fold` accepts it.
   */
  readonly onAside?: (event: AgUiEvent) => void;
  /** Called when the server refuses this subscription, which ends it. */
  readonly onRefused?: (error: Error) => void;
}

/** A subscription to one session. */
export interface Subscription {
  /** Seq of the last event delivered. */
  readonly cursor: number;
  close(): void;
}

/** The starting point of a subscription. */
export interface From {
  /** Cursor: the seq of the last event that is already known. */
  readonly after?: number;
  /** The run in progress at that point; the listener gets a start event with this id. */
  readonly runId?: string;
  /** The messages up to that point, for a listener that has none yet. */
  readonly messages?: SnapshotMessage[];
}

/** How a run ended, and in which session. */
export interface Ran<Answer = unknown> extends RunResult<Answer> {
  sessionId: string;
}

/** Sessions over HTTP, and their events over one WebSocket. */
export interface Client extends HttpClient {
  /**
   * Starts a session and waits for the end of its first run, however long people and tools take. Meanwhile `onEvent`
   * receives its events, including its questions to people (`RUN_STARTED` has the session's id as `threadId`). `Answer`
   * is the answer of an agent that declares one: `AnswerOf<typeof triage>`. Repeated with the same `idempotencyKey` it
   * waits for the same run. Rejects if the server refuses, and if the client is closed.
   */
  run<Answer = unknown>(
    session: CreateSessionBody,
    options?: Repeatable & Partial<Pick<Listener, 'onEvent' | 'onAside'>>,
  ): Promise<Ran<Answer>>;
  /** Follows a session from `after` on; from its first event if absent. A client has one subscription for each session. */
  subscribe(sessionId: string, listener: Listener, options?: From): Subscription;
  /** Ends all subscriptions and the connection. */
  close(): void;
}

/** Ms that a subscription waits for its confirmation before it is sent again. */
const confirmWithin = 5_000;
/**
 * Silence during a run, in ms, after which the log is read: the step drops a client that did not read for a while, and
 * then nothing is pushed to it.
 */
const quietFor = 15_000;

interface Follower {
  readonly following: Following;
  readonly listener: Listener;
  confirmed: boolean;
  /** Epoch ms. */
  heardAt: number;
}

/**
 * A client of a deployment. Opens its WebSocket with the first subscription. Throws if there is no WebSocket, as in
 * Node 20, and none was given.
 */
export function connect(options: ConnectOptions): Client {
  const { httpUrl, socketUrl, token, onStatus = () => {} } = options;
  const WebSocket = options.WebSocket ?? globalThis.WebSocket;
  if (!WebSocket) throw new Error('there is no global WebSocket: pass that of the package ws to connect()');
  const http = httpClient({ httpUrl, token });
  const followers = new Map<string, Follower>();
  /** Rejects the pending `run` calls when the client is closed. */
  const waiting = new Set<(error: Error) => void>();
  let socket: Socket | undefined;

  const send = (request: SocketRequest) => socket?.send(request);
  const ask = (sessionId: string, { following }: Follower) =>
    send({ action: 'subscribe', sessionId, after: following.upTo });

  const asking = setInterval(() => {
    for (const [sessionId, follower] of followers) {
      if (!follower.confirmed) ask(sessionId, follower);
      else if (follower.following.running && Date.now() - follower.heardAt > quietFor) catchUp(follower);
    }
  }, confirmWithin);

  const open = () =>
    keepOpen({
      WebSocket,
      url: async () => `${socketUrl}?ticket=${encodeURIComponent((await http.ticket()).ticket)}`,
      onStatus,
      onOpen() {
        for (const [sessionId, follower] of followers) {
          follower.confirmed = false;
          ask(sessionId, follower);
        }
      },
      onMessage: (message) => onMessage(message as Push | SocketNotice),
      onRefused(error) {
        for (const sessionId of followers.keys()) refuse(sessionId, error);
      },
    });

  function onMessage(message: Push | SocketNotice): void {
    if ('frames' in message) onFrames(followers.get(message.sessionId), message.frames);
    else if (message.type === 'subscribed') onConfirmed(followers.get(message.sessionId));
    else if (message.type === 'error') onProblem(message.problem, message.sessionId);
    // Otherwise a keep-alive, or a message of the gateway.
  }

  function onFrames(follower: Follower | undefined, frames: readonly Frame[]): void {
    if (!follower) return;
    follower.heardAt = Date.now();
    follower.following.take(frames);
  }

  function catchUp(follower: Follower): void {
    follower.heardAt = Date.now();
    follower.following.catchUp();
  }

  function onConfirmed(follower: Follower | undefined): void {
    if (!follower) return;
    follower.confirmed = true;
    // Events from before this connection was registered are not pushed to it.
    catchUp(follower);
  }

  /**
   * A problem without a session id is about every unconfirmed subscription. If it is not final, the subscription is
   * sent again soon; meanwhile the log is read, for instance if too many clients follow the session.
   */
  function onProblem(problem: Problem, about: string | undefined): void {
    // The credential behind this connection is no longer valid. A new ticket shows whether there is another one.
    if (problem.status === 401) {
      socket?.renew();
      return;
    }
    for (const [sessionId, follower] of followers) {
      if (about !== sessionId && (about !== undefined || follower.confirmed)) continue;
      if (isFinal(problem)) refuse(sessionId, new ProblemError(problem));
      else catchUp(follower);
    }
  }

  function refuse(sessionId: string, error: Error): void {
    const follower = followers.get(sessionId);
    if (!follower) return;
    followers.delete(sessionId);
    follower.following.stop();
    follower.listener.onRefused?.(error);
  }

  const client: Client = {
    ...http,
    async run<Answer>(...[session, { onEvent, onAside, ...repeatable } = {}]: Parameters<Client['run']>) {
      const { sessionId } = await http.createSession(session, repeatable);
      let subscription: Subscription | undefined;
      let result: RunResult<Answer> | undefined;
      let refuseRun: (error: Error) => void = () => {};
      try {
        return await new Promise<Ran<Answer>>((resolve, reject) => {
          refuseRun = reject;
          waiting.add(reject);
          subscription = client.subscribe(sessionId, {
            onEvent(event, seq) {
              onEvent?.(event, seq);
              if (event.type === 'CUSTOM' && event.name === 'steploop.ended')
                result = event.value as RunResult<Answer>;
              // The run's last event: all others have been delivered by now.
              else if (result && (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR'))
                resolve({ ...result, sessionId });
            },
            ...(onAside && { onAside }),
            onRefused: reject,
          });
        });
      } finally {
        waiting.delete(refuseRun);
        subscription?.close();
      }
    },
    subscribe(sessionId, listener, { after = 0, ...from } = {}) {
      if (followers.has(sessionId)) throw new Error(`session ${sessionId} is followed already`);
      const following = follow({
        sessionId,
        after,
        ...from,
        http,
        onEvent: listener.onEvent,
        onAside: listener.onAside,
        onError: (error) => refuse(sessionId, error instanceof Error ? error : new Error(String(error))),
      });
      const follower: Follower = { following, listener, confirmed: false, heardAt: Date.now() };
      followers.set(sessionId, follower);
      socket ??= open();
      ask(sessionId, follower);
      return {
        get cursor() {
          return following.cursor;
        },
        close() {
          following.stop();
          if (followers.get(sessionId) !== follower) return;
          followers.delete(sessionId);
          send({ action: 'unsubscribe', sessionId });
        },
      };
    },
    close() {
      clearInterval(asking);
      for (const refuseRun of waiting) refuseRun(new Error('the client was closed before the run had ended'));
      for (const { following } of followers.values()) following.stop();
      followers.clear();
      socket?.close();
    },
  };
  return client;
}

/** Events of one session. */
interface Push {
  readonly sessionId: string;
  readonly frames: readonly Frame[];
}
