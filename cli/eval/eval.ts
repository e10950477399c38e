import { showHistory } from './history.ts';
import { parseOptions } from './options.ts';
import { record } from './record.ts';
import { runEvals } from './run.ts';

/** Time in ms after the end in which handles that agents and tools left open may close by themselves. */
const GRACE_MS = 1_000;

/** `steploop eval`: plays cases, or makes one from a session. */
export async function evaluate(args: readonly string[]): Promise<number> {
  const asked = parseOptions(args);
  if (!asked) return 0;
  if (asked.kind === 'history') return showHistory(process.cwd(), asked.options);
  // Functions log to standard output, where the table or the document is printed.
  process.env.AWS_LAMBDA_LOG_LEVEL ??= 'error';
  const folder = process.cwd();
  const code = await (asked.kind === 'run' ? runEvals(folder, asked.options) : record(folder, asked.options));
  setTimeout(() => process.exit(code), GRACE_MS).unref();
  return code;
}
