import { parseOptions } from './options.ts';
import { record } from './record.ts';
import { runEvals } from './run.ts';

/** Ms after its end within which what agents and tools have left open may close by itself. */
const GRACE_MS = 1_000;

/** `steploop eval`: plays cases, or makes one of a session. */
export async function evaluate(args: readonly string[]): Promise<number> {
  const asked = parseOptions(args);
  if (!asked) return 0;
  // What functions log goes to standard output, where a table or a document stands.
  process.env.AWS_LAMBDA_LOG_LEVEL ??= 'error';
  const folder = process.cwd();
  const code = await (asked.kind === 'run' ? runEvals(folder, asked.options) : record(folder, asked.options));
  setTimeout(() => process.exit(code), GRACE_MS).unref();
  return code;
}
