import type { SessionKey } from '../../contract/session.ts';
import { withoutSecrets } from '../plain/redact.ts';
import type { Ports } from '../ports/ports.ts';
import { configFor } from './asked-for.ts';
import { servicesFor } from './services.ts';
import type { ToolSource } from './source.ts';

/** Longest time in ms that a source may take to list its tools: a person waits for the session's first output. */
export const LIST_MS = 10_000;
/** Characters of a source's own error that are shown. */
const MAX_WHY = 300;

/** A source's raw answer, or why there is none. */
export type SourceAnswer =
  | { readonly kind: 'listed'; readonly listed: unknown }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Asking again does not help. */
  | { readonly kind: 'wrong'; readonly why: string };

/** Asks a source for its tools. Never rejects. */
export async function askSource(
  source: ToolSource,
  key: SessionKey,
  io: Pick<Ports, 'clock' | 'config' | 'blobs' | 'egress' | 'memories'>,
  stop: AbortSignal,
): Promise<SourceAnswer> {
  const { clock, config } = io;
  const over = new AbortController();
  const done = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  const secrets: string[] = [];
  const asker = { ...source, called: `the tool source ${source.name}` };
  const context = {
    ...key,
    signal,
    ...configFor(asker, config, secrets),
    services: servicesFor({ ...key, idempotencyKey: `list:${source.name}`, requesters: [] }, io, signal),
  };
  const list = Promise.resolve()
    .then(() => source.list(context))
    .then(
      (listed): SourceAnswer => ({ kind: 'listed', listed }),
      (error: unknown): SourceAnswer => ({
        kind: isFinal(error) ? 'wrong' : 'unreachable',
        why: wordsOf(error, secrets),
      }),
    );
  const limit = clock
    .sleep(LIST_MS, AbortSignal.any([done.signal, stop]))
    .then((): SourceAnswer => ({ kind: 'unreachable', why: `it did not answer within ${LIST_MS / 1000} s` }));
  const said = await Promise.race([list, limit]);
  done.abort('done');
  over.abort(new Error('the listing is over'));
  return said;
}

/** Recognised by its name: an agent's own copy of the package has its own classes. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error && 'final' in error && error.final === true;

function wordsOf(error: unknown, secrets: readonly string[]): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error) };
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return withoutSecrets(why, secrets).slice(0, MAX_WHY).toWellFormed();
}
