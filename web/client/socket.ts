/** One WebSocket that is kept open: opened again with backoff whenever it is lost, until `close`. */

import { isFinal, ProblemError } from './problem.ts';
import { backoff, sleep } from './time.ts';

/** State of the connection. */
export type Status = 'connecting' | 'open' | 'waiting' | 'closed';

/** A constructor as browsers, Node 22 and the package `ws` have it. */
export type WebSocketConstructor = new (
  url: string,
) => Pick<WebSocket, 'readyState' | 'send' | 'close' | 'addEventListener'>;

export interface SocketOptions {
  readonly WebSocket: WebSocketConstructor;
  /** The URL to connect to; called for each connection, since a ticket is valid for only one. */
  readonly url: () => Promise<string>;
  readonly onOpen: () => void;
  /** A message, parsed. */
  readonly onMessage: (message: unknown) => void;
  readonly onStatus: (status: Status) => void;
  /** Called when the server refuses this client for good; the socket is closed then. */
  readonly onRefused: (error: ProblemError) => void;
}

export interface Socket {
  /** Sends a message, if the socket is open now. */
  send(message: unknown): void;
  /** Reconnects: the server accepts nothing more over this connection. */
  renew(): void;
  close(): void;
}

/**
 * API Gateway closes a connection after 10 idle minutes. A ping is answered, so a connection that is silent until the
 * next ping is dead.
 */
const pingEvery = 5 * 60_000;
/** API Gateway closes any connection after 2 hours. The client reconnects before that, at a time that differs between clients. */
const stayAtMost = () => (105 + Math.random() * 10) * 60_000;
/** The ready state of an open WebSocket. */
const OPEN = 1;

export function keepOpen({ WebSocket, url, onOpen, onMessage, onStatus, onRefused }: SocketOptions): Socket {
  const closed = new AbortController();
  let current: InstanceType<WebSocketConstructor> | undefined;
  /** Ends a connection that is dead without having closed. */
  let leave = () => {};
  let silent = false;
  let renewing = false;

  const send = (message: unknown) => {
    if (current?.readyState === OPEN) current.send(JSON.stringify(message));
  };
  const ping = setInterval(() => {
    if (silent) leave();
    silent = true;
    send({ action: 'ping' });
  }, pingEvery);

  /** Connects and stays until the connection ends; returns whether anything was received. */
  async function stay(): Promise<boolean> {
    onStatus('connecting');
    renewing = false;
    const socket = new WebSocket(await url());
    current = socket;
    if (closed.signal.aborted) socket.close();
    let heard = false;
    socket.addEventListener('open', () => {
      onStatus('open');
      onOpen();
    });
    socket.addEventListener('message', ({ data }) => {
      heard = true;
      silent = false;
      const message = parse(data);
      if (message !== undefined && !closed.signal.aborted) onMessage(message);
    });
    const inTime = setTimeout(() => leave(), stayAtMost());
    await new Promise<void>((resolve) => {
      leave = resolve;
      socket.addEventListener('close', () => resolve());
      socket.addEventListener('error', () => resolve());
    });
    clearTimeout(inTime);
    silent = false;
    socket.close();
    // The server had nothing to offer here, so the next attempt may wait.
    return heard && !renewing;
  }

  async function run(): Promise<void> {
    for (let tries = 0; !closed.signal.aborted; tries++) {
      try {
        if (await stay()) tries = 0;
      } catch (error) {
        if (error instanceof ProblemError && isFinal(error.problem)) {
          onRefused(error);
          break;
        }
      }
      if (closed.signal.aborted) break;
      onStatus('waiting');
      await sleep(backoff(tries, 100, 10_000), closed.signal);
    }
    close();
    onStatus('closed');
  }

  function close(): void {
    clearInterval(ping);
    closed.abort();
    current?.close();
    leave();
  }

  function renew(): void {
    renewing = true;
    leave();
  }

  void run();
  return { send, renew, close };
}

/** The JSON value of a text message; undefined for anything else. */
function parse(data: unknown): unknown {
  if (typeof data !== 'string') return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
