import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { ROOT } from '../system/process.js';

/** Where the pictures of a run go; git ignores it. */
export const PICTURES = join(ROOT, 'control-plane/dashboard/pictures');

interface Variant {
  readonly width: number;
  readonly height?: number;
  readonly colorScheme: 'light' | 'dark';
  readonly axe: boolean;
}

/** Each width in each theme, in the order that changes least; axe sees each width and each theme once. */
const VARIANTS: readonly Variant[] = [
  { width: 1280, colorScheme: 'light', axe: true },
  { width: 1280, colorScheme: 'dark', axe: false },
  { width: 375, colorScheme: 'dark', axe: true },
  { width: 375, colorScheme: 'light', axe: false },
];
const LARGE_SCREEN: readonly Variant[] = [
  { width: 3840, height: 2160, colorScheme: 'light', axe: false },
  { width: 3840, height: 2160, colorScheme: 'dark', axe: false },
];
const HEIGHT = 800;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Of all that is well, axe would else describe every element. */
const AXE_OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};
const VIOLATIONS = `axe.run(${JSON.stringify(AXE_OPTIONS)}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ': ' + failureSummary?.slice(0, 200))))`;

/** Keeps what moves although no motion is asked for, from each document's first moment on. */
const WATCH_MOTION = `
  globalThis.motion = [];
  for (const type of ['transitionrun', 'animationstart']) {
    addEventListener(type, ({ target, propertyName = '', animationName = '' }) => {
      if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return;
      globalThis.motion.push(type + ' ' + propertyName + animationName + ': ' + target.outerHTML.slice(0, 160));
    }, true);
  }`;
const TAKE_MOTION = 'globalThis.motion.splice(0)';

/** Colours of the theme before are there until the next frames. */
const PAINTED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`;
const OVERFLOWS = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
/** Its lists and tabs scroll sideways, the page itself never. */
export const PAGE_OVERFLOWS = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(
  document.getElementById('main') ?? document.documentElement)`;
/** The parts of the shell scroll, never what they stand in. */
const SCROLLS_AS_A_WHOLE = `document.getElementById('navigation') !== null
  && document.documentElement.scrollHeight > document.documentElement.clientHeight`;

/** The dashboard in a browser: what it complained of, what it loaded, what a person did to it. */
export class DashboardPage {
  /** Errors of the console and of scripts, refusals of the Content-Security-Policy among them. */
  readonly errors: string[] = [];
  #clicks = 0;
  /** How long going to another page took, from the click to its content, in ms. */
  readonly #visits: number[] = [];

  private constructor(
    readonly page: Page,
    readonly origin: string,
    readonly devTools: CDPSession,
  ) {}

  static async open(page: Page, link: string): Promise<DashboardPage> {
    const devTools = await page.context().newCDPSession(page);
    const dashboard = new DashboardPage(page, new URL(link).origin, devTools);
    await page.addInitScript(WATCH_MOTION);
    page.on('console', (message) => message.type() === 'error' && dashboard.errors.push(message.text()));
    page.on('pageerror', (error) => dashboard.errors.push(String(error)));
    await page.goto(link);
    return dashboard;
  }

  get clicks(): number {
    return this.#clicks;
  }

  /** How long a person waited for pages that they went to, in words. */
  get interactionTimes(): string {
    const sorted = this.#visits.toSorted((a, b) => a - b).map(Math.round);
    return `${sorted.length} pages, each after ${sorted[sorted.length >> 1]} ms (median), ${sorted.at(-1)} ms at most`;
  }

  async click(role: 'button' | 'link' | 'tab' | 'radio', name: string | RegExp): Promise<void> {
    this.#clicks += 1;
    await this.page.getByRole(role, { name }).click();
  }

  /** Loads an address below `/dashboard` as a new document, and waits for its heading. */
  async load(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/dashboard${path}`);
    await this.page.locator('main h1').waitFor();
    await this.settled();
  }

  /** Goes to another page of the side bar, and waits for its heading. */
  async visit(path: string): Promise<void> {
    const before = await this.page.locator('main h1').elementHandle();
    const address = `/dashboard${path}`;
    const startedAt = performance.now();
    // With the mode, once one was chosen.
    await this.page.locator(`#navigation a:is([href="${address}"], [href^="${address}?"])`).click();
    await before?.waitForElementState('hidden');
    await this.page.locator('main h1').waitFor();
    await this.settled();
    this.#visits.push(performance.now() - startedAt);
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
    // Once a document, and by the protocol, not as an element: the page's policy lets no foreign script in.
    if (!(await this.page.evaluate<boolean>("'axe' in globalThis"))) await this.page.evaluate(AXE);
    return this.page.evaluate<string[]>(VIOLATIONS);
  }

  /** Shows the page in every width and theme; returns what is wrong, of which it keeps a picture. */
  async inspect(name: string): Promise<string[]> {
    return this.#inEveryVariant(name, VARIANTS, async (_variant, axe) => {
      const violations = axe ? await this.violations() : [];
      const moves = await this.page.evaluate<string[]>(TAKE_MOTION);
      return [...violations, ...moves.map((move) => `moves although no motion is asked for: ${move}`)];
    });
  }

  /** Shows the page on a 4K screen, in both themes; returns what is wrong, of which it keeps a picture. */
  async onLargeScreen(name: string): Promise<string[]> {
    return this.#inEveryVariant(`${name}-4k`, LARGE_SCREEN, async () => []);
  }

  /** Keeps a picture of the page in every width and theme, and returns in which it is wider than the window. */
  async pictures(name: string): Promise<string[]> {
    return this.#inEveryVariant(name, VARIANTS, async (variant) => {
      await this.#picture(variant);
      return [];
    });
  }

  async #inEveryVariant(
    name: string,
    variants: readonly Variant[],
    look: (variant: string, axe: boolean) => Promise<readonly string[]>,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const { width, height = HEIGHT, colorScheme, axe } of variants) {
      await this.page.setViewportSize({ width, height });
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await this.page.evaluate(PAINTED);
      const variant = `${name}-${width}-${colorScheme}`;
      const problems = [...(await look(variant, axe))];
      if (await this.page.evaluate<boolean>(`${OVERFLOWS} || ${PAGE_OVERFLOWS}`))
        problems.push('wider than the window');
      if (await this.page.evaluate<boolean>(SCROLLS_AS_A_WHOLE))
        problems.push('two scroll bars, the second of the window');
      if (problems.length > 0) await this.#picture(variant);
      found.push(...problems.map((problem) => `${variant}: ${problem}`));
    }
    await this.page.setViewportSize({ width: 1280, height: HEIGHT });
    return found;
  }

  async #picture(name: string): Promise<void> {
    const { data } = await this.devTools.send('Page.captureScreenshot', {
      format: 'jpeg',
      quality: 85,
      optimizeForSpeed: true,
    });
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.jpg`), data, 'base64');
  }
}
