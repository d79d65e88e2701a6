import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';
import type { SimulatedLine } from './simulated-line.js';

const IMPORTED = '+15005550031';

/** Subscribes a server that refuses at first, sends it a test event and, once it takes it, the same again. */
export async function createAndTestWebhook(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  let answer = 500;
  await using server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/voice-events`;
  await dashboard.visit('/webhooks');
  await dashboard.page.getByText('No webhooks in this mode').waitFor();
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.page.getByRole('button', { name: 'Create webhook' }).first().click();
  const dialog = dashboard.page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByLabel(/^All events/).uncheck();
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await dialog.getByText('Choose at least one event').waitFor();
  await dialog.getByLabel(/^campaign\.started/).check();
  expect(await dashboard.inspect('webhook-new')).toEqual([]);
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  const secret = await dialog.getByLabel('The signing secret').inputValue();
  expect(secret).toMatch(/^whsec_/);
  await dashboard.click('button', 'I have stored it');
  await main.getByRole('heading', { name: url, level: 1 }).waitFor();
  expect(await dashboard.page.locator('body').innerText()).not.toContain(secret);
  await main.getByText('Nothing was sent yet').waitFor();

  await dashboard.click('button', 'Send a test event');
  await dialog.getByLabel('Event').selectOption('call.failed');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  const deliveries = dashboard.page.getByRole('table', { name: 'Deliveries' });
  await deliveries.getByText('The receiver answered 500.').waitFor();
  await deliveries.getByText('Retrying').click();
  await dialog.getByText(/^Due at/).waitFor();
  await dialog.getByText('X-Service-Event: call.failed').waitFor();
  await dialog
    .getByRole('region', { name: 'body of the request' })
    .getByText('"event_type": "call.failed"')
    .waitFor();
  expect(await dashboard.inspect('webhook-delivery')).toEqual([]);
  answer = 204;
  await dashboard.click('button', 'Send it again');
  await dialog.getByText('The receiver answered 204.').waitFor();
  await dashboard.page.keyboard.press('Escape');
  await deliveries.getByText('Delivered').waitFor();
  expect(await dashboard.inspect('webhook')).toEqual([]);

  await dashboard.click('button', 'Switch off');
  await main.getByText('Off', { exact: true }).waitFor();
  await dashboard.click('button', 'Edit');
  await dialog.getByLabel('Description').fill('Of the tests');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await main.getByText(/Of the tests/).waitFor();
  await main.getByRole('link', { name: 'Webhooks' }).click();
  await dashboard.page.getByRole('table', { name: 'Webhooks' }).getByText(url).waitFor();
  expect(await dashboard.inspect('webhooks')).toEqual([]);
  await dashboard.page.getByRole('link', { name: url }).click();
  await dashboard.click('button', 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dashboard.page.getByText('No webhooks in this mode').waitFor();
}

/** Adds a number by hand and others by a file, finds one of them and takes it off. */
export async function fillDoNotCallList(dashboard: DashboardPage): Promise<void> {
  await dashboard.visit('/do-not-call');
  await dashboard.page.getByText('No number is on the list').waitFor();
  const dialog = dashboard.page.getByRole('dialog');
  await dashboard.page.getByRole('button', { name: 'Add number' }).first().click();
  await dialog.getByLabel('Phone number').fill('+1 (500) 555-0019');
  await dialog.getByRole('button', { name: 'Add number' }).click();
  const table = dashboard.page.getByRole('table', { name: 'Do-not-call numbers' });
  await table.getByText('+15005550019').waitFor();
  await dashboard.click('button', 'Import CSV');
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('phone\n+15005550018\n+15005550019\nAda\n'),
  });
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByText('1 number added').waitFor();
  await dialog.getByText('"Ada" is not a phone number.').waitFor();
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.click('button', 'Done');
  await dashboard.page.getByLabel('Find a number').fill('+1 500 555 0018');
  await dashboard.page.keyboard.press('Enter');
  await table.getByText('+15005550019').waitFor({ state: 'detached' });
  await dashboard.click('button', 'Remove +15005550018');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dashboard.page.getByText('+15005550018 is not on the list').waitFor();
  await dashboard.click('link', 'Show all numbers');
  await table.getByText('+15005550019').waitFor();
  expect(await dashboard.inspect('do-not-call')).toEqual([]);
}

/** Buys a number of the sandbox, gives it to the agent, releases it; imports another and verifies it by a code. */
export async function buyAndReleaseNumber(
  dashboard: DashboardPage,
  agent: string,
  line: SimulatedLine,
): Promise<void> {
  await dashboard.visit('/numbers');
  const dialog = dashboard.page.getByRole('dialog');
  await dashboard.page.getByRole('button', { name: 'Buy a number' }).first().click();
  const sale = dialog.getByRole('list', { name: 'Numbers for sale' });
  await sale.getByRole('button').first().waitFor();
  expect(await dashboard.violations()).toEqual([]);
  await sale.getByRole('button').first().click();
  await dialog.getByLabel('Answered by').selectOption({ label: agent });
  const number = await dialog.getByRole('heading', { level: 2 }).innerText();
  await dashboard.page.getByText(`${agent} answers ${number}`).waitFor();
  expect(await dashboard.inspect('number')).toEqual([]);
  await dashboard.page.keyboard.press('Escape');
  const row = dashboard.page.getByRole('row').filter({ hasText: number });
  await row.getByText(agent).waitFor();
  expect(await dashboard.inspect('numbers')).toEqual([]);
  await row.getByRole('button', { name: number }).click();
  await dashboard.click('button', 'Release the number');
  await dashboard.click('button', 'Release');
  await row.waitFor({ state: 'detached' });
  await dashboard.click('button', 'Import');
  await dialog.getByLabel('Phone number').fill(IMPORTED);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dashboard.click('button', 'Send a code by SMS');
  await dialog.getByLabel('Code').fill('12345');
  const verify = dialog.getByRole('button', { name: 'Verify', exact: true });
  expect(await verify.isDisabled()).toBe(true);
  expect(await dashboard.violations()).toEqual([]);
  const code = /\b\d{6}\b/.exec(await line.message(IMPORTED))?.[0] ?? '';
  await dialog.getByLabel('Code').fill(code === '000000' ? '000001' : '000000');
  await verify.click();
  await dialog.getByText('The code is wrong').waitFor();
  // Browsers write every refusal down.
  expect(dashboard.errors.splice(0)).toEqual([expect.stringContaining('403')]);
  await dialog.getByLabel('Code').fill(code);
  await verify.click();
  await dashboard.page.getByText(`Agents can call from ${IMPORTED} now`).waitFor();
  await dialog.getByText('Verified', { exact: true }).waitFor();
  await dashboard.page.keyboard.press('Escape');
}

/** Reads the usage of both modes, and saves a payment method at the payment provider's, whose invoices are read there. */
export async function readUsage(dashboard: DashboardPage): Promise<void> {
  const main = dashboard.page.locator('main');
  await dashboard.visit('/billing');
  await main.getByRole('heading', { name: 'This month' }).waitFor();
  await main.getByText('The sandbox costs nothing').waitFor();
  expect(await dashboard.inspect('billing')).toEqual([]);
  await dashboard.click('button', 'Switch to live');
  await main.getByRole('button', { name: 'Set up a payment method' }).waitFor();
  await main.getByText('Spent today').waitFor();
  expect(await dashboard.inspect('billing-live')).toEqual([]);
  await dashboard.click('button', 'Set up a payment method');
  // The payment provider's event comes when the person is back already: the page looks by itself.
  await main.getByText('A payment method is saved').waitFor();
  await dashboard.click('button', 'Invoices');
  await dashboard.page.getByRole('link', { name: 'Back to the shop' }).click();
  await main.getByRole('button', { name: 'Change the payment method' }).waitFor();
  await dashboard.page.getByRole('group', { name: 'Mode' }).getByText('Sandbox').click();
}
