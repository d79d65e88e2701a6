import type { Express } from 'express';
import { servePage } from '../../platform/http/static-page.js';

/** `/dashboard`: one page that signs in by a login link and manages API keys. */
export function dashboardPage(app: Express): void {
  servePage(app, {
    path: '/dashboard',
    folder: 'dashboard',
    files: ['dashboard.css', 'dashboard.js'],
  });
}
