import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { MAX_POST_BYTES, type Sockets } from '../agent/ports/sockets.ts';
import { chunks, use } from './spent.ts';

/** A post that takes longer goes to a client that cannot keep up. */
const SLOW_AFTER_MS = 1500;

/** API Gateway bills each 32 KB as one message. */
const MESSAGE_BYTES = 32 * 1024;

/**
 * WebSocket connections at API Gateway.
 *
 * The client must not retry: a repeated post would show its frames twice. The first post loads it.
 */
export function createSockets(
  client: () => Promise<ApiGatewayManagementApiClient>,
  slowAfterMs = SLOW_AFTER_MS,
): Sockets {
  return {
    async post(connectionId, data) {
      const bytes = Buffer.byteLength(data);
      if (bytes > MAX_POST_BYTES) return 'failed';
      const { GoneException, LimitExceededException, PostToConnectionCommand } = await import(
        './sockets-client.ts'
      );
      const api = await client();
      const command = new PostToConnectionCommand({ ConnectionId: connectionId, Data: data });
      const signal = AbortSignal.timeout(slowAfterMs);
      try {
        await api.send(command, { abortSignal: signal });
        use('pushes', chunks(bytes, MESSAGE_BYTES));
        return 'sent';
      } catch (error) {
        if (error instanceof GoneException) return 'gone';
        // "Limit exceeded" means the account's rate or this client's full buffer; the error does not say which.
        if (error instanceof LimitExceededException || statusOf(error) === 429) return 'slow';
        return signal.aborted ? 'slow' : 'failed';
      }
    },
  };
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
