import { sleep } from '../client/time.ts';

/** The answer of `GET /chat/{chatId}/waits`. */
export interface ChatWaits {
  readonly isGoing: boolean;
  /** Ids of everything that the run still waits for. */
  readonly waits: readonly string[];
}

/** Ms between two looks. */
const LOOK_MS = 3_000;

/**
 * Resolves when one of the waits of a chat is settled, or when the chat waits for nothing. The server is not asked while the page is
 * hidden, and a look that fails is repeated.
 */
export async function settled(
  look: () => Promise<ChatWaits>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const left = signal ?? new AbortController().signal;
  let before: readonly string[] | undefined;
  for (;;) {
    left.throwIfAborted();
    const now = isHidden() ? undefined : await look().catch(() => undefined);
    if (now) {
      const isOver = now.isGoing || now.waits.length === 0;
      if (isOver || before?.some((id) => !now.waits.includes(id))) return;
      before = now.waits;
    }
    await sleep(LOOK_MS, left);
  }
}

/** The part of a browser's document that is used here; Node has none. */
const page = globalThis as { readonly document?: { readonly visibilityState: string } };

const isHidden = (): boolean => page.document?.visibilityState === 'hidden';
