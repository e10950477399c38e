import { useCallback, useState } from 'react';

/** The selected sessions, by id. */
export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback((sessionIds: readonly string[], isSelected: boolean) => {
    setSelected((before) => {
      const after = new Set(before);
      for (const sessionId of sessionIds) {
        if (isSelected) after.add(sessionId);
        else after.delete(sessionId);
      }
      return after;
    });
  }, []);
  const clear = useCallback(() => setSelected(new Set()), []);
  return { selected, select, clear };
}
