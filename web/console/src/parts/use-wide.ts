import { useSyncExternalStore } from 'react';

/** The same width as in style.css, where columns stand next to each other. */
const wide = matchMedia('(min-width: 60.01rem)');

const subscribe = (onChange: () => void) => {
  wide.addEventListener('change', onChange);
  return () => wide.removeEventListener('change', onChange);
};

/** Whether the window is wide enough for tables; phones are not. */
export const useWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches);
