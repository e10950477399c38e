/** Largest post in bytes: API Gateway's largest message over a WebSocket. */
export const MAX_POST_BYTES = 128 * 1024;

/** WebSocket connections. Never rejects: a failure is part of the answer. */
export interface Sockets {
  /** `failed` for data of more than {@link MAX_POST_BYTES}, too. */
  post(connectionId: string, data: string): Promise<'sent' | 'gone' | 'slow' | 'failed'>;
}
