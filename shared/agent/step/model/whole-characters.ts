import { wellFormed } from '../../plain/well-formed.ts';
import type { Delta } from '../../ports/provider.ts';

/** Passes a reply on in whole characters as it is streamed. */
export interface WholeCharacters {
  hear(delta: Delta): void;
  /** The stream is over. */
  end(): void;
}

/**
 * A server may split a surrogate pair over two deltas. Clients get each character whole: the first half waits for the second,
 * and becomes U+FFFD if that never comes.
 */
export function wholeCharacters(tell: (delta: Delta) => void): WholeCharacters {
  let held: Delta | undefined;
  const end = () => {
    if (held) tell(wellFormed(held));
    held = undefined;
  };
  return {
    hear(delta) {
      if (held && held.kind !== delta.kind) end();
      const text = (held?.text ?? '') + delta.text;
      const whole = endsInHalf(text) ? text.slice(0, -1) : text;
      held = whole === text ? undefined : { ...delta, text: text.slice(-1) };
      if (whole !== '') tell(wellFormed({ ...delta, text: whole }));
    },
    end,
  };
}

const endsInHalf = (text: string): boolean => /[\uD800-\uDBFF]$/.test(text);
