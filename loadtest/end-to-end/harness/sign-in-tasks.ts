import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';

/** Signs out: where the service cannot be reached first, then for good. */
export async function signOut(dashboard: DashboardPage): Promise<void> {
  await dashboard.load('/start');
  const session = '**/dashboard/session';
  await dashboard.page.route(session, (route) => route.abort());
  await dashboard.click('button', 'Sign out');
  await dashboard.page.getByText('You are still signed in').waitFor();
  await dashboard.page.unroute(session);
  await dashboard.click('button', 'Sign out');
  await dashboard.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await dashboard.page.getByRole('button', { name: /identity provider/ }).count()).toBe(0);
}

/** Follows the way to an identity provider, and comes back as somebody who is nobody there. */
export async function followIdentityProvider(dashboard: DashboardPage): Promise<void> {
  const signInUrl = 'https://sign-in.example/?redirect_url=back';
  const ways = { identity_provider: { sign_in_url: signInUrl } };
  await dashboard.page.route('**/dashboard/session/ways', (route) => route.fulfill({ json: ways }));
  await dashboard.page.route('https://sign-in.example/**', (route) =>
    route.fulfill({ body: 'Who are you?' }),
  );
  await dashboard.load('/start');
  await dashboard.click('button', 'Continue with your identity provider');
  await dashboard.page.getByText('Who are you?').waitFor();
  expect(dashboard.page.url()).toBe(signInUrl);
  await dashboard.page.goto(`${dashboard.origin}/dashboard#identity-provider`);
  await dashboard.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(dashboard.page.url()).hash).toBe('');
  await dashboard.page.unroute('**/dashboard/session/ways');
}
