import type { Mode } from './client.js';

const KEY = 'dashboard.mode';
type Kept = Pick<Storage, 'getItem' | 'setItem'>;

/** The mode of a tab: its own once it has one, so that another tab's choice does not change it; also after a reload. */
export class TabMode {
  readonly #tab: Kept;
  readonly #browser: Kept;

  constructor(tab: Kept, browser: Kept) {
    this.#tab = tab;
    this.#browser = browser;
  }

  /** The mode that an address names, else the tab's, else the one that was chosen last; the sandbox to begin with. */
  of(named: unknown): Mode {
    if (isMode(named)) return named;
    const kept = this.#tab.getItem(KEY);
    return isMode(kept) ? kept : this.#browser.getItem(KEY) === 'live' ? 'live' : 'sandbox';
  }

  /** Keeps what the tab shows. */
  keep(mode: Mode): void {
    this.#tab.setItem(KEY, mode);
  }

  /** Somebody chooses it: tabs that are opened from now on begin with it. */
  choose(mode: Mode): void {
    this.keep(mode);
    this.#browser.setItem(KEY, mode);
  }
}

const isMode = (value: unknown): value is Mode => value === 'live' || value === 'sandbox';
