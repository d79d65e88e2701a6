import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';

/** Chooses another model: the estimate follows before it is saved, and goes back with the form. */
export async function followEstimate(dashboard: DashboardPage): Promise<void> {
  const estimate = dashboard.page.locator('main').getByText(/^About \$0\.\d{3} a minute/);
  await dashboard.click('tab', 'Voice');
  const saved = await estimate.innerText();
  await dashboard.page.getByLabel('Model: provider').selectOption('openai');
  await dashboard.page.getByText('No calls yet with these providers').waitFor();
  expect(await estimate.innerText()).not.toBe(saved);
  await dashboard.click('button', 'Discard');
  await dashboard.page.getByText('No calls yet with these providers').waitFor({ state: 'detached' });
  expect(await estimate.innerText()).toBe(saved);
}

/** In the last tool's form, which is of an integration: it is connected from there, and what was entered stays. */
export async function offerConnection(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  const tool = main
    .getByRole('listitem')
    .filter({ has: dashboard.page.getByLabel('Integration') })
    .last();
  await tool.getByLabel('Tool name').fill('note_down');
  await tool.getByLabel('Integration').selectOption({ label: 'Airtable (not connected)' });
  await tool.getByRole('button', { name: 'Connect Airtable' }).click();
  await dashboard.page.getByRole('dialog').getByLabel('Base id').waitFor();
  await dashboard.page.keyboard.press('Escape');
  expect(await tool.getByLabel('Tool name').inputValue()).toBe('note_down');
  await tool.getByLabel('Integration').selectOption('');
}

/** Gives a tool two secret headers, removes one of them alone, and then the tool. */
export async function changeSecretHeaders(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.click('button', /^HTTP request/);
  const tool = main.getByRole('listitem').filter({ hasText: 'Try it' }).last();
  await tool.getByLabel('Tool name').fill('with_secrets');
  await tool.getByLabel('When to use it').fill('Never.');
  await tool.getByLabel('Address').fill('https://example.com/with-secrets');
  await tool.getByLabel('Secret headers', { exact: true }).fill('Authorization: hush\nX-Key: hush');
  await dashboard.click('button', 'Save');
  const stored = main.getByRole('list', { name: 'Stored secret headers' });
  await stored.getByText('Authorization').waitFor();
  expect(await tool.getByLabel('Secret headers', { exact: true }).inputValue()).toBe('');
  await dashboard.click('button', 'Remove the stored header X-Key');
  await dashboard.click('button', 'Save');
  await main.getByRole('button', { name: 'Saved' }).waitFor();
  expect(await stored.getByRole('listitem').allInnerTexts()).toEqual(['Authorization']);
  await dashboard.click('button', 'Remove with_secrets');
  await dashboard.click('button', 'Save');
  await main.getByRole('button', { name: 'Saved' }).waitFor();
}
