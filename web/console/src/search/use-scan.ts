import { useCallback, useEffect, useRef, useState } from 'react';
import { sleep } from '../../../client/time.ts';
import { useDeployment } from '../deployment.tsx';
import { type SearchAsked, sessionsFor } from './asked.ts';
import { patternOf } from './match.ts';
import { nothingScanned, type Scanned, scan } from './scan.ts';

/** A search that starts, stops and goes on. It stops when the page is left. */
export function useScan(asked: SearchAsked) {
  const { client } = useDeployment();
  const [state, setState] = useState<Scanned>(nothingScanned);
  const [error, setError] = useState<unknown>();
  const [isGoing, setGoing] = useState(false);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const stop = useCallback(() => abort.current.abort(), []);

  const goOn = useCallback(
    async (from: Scanned) => {
      const { text } = asked;
      if (text === undefined) return;
      abort.current.abort();
      const own = new AbortController();
      abort.current = own;
      setState(from);
      setError(undefined);
      setGoing(true);
      const query = sessionsFor(asked, Date.now());
      try {
        const end = await scan(from, {
          list: (cursor) => client.sessions({ ...query, ...(cursor !== undefined && { cursor }) }),
          read: (sessionId) => client.messages(sessionId),
          pattern: patternOf(text),
          ...{ onProgress: setState, signal: own.signal, pause: sleep },
        });
        setState(end);
      } catch (failure) {
        setError(failure);
      }
      setGoing(false);
    },
    [client, asked],
  );
  return { state, error, isGoing, goOn, stop };
}
