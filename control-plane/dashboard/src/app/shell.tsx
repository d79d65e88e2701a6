import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { BookOpen, LogOut, Menu, Monitor, Moon, Search, Sun } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { toast } from 'sonner';
import { createApi } from '../api/client.js';
import { ApiContext, useMode } from '../api/mode.js';
import { reasonOf } from '../api/optimistic.js';
import { type Operation, refusalOf, roleLabel } from '../api/roles.js';
import { type Session, signOut } from '../api/session.js';
import { renewSession } from '../api/session-query.js';
import { unsavedEdits } from '../pages/agents/editor/unsaved-edits.js';
import { Button } from '../ui/button.js';
import { classes } from '../ui/classes.js';
import { PermissionContext } from '../ui/permission.js';
import { ModeBand, ModeSwitch } from './mode-switch.js';
import { DESTINATIONS } from './navigation.js';
import { useShortcuts } from './shortcuts.js';
import { nextTheme, useTheme } from './theme.js';

const CommandPalette = lazy(() => import('./command-palette.js'));
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

/** What every page stands in: mode, navigation, search. */
export function Shell({ session }: { readonly session: Session }): ReactNode {
  const [mode] = useMode();
  const value = useMemo(() => ({ mode, api: createApi(mode) }), [mode]);
  const permission = useCallback((operation: Operation) => refusalOf(session, operation), [session]);
  const [searching, setSearching] = useState(false);
  const [menu, setMenu] = useState(false);
  useShortcuts(() => setSearching(true));
  return (
    <ApiContext value={value}>
      <PermissionContext value={permission}>
        <a
          href="#main"
          className="fixed top-1 left-1 z-50 -translate-y-20 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
        >
          Skip to the page
        </a>
        <div className="flex h-full flex-col">
          <ModeBand mode={mode} />
          <header className="flex h-13 shrink-0 items-center gap-2 border-b border-line bg-surface px-3 md:px-4">
            <Button
              variant="ghost"
              size="icon"
              className="md:hidden"
              aria-label="Menu"
              aria-expanded={menu}
              aria-controls="navigation"
              onClick={() => setMenu(!menu)}
            >
              <Menu aria-hidden className="size-5" />
            </Button>
            <Link to="/" className="mr-1 font-semibold tracking-tight whitespace-nowrap">
              Voice agents
            </Link>
            <span className="hidden min-w-0 truncate text-muted lg:block">{session.tenant_name}</span>
            <div className="ml-auto flex min-w-0 items-center gap-2">
              <Button
                onClick={() => setSearching(true)}
                className="text-muted max-sm:size-9 max-sm:justify-center max-sm:px-0"
                aria-keyshortcuts="Meta+K Control+K"
              >
                <Search aria-hidden className="size-4" />
                <span className="max-sm:sr-only">Search</span>
                <kbd aria-hidden className="hidden sm:inline-block">
                  ⌘K
                </kbd>
              </Button>
              <ModeSwitch />
            </div>
          </header>
          <div className="flex min-h-0 flex-1">
            <Navigation session={session} open={menu} onDone={() => setMenu(false)} />
            <main
              id="main"
              tabIndex={-1}
              className="relative flex min-w-0 flex-1 flex-col overflow-auto outline-none"
            >
              <Outlet />
            </main>
          </div>
        </div>
        {searching && (
          <Suspense>
            <CommandPalette onClose={() => setSearching(false)} />
          </Suspense>
        )}
      </PermissionContext>
    </ApiContext>
  );
}

interface NavigationProps {
  readonly session: Session;
  readonly open: boolean;
  readonly onDone: () => void;
}

function Navigation({ session: { member, role }, open, onDone }: NavigationProps): ReactNode {
  const client = useQueryClient();
  const [theme, setTheme] = useTheme();
  const ThemeIcon = THEME_ICONS[theme];
  const leave = async () => {
    if (unsavedEdits.isOpen && !confirm('Sign out without saving? Your changes of the agent are lost.'))
      return;
    try {
      await signOut();
    } catch (error) {
      toast.error('You are still signed in', { description: reasonOf(error as Error) });
      return;
    }
    unsavedEdits.dropAll();
    await renewSession(client);
  };
  const item = 'flex h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-sunken';
  useEffect(() => {
    if (!open) return;
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onDone();
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open, onDone]);
  return (
    <nav
      id="navigation"
      aria-label="Main"
      className={classes(
        'w-52 shrink-0 flex-col justify-between border-r border-line bg-surface p-2 md:flex',
        open ? 'absolute inset-y-0 z-30 mt-22 flex shadow-xl md:static md:mt-0 md:shadow-none' : 'hidden',
      )}
    >
      <ul className="flex flex-col gap-0.5">
        {DESTINATIONS.map(({ to, label, icon: Icon, key }) => (
          <li key={to}>
            <Link
              to={to}
              onClick={onDone}
              aria-keyshortcuts={`g ${key}`}
              className={item}
              activeProps={{ className: 'bg-accent-soft text-accent font-semibold' }}
            >
              <Icon aria-hidden className="size-4" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <ul className="flex flex-col gap-0.5 text-muted">
        <li className="truncate px-2.5 py-1 text-xs" title={member?.email ?? undefined}>
          {[member?.name ?? member?.email, roleLabel(role)].filter(Boolean).join(' · ')}
        </li>
        <li>
          <a href="/docs" className={item}>
            <BookOpen aria-hidden className="size-4" /> API reference
          </a>
        </li>
        <li>
          <button type="button" className={item} onClick={() => setTheme(nextTheme(theme))}>
            <ThemeIcon aria-hidden className="size-4" /> Theme: {theme}
          </button>
        </li>
        <li>
          <button type="button" className={item} onClick={() => void leave()}>
            <LogOut aria-hidden className="size-4" /> Sign out
          </button>
        </li>
      </ul>
    </nav>
  );
}
