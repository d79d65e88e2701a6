import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';
import { TENANTS_VOICE_KEY } from './tenants-voice-key.js';

/** Brings a key of one's own: a wrong one is refused in words, the right one is saved and checked. */
export async function addVendorKey(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.load('/settings/vendor-keys');
  await main.getByText('No keys of your own yet').waitFor();
  expect(await dashboard.inspect('vendor-keys-empty')).toEqual([]);
  await dashboard.click('button', 'Add key');
  const dialog = dashboard.page.getByRole('dialog');
  await dialog.getByLabel('Vendor').selectOption('elevenlabs');
  await dialog.getByLabel('Key', { exact: true }).fill('xi-not-the-right-one');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await dialog.getByText(/elevenlabs does not take the key/).waitFor();
  // Browsers write every refusal down.
  expect(dashboard.errors.splice(0)).toEqual([expect.stringContaining('422')]);
  expect(await dashboard.violations()).toEqual([]);
  await dialog.getByLabel('Key', { exact: true }).fill(TENANTS_VOICE_KEY);
  await dashboard.page.keyboard.press('Enter');
  const keys = dashboard.page.getByRole('list', { name: 'Vendor keys' });
  await keys.getByText(`…${TENANTS_VOICE_KEY.slice(-4)}`).waitFor();
  await dashboard.click('button', 'Check the key of ElevenLabs');
  await keys.getByText('Works').waitFor();
  expect(await dashboard.page.locator('body').innerText()).not.toContain(TENANTS_VOICE_KEY);
  expect(await dashboard.inspect('vendor-keys')).toEqual([]);
}

/** Finds a voice by language and words, hears it, and takes it for an agent. */
export async function chooseVoice(dashboard: DashboardPage): Promise<void> {
  await dashboard.visit('/agents');
  await dashboard.page.getByRole('table', { name: 'Agents' }).getByRole('link').first().click();
  await dashboard.click('tab', 'Voice');
  await dashboard.click('button', 'Hear and choose a voice');
  const dialog = dashboard.page.getByRole('dialog');
  await dialog.getByLabel('Provider').selectOption('elevenlabs');
  await dialog.getByLabel('Search').fill('british');
  const voices = dialog.getByRole('table', { name: 'Voices' });
  await voices.getByText('Alice').waitFor();
  await voices.getByText('Rachel').waitFor({ state: 'detached' });
  expect(await dashboard.inspect('voice-gallery')).toEqual([]);
  await dashboard.click('button', 'Hear Alice');
  await dialog.getByRole('button', { name: 'Stop Alice' }).waitFor();
  // Once it is over.
  await dialog.getByRole('button', { name: 'Hear Alice' }).waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await dashboard.click('button', 'Choose Alice');
  await dialog.waitFor({ state: 'detached' });
  expect(await dashboard.page.getByLabel('Voice ID').inputValue()).toBe('Xb7hH8MSUJpSbSDYk0k2');
  // The agent stays as it was.
  await dashboard.click('button', 'Discard');
}

/** Takes the key back. */
export async function deleteVendorKey(dashboard: DashboardPage): Promise<void> {
  await dashboard.visit('/settings');
  await dashboard.click('link', 'Vendor keys');
  await dashboard.click('button', 'Delete the key of ElevenLabs');
  await dashboard.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  const main = dashboard.page.locator('main');
  await main.getByText('No keys of your own yet').waitFor();
  await main.getByText('Who changed what').click();
  await main.getByText(/ElevenLabs deleted by/).waitFor();
}
