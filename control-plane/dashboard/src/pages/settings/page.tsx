import { createLazyRoute, Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page.js';
import { SETTINGS_SECTIONS } from './sections.js';

export const route = createLazyRoute('/settings')({ component: SettingsPage });

/** The settings: their sections, and the one that is open. */
function SettingsPage(): ReactNode {
  return (
    <Page title="Settings" description="What holds for the account as a whole, in the sandbox and live.">
      <div className="grid items-start gap-4 md:grid-cols-[11rem_minmax(0,1fr)]">
        <nav aria-label="Settings">
          <ul className="flex flex-wrap gap-1 md:flex-col">
            {SETTINGS_SECTIONS.map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className="flex h-9 items-center gap-2 rounded-md px-2.5 hover:bg-sunken"
                  activeProps={{ className: 'bg-accent-soft text-accent font-semibold' }}
                >
                  <Icon aria-hidden className="size-4" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="flex min-w-0 flex-col gap-4">
          <Outlet />
        </div>
      </div>
    </Page>
  );
}
