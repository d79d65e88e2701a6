import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';

/** Invites a viewer, who then sees what they may not do and why; makes them an operator, and removes them. */
export async function inviteAndRemoveMember(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  await dashboard.visit('/settings');
  const table = page.getByRole('table', { name: 'Members' });
  await table.getByText('You', { exact: true }).waitFor();
  await dashboard.click('button', 'Invite');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name or email').fill('Grace Hopper');
  await dialog.getByLabel('Viewer').check();
  expect(await dashboard.violations()).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const link = await dialog.getByLabel('The link', { exact: true }).inputValue();
  await dashboard.click('button', 'Done');
  await page.getByRole('list', { name: 'Open invitations' }).getByText('Grace Hopper').waitFor();
  expect(await dashboard.inspect('settings-members')).toEqual([]);

  // By another name of the same host, the browser keeps another session.
  const hers = await page.context().newPage();
  try {
    await hers.goto(link.replace('127.0.0.1', 'localhost'));
    await hers.locator('#navigation').getByText('Grace Hopper · Viewer').waitFor();
    await hers.locator('#navigation a[href^="/dashboard/keys"]').click();
    const create = hers.getByRole('button', { name: 'Create key' }).first();
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await create.click({ force: true });
    await hers.getByText('This needs the role Developer or a higher one').waitFor();
    expect(await hers.getByRole('dialog').count()).toBe(0);
  } finally {
    await hers.close();
  }

  await page.reload();
  const role = table.getByLabel('Role of Grace Hopper');
  await role.selectOption('operator');
  await page.getByText('Grace Hopper is Operator now').waitFor();
  await dashboard.click('button', 'Remove Grace Hopper');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await role.waitFor({ state: 'detached' });
}

/** Reads which integrations there are, and says after how many days recordings are erased. */
export async function changeSettings(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  await dashboard.load('/settings/integrations');
  await page.getByRole('heading', { name: 'Slack' }).waitFor();
  await connectAndDisconnect(dashboard);
  await dashboard.click('link', 'Data retention');
  await page.getByLabel('Recordings, in days').fill('0');
  await dashboard.click('button', 'Save');
  await page.getByText('From 1 to 3650 days.').waitFor();
  await page.getByLabel('Recordings, in days').fill('3650');
  await dashboard.click('button', 'Save');
  await dashboard.click('button', 'Save and erase');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await dashboard.inspect('settings-retention')).toEqual([]);
}

/** Consents at Slack's own page, sees that the connection works, and ends it. */
async function connectAndDisconnect(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  const slack = page
    .getByRole('list', { name: 'Integrations' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'Slack' }) });
  await slack.getByRole('button', { name: 'Connect Slack' }).click();
  await slack.getByText('Connected', { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/settings/integrations');
  await slack.getByRole('button', { name: 'Check Slack' }).click();
  await slack.getByRole('status').getByText('The vendor takes the credentials.').waitFor();
  expect(await dashboard.inspect('settings-integrations')).toEqual([]);
  await slack.getByRole('button', { name: 'Disconnect Slack' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Slack is disconnected; its tokens are revoked').waitFor();
  await slack.getByRole('button', { name: 'Connect Slack' }).waitFor();
}
