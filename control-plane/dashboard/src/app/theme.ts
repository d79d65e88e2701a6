import { useSyncExternalStore } from 'react';

const KEY = 'dashboard.theme';
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const listeners = new Set<() => void>();
const stored = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

/** Shows the page in the stored theme; `system` follows the reader's own. */
export function applyTheme(): void {
  const theme = stored();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The theme, and how to choose another. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, stored);
  return [
    theme,
    (next) => {
      localStorage.setItem(KEY, next);
      applyTheme();
      for (const listener of listeners) listener();
    },
  ];
}

/** What comes after a theme when it is switched by one button. */
export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
