import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';

const MINUTE = 60_000;

/** Makes a campaign of a CSV file for the agent of the steps before, with wrong rows in it, and launches it. */
export async function launchCampaign(
  dashboard: DashboardPage,
  [first, second]: readonly [string, string],
): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.visit('/campaigns');
  await dashboard.page.getByText('No campaigns yet').waitFor();
  await dashboard.page.getByRole('link', { name: 'New campaign' }).first().click();
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.page.getByLabel('Drop a CSV file here').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`Phone,First name,City\n${first},Ann,Oslo\n${second},Bob,Rome\n12,Cy,Bonn\n,Di,\n`),
  });
  const left = dashboard.page.getByRole('table', { name: 'Rows that are left out' });
  await left.getByText('The phone number is missing.').waitFor();
  await left.getByText(/This is no phone number/).waitFor();
  await dashboard.page.getByLabel('Meaning of Phone').selectOption({ label: 'Skip it' });
  await dashboard.page.getByText('No column is the phone number.').waitFor();
  await dashboard.page.getByLabel('Meaning of Phone').selectOption({ label: 'Phone number' });
  await dashboard.click('button', 'Create campaign');
  await dashboard.page.getByText('Give the campaign a name.').waitFor();
  await dashboard.page.getByLabel('Name', { exact: true }).fill('Spring');
  await dashboard.page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Ada the second' });
  await dashboard.page.getByLabel('Calls a minute').fill('600');
  await dashboard.page.getByLabel('Attempts').fill('1');
  await dashboard.page.getByText(/^2 contacts at .* the end is/).waitFor();
  expect(await dashboard.inspect('new-campaign')).toEqual([]);
  await dashboard.click('button', 'Create campaign');
  await main.getByRole('heading', { name: 'Spring', level: 1 }).waitFor();
  await dashboard.click('button', 'Launch');
  await dashboard.page.getByRole('dialog').getByRole('button', { name: 'Launch' }).click();
}

/** Reads what that campaign came to, takes it away as a file, and has the contact who was busy called again. */
export async function readCampaign(dashboard: DashboardPage, busy: string): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.visit('/campaigns');
  await dashboard.click('link', 'Spring');
  await main.locator('header').getByText('Completed').waitFor({ timeout: MINUTE });
  await dashboard.click('tab', 'Results');
  const results = dashboard.page.getByRole('table', { name: 'Results' });
  await results.getByText('Ann').waitFor({ timeout: MINUTE });
  const [file] = await Promise.all([
    dashboard.page.waitForEvent('download'),
    dashboard.click('button', 'Export as CSV'),
  ]);
  expect(file.suggestedFilename()).toBe('Spring.csv');
  expect(readFileSync(await file.path(), 'utf8')).toContain('Ann');
  expect(await dashboard.inspect('campaign')).toEqual([]);
  await dashboard.click('tab', 'Contacts');
  await dashboard.page.getByLabel('Status of contacts').selectOption('busy');
  await dashboard.click('button', `Reschedule ${busy}`);
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.page.getByRole('dialog').getByRole('button', { name: 'Reschedule' }).click();
  await main.locator('header').getByText('Running').waitFor();
  await dashboard.click('button', 'Cancel');
  await dashboard.page.getByRole('dialog').getByRole('button', { name: 'Cancel the campaign' }).click();
  await main.locator('header').getByText('Cancelled').waitFor();
  await dashboard.visit('/campaigns');
  await dashboard.page.getByText('2 of 2').waitFor();
  expect(await dashboard.inspect('campaigns')).toEqual([]);
}
