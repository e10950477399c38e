import { useCallback, useEffect, useRef, useState } from 'react';
import { sleep } from '../../../client/time.ts';
import { useDeployment } from '../deployment.tsx';
import { type SearchAsked, sessionsFor } from './asked.ts';
import { patternOf } from './match.ts';
import { nothingScanned, type Scanned, scan } from './scan.ts';

/** A search that starts, stops and goes on. It stops when the page is left. */
export function useScan() {
  const { client } = useDeployment();
  const [state, setState] = useState<Scanned>(nothingScanned);
  const [error, setError] = useState<unknown>();
  const [isGoing, setGoing] = useState(false);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const stop = useCallback(() => abort.current.abort(), []);

  const run = useCallback(
    async (text: string, asked: SearchAsked, from: Scanned) => {
      abort.current.abort();
      const own = new AbortController();
      abort.current = own;
      // Requests of an earlier search may still come back.
      const isCurrent = () => abort.current === own;
      setState(from);
      setError(undefined);
      setGoing(true);
      const query = sessionsFor(asked, Date.now());
      try {
        await scan(from, {
          list: (cursor) => client.sessions({ ...query, ...(cursor !== undefined && { cursor }) }),
          read: (sessionId) => client.messages(sessionId),
          pattern: patternOf(text),
          onProgress: (to) => {
            if (isCurrent()) setState(to);
          },
          ...{ signal: own.signal, pause: sleep },
        });
      } catch (failure) {
        if (isCurrent()) setError(failure);
      }
      if (isCurrent()) setGoing(false);
    },
    [client],
  );
  const clear = useCallback(() => {
    abort.current.abort();
    abort.current = new AbortController();
    setState(nothingScanned);
    setError(undefined);
    setGoing(false);
  }, []);
  return { state, error, isGoing, run, stop, clear };
}
