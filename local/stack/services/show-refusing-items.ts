import { createRequire } from 'node:module';

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

/**
 * dynalite 4 drops `ReturnValuesOnConditionCheckFailure`, so a refused write does not show the item that refused it. DynamoDB
 * does, and the loser of a race relies on it. This adds it to dynalite, once per process.
 */
export function showRefusingItems(): void {
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
