/** WebSocket connections. Never rejects: what went wrong is the answer. */
export interface Sockets {
  post(connectionId: string, data: string): Promise<'sent' | 'gone' | 'slow' | 'failed'>;
}
