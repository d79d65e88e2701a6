import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import type { Api, Mode } from './client.js';
import { TabMode } from './tab-mode.js';

const tabMode = new TabMode(sessionStorage, localStorage);

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
  const router = useRouter();
  const mode = tabMode.of((search as { mode?: unknown }).mode);
  useEffect(() => tabMode.keep(mode), [mode]);
  return [
    mode,
    (chosen) => {
      // What is open belongs to the other mode: its list stays, its filters go.
      const to = location.pathname.replace(/^\/dashboard(\/[^/]*).*$/, '$1');
      void navigate({ to, search: { mode: chosen } }).then(() => {
        // A user with something unsaved may have stayed.
        const { mode: shown } = router.state.location.search as { mode?: unknown };
        if (shown === chosen) tabMode.choose(chosen);
      });
    },
  ];
}
