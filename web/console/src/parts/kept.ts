import { useCallback, useState } from 'react';

/**
 * A value that this device keeps between visits, and its setter.
 *
 * @param key its name in the browser's storage
 * @param read turns what is stored into the value; it gets undefined if nothing readable is stored
 */
export function useKept<Value>(
  key: string,
  read: (stored: unknown) => Value,
): readonly [Value, (to: Value) => void] {
  const [value, setValue] = useState(() => read(stored(key)));
  const keep = useCallback(
    (to: Value) => {
      localStorage.setItem(key, JSON.stringify(to));
      setValue(to);
    },
    [key],
  );
  return [value, keep];
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
