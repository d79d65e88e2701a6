import { useSyncExternalStore } from 'react';

/** A window that changes its width may change it. */
const subscribe = (onChange: () => void) => {
  addEventListener('resize', onChange);
  return () => removeEventListener('resize', onChange);
};

/** The size of the root's text in px: 16, unless the browser is set to another or the screen is large. */
export const rem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The same, whenever it changes. */
export const useRem = (): number => useSyncExternalStore(subscribe, rem);
