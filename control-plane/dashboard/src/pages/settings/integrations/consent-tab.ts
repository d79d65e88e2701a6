/** What of a window is used of a tab that was opened. */
interface OpenedTab {
  opener: unknown;
  readonly location: { replace(url: string): void };
  close(): void;
}

/** The tab in which a person consents at the vendor's, beside the page that they were at. */
export class ConsentTab {
  readonly #openTab: () => OpenedTab | null;
  #tab: OpenedTab | null = null;

  /** @param openTab returns null where the browser does not allow it */
  constructor(openTab: () => OpenedTab | null = () => open('', '_blank')) {
    this.#openTab = openTab;
  }

  /** Opens it, still empty: one that is opened later than the click may be blocked. */
  open(): void {
    this.#tab = this.#openTab();
  }

  /** Leads it to the vendor's page. Returns false where there is none. */
  leadTo(url: string): boolean {
    if (this.#tab === null) return false;
    // The vendor's page gets no hold of this one.
    this.#tab.opener = null;
    this.#tab.location.replace(url);
    return true;
  }

  close(): void {
    this.#tab?.close();
    this.#tab = null;
  }
}
