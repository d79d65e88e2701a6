import { onTestFailed } from 'vitest';
import type { Chromium } from '../../browser/chromium.js';
import { DashboardPage } from '../../browser/dashboard-page.js';
import { runToEnd } from '../../system/process.js';
import type { SharedSystem } from './shared-system.js';

/** Opens the dashboard of a tenant, new or not, by a login link. */
export async function signIn(
  system: SharedSystem,
  browser: Chromium,
  tenantName: string,
): Promise<DashboardPage> {
  const { stdout } = await runToEnd({
    entry: 'infra/dist/cli/login.js',
    args: ['--tenant', tenantName],
    env: { DATA_DIR: system.dataDir },
  });
  return DashboardPage.open(await browser.context.newPage(), stdout.trim());
}

/** Says for the test that runs, should it fail, what the system wrote, what the browser objected to, what is shown. */
export function explainFailure(system: SharedSystem, { page, errors }: DashboardPage): void {
  onTestFailed(async () => {
    const shown = await page.locator('body').innerText();
    console.error(`${system.tail(20)}\n${errors.join('\n')}\nThe page shows:\n${shown.slice(0, 3000)}`);
  });
}
