import { withoutSecrets } from './agent/plain/redact.ts';

/** Facts of a log line. Never message text, tool arguments, headers or secrets. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

/**
 * One structured line, with its facts as fields at the top. It goes directly to the stream, as metrics do: the
 * runtime's JSON format wraps what `console` gets into `message`, a string as a string. Lambda takes a line that is
 * JSON as it is.
 *
 * Nothing is remembered between lines: on Lambda Managed Instances several invocations share this module, and the id of
 * a request comes from the runtime's own store, which knows the current one.
 */
export function log(level: Level, message: string, facts: Facts = {}): void {
  if (levels.indexOf(level) < levels.indexOf(least())) return;
  // Services and servers may repeat in an error what they were sent.
  const told = Object.entries(facts).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutSecrets(value) : value,
  ]);
  const head = { timestamp: new Date().toISOString(), level: level.toUpperCase(), message };
  process.stdout.write(
    `${JSON.stringify({ ...head, requestId: requestId(), ...Object.fromEntries(told) })}\n`,
  );
}

/** The function's log level (`AWS_LAMBDA_LOG_LEVEL`); info if it is not one of ours. */
const least = (): Level =>
  levels.find((level) => level === process.env.AWS_LAMBDA_LOG_LEVEL?.toLowerCase()) ?? 'info';

interface InvokeStore {
  getRequestId?(): string | undefined;
}

/** The id of the current invocation. Outside of Lambda there is none. */
const requestId = (): string | undefined =>
  (globalThis as { awslambda?: { InvokeStore?: InvokeStore } }).awslambda?.InvokeStore?.getRequestId?.();

/** Characters of an error's message that a line holds. */
const MAX_DETAIL = 1_000;

/** The facts that a log may contain of an error of ours or of a service. */
export function errorFacts(error: unknown): Facts {
  if (!(error instanceof Error)) return { error: 'unknown', detail: String(error).slice(0, MAX_DETAIL) };
  return {
    ...whereFrom(error),
    // A SyntaxError quotes the text that could not be parsed.
    ...(!(error instanceof SyntaxError) && { detail: error.message.slice(0, MAX_DETAIL) }),
  };
}

/**
 * The facts that a log may contain of an error that a tool threw: its kind, and its place. Its message may contain the
 * call's arguments.
 */
export function whereFrom(error: unknown): Facts {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const { code } = error as { code?: unknown };
  return {
    error: plain(error.name) ?? 'Error',
    ...(plain(code) !== undefined && { errorCode: plain(code) }),
    stack: framesOf(error),
    ...(error.cause instanceof Error && {
      cause: plain(error.cause.name) ?? 'Error',
      causeStack: framesOf(error.cause),
    }),
  };
}

/** A name or a code, not a text. */
const plain = (value: unknown): string | number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value))
    ? value
    : undefined;

/** The places in an error's stack, without the message before them, which may look like a place too. */
function framesOf({ stack = '', message }: Error): string {
  const at = message === '' ? -1 : stack.indexOf(message);
  const lines = (at < 0 ? stack : stack.slice(at + message.length)).split('\n');
  return lines
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 20)
    .join('\n');
}
