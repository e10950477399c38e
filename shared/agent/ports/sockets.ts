/** WebSocket connections. Never rejects: a failure is part of the answer. */
export interface Sockets {
  post(connectionId: string, data: string): Promise<'sent' | 'gone' | 'slow' | 'failed'>;
}
