import { useEffect } from 'react';
import type { Credential } from './credential.ts';

/** How often the end is looked for, in ms: no timer runs while a computer sleeps, and one that is due fires when it wakes. */
const LOOK_MS = 1_000;

/** Calls `onEnd` once the credential has ended. */
export function useEnd(credential: Credential | undefined, onEnd: () => void): void {
  useEffect(() => {
    if (!credential) return;
    let ended = false;
    const look = async () => {
      const endsAt = await credential.endsAt();
      if (ended || endsAt === undefined || Date.now() < endsAt) return;
      ended = true;
      onEnd();
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      ended = true;
      clearInterval(timer);
    };
  }, [credential, onEnd]);
}
