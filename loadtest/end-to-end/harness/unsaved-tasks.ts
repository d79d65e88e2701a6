import { expect } from 'vitest';
import { type DashboardPage, PAGE_OVERFLOWS } from '../../browser/dashboard-page.js';

/** Of one word, as no line takes it. */
const THEIRS = `Ada${'o'.repeat(200)}`;

const nameOf = (dashboard: DashboardPage) => dashboard.page.getByLabel('Name', { exact: true });
const saved = (dashboard: DashboardPage) =>
  dashboard.page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
const agentOf = (dashboard: DashboardPage) =>
  new URL(dashboard.page.url()).pathname.replace('/dashboard', '/api/v1');

/** Goes on typing while a save is under way: it stays, and is saved next. */
export async function typeWhileSaving(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  const agent = `**${agentOf(dashboard)}`;
  let letThrough = () => {};
  const answer = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(agent, async (route) => {
    if (route.request().method() === 'PATCH') await answer;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await nameOf(dashboard).fill('Ada in haste');
  await page.keyboard.press('Control+s');
  await sent;
  await nameOf(dashboard).press('Home');
  await page.keyboard.type('Dr. ');
  const read = page.waitForResponse((response) => response.request().method() === 'PATCH');
  letThrough();
  await read;
  await page.locator('main').getByRole('heading', { name: 'Ada in haste', level: 1 }).waitFor();
  await page.keyboard.type('B. ');
  expect(await nameOf(dashboard).inputValue()).toBe('Dr. B. Ada in haste');
  await page.unroute(agent);
  await dashboard.click('button', 'Save');
  await page.locator('main').getByRole('heading', { name: 'Dr. B. Ada in haste', level: 1 }).waitFor();
}

/** Changes what another save has changed meanwhile: it is asked about, and takes its place alone. */
export async function saveOverAnother(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  await nameOf(dashboard).fill('Ada of mine');
  await page.evaluate(`fetch('${agentOf(dashboard)}', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: '${THEIRS}', silence_timeout_seconds: 21 }),
  })`);
  await page.keyboard.press('Control+s');
  const question = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' });
  await question.getByText(/what you changed, too: name\./).waitFor();
  expect(await dashboard.violations()).toEqual([]);
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await page.locator('main').getByRole('heading', { name: THEIRS, level: 1 }).waitFor();
  expect(await page.evaluate(PAGE_OVERFLOWS)).toBe(false);
  await dashboard.click('button', 'Save');
  await question.getByRole('button', { name: 'Save mine' }).click();
  await page.locator('main').getByRole('heading', { name: 'Ada of mine', level: 1 }).waitFor();
  expect(
    await page.evaluate(`fetch('${agentOf(dashboard)}').then((answer) => answer.json())
      .then(({ name, silence_timeout_seconds }) => [name, silence_timeout_seconds])`),
  ).toEqual(['Ada of mine', 21]);
}

/** Stays where something is not saved instead of going to the other mode: neither this tab nor the next one has it. */
export async function stayInMode(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  await nameOf(dashboard).fill('Ada, unsaved');
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
  await page.getByRole('group', { name: 'Mode' }).getByText('Live').click();
  await asked;
  const kept = ['sessionStorage', 'localStorage'].map((storage) => `${storage}.getItem('dashboard.mode')`);
  expect(await page.evaluate(`[${kept.join(', ')}].includes('live')`)).toBe(false);
  expect(await page.getByRole('status').first().innerText()).toContain('Sandbox');
}

/** Is signed out in the middle of an edit, signs in elsewhere and comes back: what was not saved is there. */
export async function outliveSession(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  const context = page.context();
  await nameOf(dashboard).fill('Ada of the next session');
  const cookies = await context.cookies();
  await context.clearCookies();
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { name: 'Your session is over' }).waitFor();
  await page.getByText(/they are here again/).waitFor();
  expect(await dashboard.violations()).toEqual([]);
  // Browsers write every refusal down.
  expect(dashboard.errors.splice(0)).toEqual([
    expect.stringContaining('401'),
    expect.stringContaining('401'),
  ]);
  await context.addCookies(cookies);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await nameOf(dashboard).waitFor();
  await page.getByText('What you had not saved is here again.').waitFor();
  expect(await nameOf(dashboard).inputValue()).toBe('Ada of the next session');
  await nameOf(dashboard).fill('Ada the second');
  await dashboard.click('button', 'Save');
  await saved(dashboard);
}
