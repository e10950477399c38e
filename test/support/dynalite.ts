import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';

/** A DynamoDB in this process. Stop it at the end. */
export interface Dynalite {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts dynalite in memory, able to show the item that refused a write. */
export async function startDynalite(): Promise<Dynalite> {
  showRefusingItems();
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}

interface Refusal {
  readonly body: { Item?: unknown };
}
interface Engine {
  checkConditional(
    request: { ReturnValuesOnConditionCheckFailure?: string },
    item: unknown,
  ): Refusal | undefined;
  isPatched?: true;
}
interface Validation {
  readonly types: Record<string, unknown>;
}

/** dynalite 4 drops `ReturnValuesOnConditionCheckFailure`, so that no refusal shows its item. This adds it. */
function showRefusingItems(): void {
  const require = createRequire(import.meta.url);
  const engine: Engine = require('dynalite/db');
  if (engine.isPatched) return;
  for (const write of ['putItem', 'updateItem', 'deleteItem']) {
    const { types }: Validation = require(`dynalite/validations/${write}`);
    types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] };
  }
  const check = engine.checkConditional;
  engine.checkConditional = (request, item) => {
    const refusal = check(request, item);
    if (refusal && item && request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD')
      refusal.body.Item = item;
    return refusal;
  };
  engine.isPatched = true;
}
