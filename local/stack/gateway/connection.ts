import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { frameGuard } from './frame-guard.ts';
import type { ConnectionFacts } from './socket-event.ts';

/** API Gateway's WebSocket limits. Times in milliseconds, sizes in bytes. */
export interface SocketLimits {
  frame: number;
  message: number;
  idle: number;
  lifetime: number;
  /** Unsent bytes at which PostToConnection answers LimitExceeded. AWS does not publish its own number. */
  unsent: number;
}

/** From "Amazon API Gateway quotas: WebSocket"; `unsent` is our own choice. */
export const SOCKET_LIMITS: SocketLimits = {
  frame: 32 * 1024,
  message: 128 * 1024,
  idle: 10 * 60_000,
  lifetime: 2 * 3_600_000,
  unsent: 1024 * 1024,
};

/** An open connection. */
export interface Connection {
  facts: ConnectionFacts;
  socket: WebSocket;
  /** Milliseconds since 1970. */
  lastActiveAt: number;
  /** Restarts the idle clock. */
  touch(): void;
}

/** A new connection id, in API Gateway's format: 15 characters and an equals sign, which callers must encode. */
export function newConnectionId(): string {
  return `${randomBytes(11).toString('base64url')}=`;
}

/** Limits a socket's frame size, idle time and lifetime, and closes it as API Gateway does (1009, 1001). */
export function openConnection(
  facts: ConnectionFacts,
  socket: WebSocket,
  stream: NodeJS.ReadableStream,
  limits: SocketLimits,
): Connection {
  const goAway = (): void => socket.close(1001, 'Going away');
  const idle = setTimeout(goAway, limits.idle);
  const lifetime = setTimeout(goAway, limits.lifetime);
  socket.on('close', () => {
    clearTimeout(idle);
    clearTimeout(lifetime);
  });
  const connection: Connection = {
    facts,
    socket,
    lastActiveAt: facts.connectedAt,
    touch() {
      connection.lastActiveAt = Date.now();
      idle.refresh();
    },
  };
  stream.on(
    'data',
    frameGuard(limits.frame, () => socket.close(1009, 'Message too big')),
  );
  socket.on('ping', connection.touch);
  return connection;
}
