import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { Api, Mode } from '../api/client.js';

const KEY = 'dashboard.mode';

/** The mode that an address names, else the one of the last visit; the sandbox to begin with. */
function modeOf(search: unknown): Mode {
  const named = (search as { mode?: unknown }).mode;
  if (named === 'live' || named === 'sandbox') return named;
  return localStorage.getItem(KEY) === 'live' ? 'live' : 'sandbox';
}

export const ApiContext = createContext<{ readonly mode: Mode; readonly api: Api } | null>(null);

/** The API as the chosen mode sees it. A query's key begins with the mode: `[mode, 'calls', …]`. */
export function useApi(): { readonly mode: Mode; readonly api: Api } {
  const value = useContext(ApiContext);
  if (value === null) throw new Error('useApi is used outside of the shell');
  return value;
}

/** The mode, and how to switch it: in the address, so that a link opens in the mode in which it was copied. */
export function useMode(): readonly [Mode, (mode: Mode) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  return [
    modeOf(search),
    (mode) => {
      localStorage.setItem(KEY, mode);
      // What is open belongs to the other mode: its list stays, its filters go.
      void navigate({ to: location.pathname.replace(/^\/dashboard(\/[^/]*).*$/, '$1'), search: { mode } });
    },
  ];
}
