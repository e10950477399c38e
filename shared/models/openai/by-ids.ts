import type { Message } from '../../agent/ports/provider.ts';

/** Converts each message once for the ids that its calls and results have, so that a request repeats the objects of the one before. */
export function byIds<Made>(
  make: (message: Message, ids: readonly string[]) => readonly Made[],
): (message: Message, ids: readonly string[]) => readonly Made[] {
  const known = new WeakMap<Message, { readonly ids: string; readonly made: readonly Made[] }>();
  return (message, ids) => {
    const found = known.get(message);
    const name = ids.join('\n');
    if (found?.ids === name) return found.made;
    const made = make(message, ids);
    known.set(message, { ids: name, made });
    return made;
  };
}
