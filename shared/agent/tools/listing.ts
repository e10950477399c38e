import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import { configFor } from './asked-for.ts';
import { servicesFor } from './services.ts';
import type { ToolSource } from './source.ts';

/** Longest time in ms that a source may take to list its tools: a person waits for the session's first word. */
export const LIST_MS = 10_000;
/** Characters of a source's own error that are told. */
const MAX_WHY = 300;

/** What a source has said, not yet read; or why it has not. */
export type Said =
  | { readonly kind: 'listed'; readonly listed: unknown }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Asking again does not help. */
  | { readonly kind: 'wrong'; readonly why: string };

/** Asks a source what it has. Never rejects. */
export async function askSource(
  source: ToolSource,
  key: SessionKey,
  io: Pick<Ports, 'clock' | 'config' | 'blobs' | 'egress' | 'memories'>,
  stop: AbortSignal,
): Promise<Said> {
  const { clock, config } = io;
  const over = new AbortController();
  const done = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  const asker = { ...source, called: `the tool source ${source.name}` };
  const context = {
    ...key,
    signal,
    ...configFor(asker, config),
    services: servicesFor({ ...key, idempotencyKey: `list:${source.name}`, requesters: [] }, io, signal),
  };
  const list = Promise.resolve()
    .then(() => source.list(context))
    .then(
      (listed): Said => ({ kind: 'listed', listed }),
      (error: unknown): Said => ({ kind: isFinal(error) ? 'wrong' : 'unreachable', why: wordsOf(error) }),
    );
  const limit = clock
    .sleep(LIST_MS, AbortSignal.any([done.signal, stop]))
    .then((): Said => ({ kind: 'unreachable', why: `it did not answer within ${LIST_MS / 1000} s` }));
  const said = await Promise.race([list, limit]);
  done.abort('done');
  over.abort(new Error('the listing is over'));
  return said;
}

/** By what it says of itself: an agent's own copy of the package has classes of its own. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error && 'final' in error && error.final === true;

function wordsOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error) };
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return why.slice(0, MAX_WHY).toWellFormed();
}
