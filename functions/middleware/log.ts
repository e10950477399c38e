/** Facts of a log line. Never message text, tool arguments, headers or secrets. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** One structured line; Lambda's JSON format takes it as it is. */
export function log(level: 'info' | 'warn' | 'error', message: string, facts: Facts = {}): void {
  console[level](JSON.stringify({ level, message, ...facts }));
}

/** What may be said of an error in a log. */
export const errorFacts = (error: unknown): Facts =>
  error instanceof Error
    ? { error: error.name, detail: error.message, stack: error.stack }
    : { error: 'unknown', detail: String(error) };
