import { rmSync } from 'node:fs';
import type { Route } from 'playwright-core';
import { browserLack, launchChromium } from '../browser/chromium.js';
import { DashboardPage, PICTURES } from '../browser/dashboard-page.js';
import { LaunchedSystem } from '../system/launched-system.js';
import { runToEnd } from '../system/process.js';
import { fillAccount } from './account.js';
import { dialogsOf, type Filled, type Opened, PAGES, pagesOf } from './pages.js';
import { makeSheets } from './sheets.js';

/** A skeleton is shown by then, in ms. */
const LOADING_MS = 500;
const FAILED_MS = 8000;
const OPENS_MS = 5000;

const say = (line: string) => void process.stderr.write(`pictures: ${line}\n`);

class Photographer {
  readonly problems: string[] = [];
  taken = 0;

  constructor(
    readonly dashboard: DashboardPage,
    readonly only: RegExp,
  ) {}

  wants(name: string): boolean {
    return this.only.test(name);
  }

  async take(name: string, path: string): Promise<void> {
    if (!this.wants(name)) return;
    await this.#goTo(path);
    await this.dashboard.settled();
    await this.#keep(name);
  }

  /** Takes the page while nothing of it has come. */
  async takeLoading(name: string, path: string): Promise<void> {
    if (!this.wants(name)) return;
    const held: Route[] = [];
    await this.#behind(
      (route) => void held.push(route),
      async () => {
        await this.#goTo(path);
        await this.dashboard.page.waitForTimeout(LOADING_MS);
        await this.#keep(name);
      },
    );
    await Promise.all(held.map((route) => route.abort().catch(() => {})));
  }

  /** Takes the page after everything of it has failed. */
  async takeFailed(name: string, path: string): Promise<void> {
    if (!this.wants(name)) return;
    const failed = { detail: 'The store is down.', code: 'store_unavailable', request_id: 'of-the-pictures' };
    await this.#behind(
      (route) => route.fulfill({ status: 503, json: failed }),
      async () => {
        await this.#goTo(path);
        await this.dashboard.page
          .getByRole('alert')
          .first()
          .waitFor({ timeout: FAILED_MS })
          .catch(() => {});
        await this.#keep(name);
      },
    );
  }

  async takeOpened(name: string, { page: path, press, opens = true }: Opened): Promise<void> {
    if (!this.wants(name)) return;
    const { page } = this.dashboard;
    await this.#goTo(path);
    await this.dashboard.settled();
    try {
      for (const button of press) {
        const found = page.getByRole('button', { name: button, exact: typeof button === 'string' }).first();
        await found.click({ timeout: OPENS_MS });
      }
      if (opens) await page.getByRole('dialog').first().waitFor({ timeout: OPENS_MS });
      await this.dashboard.settled();
      await this.#keep(name);
    } catch (error) {
      this.problems.push(`${name} did not open: ${String(error).split('\n')[0]}`);
    }
    await page.keyboard.press('Escape');
  }

  async #behind(answer: (route: Route) => unknown, run: () => Promise<void>): Promise<void> {
    const { page } = this.dashboard;
    await page.route('**/api/v1/**', answer);
    await run();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }

  async #goTo(path: string): Promise<void> {
    await this.dashboard.page.goto(`${this.dashboard.origin}/dashboard${path}`);
    await this.dashboard.page.locator('main').first().waitFor();
  }

  async #keep(name: string): Promise<void> {
    this.problems.push(...(await this.dashboard.pictures(name)));
    this.taken += 1;
  }
}

async function takeAll(photographer: Photographer): Promise<void> {
  const { dashboard } = photographer;
  for (const [name, path] of Object.entries(PAGES)) await photographer.take(`${name}-empty`, path);
  say('filling the account');
  const filled: Filled = await fillAccount(dashboard.page.context().request, dashboard.origin);
  const pages = { ...PAGES, ...pagesOf(filled) };
  for (const [name, path] of Object.entries(pages)) await photographer.take(name, path);
  for (const [name, path] of Object.entries(pages)) await photographer.takeLoading(`${name}-loading`, path);
  for (const [name, path] of Object.entries(pages)) await photographer.takeFailed(`${name}-error`, path);
  for (const [name, opened] of Object.entries(dialogsOf(filled))) {
    await photographer.takeOpened(`dialog-${name}`, opened);
  }
}

/** Takes those whose names fit. Returns the exit code: 1 where one is wider than the window or did not open. */
export async function takePictures(only: RegExp): Promise<number> {
  const lack = browserLack();
  if (lack !== null) throw new Error(lack);
  rmSync(PICTURES, { recursive: true, force: true });
  const system = await LaunchedSystem.start({ EGRESS_ALLOW: '127.0.0.0/8' });
  const browser = await launchChromium({ samples: new Int16Array(16_000), sampleRate: 16_000 });
  try {
    const link = await runToEnd({
      entry: 'infra/dist/cli/login.js',
      args: ['--tenant', 'Bright Smile Dental'],
      env: { DATA_DIR: system.dataDir },
    });
    const dashboard = await DashboardPage.open(await browser.context.newPage(), link.stdout.trim());
    await dashboard.page.locator('main h1').waitFor();
    const photographer = new Photographer(dashboard, only);
    await takeAll(photographer);
    await dashboard.page.context().clearCookies();
    await photographer.take('sign-in', '/');
    const sheets = await makeSheets(browser.context, PICTURES);
    for (const problem of photographer.problems) say(problem);
    say(`${photographer.taken} views, each in 4 variants, in ${PICTURES}; sheets of them in ${sheets}`);
    return photographer.problems.length === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await system.stop();
  }
}
