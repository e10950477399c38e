import type { IncomingMessage } from 'node:http';
import type { Access } from '../iam/access.ts';
import { standBefore } from '../iam/door.ts';
import { refusePages } from '../iam/pages.ts';
import { refuseJson } from '../iam/refusals.ts';
import { wantedOfDynamoDb } from '../iam/wanted.ts';
import { closed, LOOPBACK, listen } from '../listen.ts';
import { countBytes } from './count-bytes.ts';
import { limitExpressions } from './expression-sizes.ts';
import { keepTexts } from './keep-texts.ts';
import { rememberExpressions } from './remember-expressions.ts';
import { showRefusingItems } from './show-refusing-items.ts';

/** A running DynamoDB. */
export interface LocalDynamoDb {
  endpoint: string;
  /** Ends open connections, then flushes and closes the tables. */
  stop(): Promise<void>;
}

/**
 * DynamoDB on dynalite, in this process; tables on disk if `path` is given, callers restricted to `access` if that is given.
 * dynalite does not emulate transactions, streams, deletion by TTL and backups.
 */
export async function startDynamoDb(path: string | undefined, access?: Access): Promise<LocalDynamoDb> {
  keepTexts();
  showRefusingItems();
  limitExpressions();
  countBytes();
  rememberExpressions();
  const { default: dynalite } = await import('dynalite');
  const server = dynalite({ createTableMs: 0, ...(path === undefined ? {} : { path }) });
  server.prependListener('request', tolerateAbort);
  standBefore(server, {
    access,
    wantedBy: wantedOfDynamoDb((table) => access?.partitionKeyOf(table)),
    serviceOf: () => 'dynamodb',
    refuse: () => refuseJson,
  });
  refusePages(server, () => refuseJson);
  const port = await listen(server, 0, 'embedded DynamoDB');
  return {
    endpoint: `http://${LOOPBACK}:${port}`,
    async stop() {
      server.closeAllConnections();
      await closed(server);
    },
  };
}

/**
 * dynalite rethrows a request's 'error' event, so a function that is killed while it sends one would take this whole process
 * down. Its listener is replaced by one that ignores the broken request.
 */
function tolerateAbort(request: IncomingMessage): void {
  const on = request.on.bind(request);
  request.on = (event: string, listener: (...args: never[]) => void) =>
    on(event, event === 'error' ? () => undefined : (listener as (...args: unknown[]) => void));
}
