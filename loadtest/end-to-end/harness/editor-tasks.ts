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

/** Writes a message for voicemail: it is left from then on; without one, the agent hangs up. */
export async function leaveVoicemailMessage(dashboard: DashboardPage, agentId: string): Promise<void> {
  const stored = (): Promise<unknown> =>
    dashboard.page.evaluate(
      `fetch('/api/v1/agents/${agentId}').then((answer) => answer.json()).then(({ voicemail }) => voicemail)`,
    );
  await dashboard.click('tab', 'Rules');
  for (const [message, action] of [
    ['Please call us back.', 'leave_message'],
    ['', 'hangup'],
  ] as const) {
    await dashboard.page.getByLabel('Message after the beep').fill(message);
    await dashboard.click('button', 'Save');
    await dashboard.page.getByRole('button', { name: 'Saved' }).waitFor();
    expect(await stored()).toMatchObject({ action, message });
  }
}

/** Leaves a tool's arguments broken, and looks elsewhere: nothing is saved before they are mended. */
export async function breakArguments(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.click('tab', 'Tools');
  await dashboard.click('button', /^HTTP request/);
  const tool = main.getByRole('listitem').filter({ hasText: 'Try it' }).last();
  await tool.getByLabel('Tool name').fill('broken');
  await tool.getByLabel('When to use it').fill('Never.');
  await tool.getByLabel('Address').fill('https://example.com/broken');
  await tool.getByLabel('Arguments, as JSON Schema').fill('{"type":');
  await dashboard.click('tab', 'Rules');
  await dashboard.click('button', 'Save');
  // That of the save before may still be fading.
  await dashboard.page.getByText('Some fields need your attention, under Tools.').first().waitFor();
  await tool.getByText(/^This is no JSON/).waitFor();
  expect(await tool.getByLabel('Arguments, as JSON Schema').inputValue()).toBe('{"type":');
  await dashboard.click('button', 'Discard');
  await main.getByRole('button', { name: 'Saved' }).waitFor();
}

/** Names a person to transfer to, beside the tool. */
export async function transferToReception(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.click('tab', 'Tools');
  await dashboard.click('button', /^Transfer to a person/);
  await dashboard.click('button', 'Add a person');
  await main.getByLabel('Name of the person').fill('Reception');
  await main.getByLabel('Phone number').fill('+1 (212) 555-0199');
  await dashboard.click('button', 'Save');
  await main.getByRole('button', { name: 'Saved' }).waitFor();
  expect(await main.getByLabel('Phone number').inputValue()).toBe('+12125550199');
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.click('button', 'Remove the person');
  await dashboard.click('button', 'Remove transfer_call');
  await dashboard.click('button', 'Save');
  await main.getByRole('button', { name: 'Saved' }).waitFor();
}
