import { createRequire } from 'node:module';

/** The used part of dynalite's parsers. */
interface Parser {
  parse(text: string, ...more: unknown[]): unknown;
}

/** Bytes of an expression as it is sent, names and values not filled in (DynamoDB's developer guide, "Constraints"). */
const MOST_BYTES = 4_096;

let done = false;

/**
 * dynalite takes expressions of any size, and DynamoDB refuses those of more than 4 KB. This adds that to dynalite, once per
 * process, before its parsers cache their results.
 */
export function limitExpressions(): void {
  if (done) return;
  done = true;
  const require = createRequire(import.meta.url);
  for (const name of ['conditionParser', 'updateParser', 'projectionParser']) {
    const parser: Parser = require(`dynalite/db/${name}`);
    const { parse } = parser;
    parser.parse = (text, ...more) => {
      const bytes = Buffer.byteLength(text);
      if (bytes <= MOST_BYTES) return parse(text, ...more);
      // dynalite puts the kind of the expression before it, as DynamoDB does.
      throw new Error(`Expression size has exceeded the maximum allowed size; expression size: ${bytes}`);
    };
  }
}
