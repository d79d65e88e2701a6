import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { ROOT } from '../../system/process.js';

/** Where the pictures of a run go; git ignores it. */
const PICTURES = join(ROOT, 'control-plane/dashboard/pictures');
const WIDTHS = [375, 1280] as const;
const THEMES = ['light', 'dark'] as const;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Colours of the theme before are there until the next frames, and until their transitions are over: on a busy machine
 * also one of 0.01 ms takes a while.
 */
const PAINTED = `(async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))));
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(transitions.map((transition) => transition.finished));
})()`;

/** The dashboard in a browser: what it complained of, what it loaded, what a person did to it. */
export class DashboardPage {
  /** Errors of the console and of scripts, refusals of the Content-Security-Policy among them. */
  readonly errors: string[] = [];
  #clicks = 0;

  private constructor(
    readonly page: Page,
    readonly origin: string,
  ) {}

  static async open(page: Page, link: string): Promise<DashboardPage> {
    const dashboard = new DashboardPage(page, new URL(link).origin);
    page.on('console', (message) => message.type() === 'error' && dashboard.errors.push(message.text()));
    page.on('pageerror', (error) => dashboard.errors.push(String(error)));
    await page.goto(link);
    return dashboard;
  }

  get clicks(): number {
    return this.#clicks;
  }

  async click(role: 'button' | 'link' | 'tab' | 'radio', name: string | RegExp): Promise<void> {
    this.#clicks += 1;
    await this.page.getByRole(role, { name }).click();
  }

  /** Goes to an address below `/dashboard`, and waits for its heading. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/dashboard${path}`);
    await this.page.locator('main h1').waitFor();
    await this.settled();
  }

  /** Waits until nothing holds the place of what is loading. */
  async settled(): Promise<void> {
    await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
  }

  /** Bytes that came over the line for the page's own files. */
  loadedBytes(): Promise<number> {
    return this.page.evaluate<number>(`
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({ name }) => name.includes('/dashboard'))
        .reduce((sum, { transferSize }) => sum + transferSize, 0)`);
  }

  /** When something was seen first, in ms after the page was asked for. */
  firstPaintMs(): Promise<number> {
    return this.page.evaluate<number>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
    );
  }

  /** What axe has against the page as it is now, in WCAG 2.2 AA and its best practices. */
  async violations(): Promise<string[]> {
    // By the protocol, not as an element: the page's policy lets no foreign script in.
    await this.page.evaluate(AXE);
    const results = await this.page.evaluate<AxeResults>(`axe.run(${JSON.stringify({ runOnly: RULES })})`);
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) => `${id}: ${html.slice(0, 160)}: ${failureSummary?.slice(0, 200)}`,
      ),
    );
  }

  /** Shows the page in every width and theme, keeps a picture of each, and returns what axe has against them. */
  async inspect(name: string): Promise<string[]> {
    mkdirSync(PICTURES, { recursive: true });
    const found: string[] = [];
    for (const width of WIDTHS) {
      await this.page.setViewportSize({ width, height: 800 });
      for (const colorScheme of THEMES) {
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await this.page.evaluate(PAINTED);
        // Each width and each theme once: axe takes a second.
        if ((width === 1280) === (colorScheme === 'light')) {
          const violations = await this.violations();
          found.push(...violations.map((violation) => `${name} ${width} ${colorScheme} ${violation}`));
        }
        await this.page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`) });
        if (await this.#overflows()) found.push(`${name} ${width}: the page is wider than the window`);
      }
    }
    await this.page.setViewportSize({ width: 1280, height: 800 });
    return found;
  }

  #overflows(): Promise<boolean> {
    return this.page.evaluate<boolean>(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
  }
}
