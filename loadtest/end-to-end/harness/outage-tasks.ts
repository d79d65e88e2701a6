import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';

/** Has the list of calls refused, then unreachable, then back. */
export async function showFailures(dashboard: DashboardPage): Promise<void> {
  expect(dashboard.errors).toEqual([]);
  const calls = '**/api/v1/calls?*';
  await dashboard.page.route(calls, (route) =>
    route.fulfill({
      status: 503,
      json: { detail: 'The store is down.', code: 'store_unavailable', request_id: 'r' },
    }),
  );
  await dashboard.load('/calls');
  await dashboard.page.getByText('The store is down.').waitFor();
  await dashboard.page.getByText(/fault of the service/).waitFor();
  expect(await dashboard.inspect('error')).toEqual([]);
  await dashboard.page.unroute(calls);
  await dashboard.page.route(calls, (route) => route.abort());
  await dashboard.click('button', 'Try again');
  await dashboard.page.getByText('The service cannot be reached.').waitFor();
  await dashboard.page.unroute(calls);
  await dashboard.click('button', 'Try again');
  await dashboard.page.getByRole('table', { name: 'Calls' }).waitFor();
}

/** Has an agent that is shown refused when it is read again. */
export async function keepWhatIsShown(dashboard: DashboardPage): Promise<void> {
  await dashboard.visit('/agents');
  await dashboard.page.getByRole('table', { name: 'Agents' }).getByRole('link').first().click();
  await dashboard.page.getByLabel('Name', { exact: true }).waitFor();
  const agent = `**${new URL(dashboard.page.url()).pathname.replace('/dashboard', '/api/v1')}`;
  await dashboard.page.route(agent, (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ status: 404, json: { detail: 'Gone.', code: 'agent_not_found', request_id: 'r' } })
      : route.continue(),
  );
  const refused = dashboard.page.waitForResponse(
    (response) => response.status() === 404 && response.request().method() === 'GET',
  );
  await dashboard.click('button', 'Switch off');
  await refused;
  await dashboard.page.getByRole('button', { name: 'Switch on' }).waitFor();
  expect(await dashboard.page.getByLabel('Name', { exact: true }).isVisible()).toBe(true);
  await dashboard.page.unroute(agent);
  await dashboard.click('button', 'Switch on');
  await dashboard.page.getByRole('button', { name: 'Switch off' }).waitFor();
}
