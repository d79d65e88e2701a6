import { VoiceError } from './errors.js';

/**
 * A list that comes in pages. `await` gives its first page as the API answers it; `for await` goes over all entries
 * and fetches the pages as they are needed; `all()` collects them.
 */
export class Pages<Item, Page> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #fetch: (position: Readonly<Record<string, unknown>>) => Promise<Page>;
  readonly #items: string;
  readonly #by: 'cursor' | 'offset';

  /**
   * @param fetch asks for the page at a position: nothing, or `cursor` or `offset`
   * @param items the name of the page's field that holds its entries
   */
  constructor(
    fetch: (position: Readonly<Record<string, unknown>>) => Promise<Page>,
    items: string,
    by: 'cursor' | 'offset',
  ) {
    this.#fetch = fetch;
    this.#items = items;
    this.#by = by;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await client.calls.list()` is the first page.
  then<Fulfilled = Page, Rejected = never>(
    onFulfilled?: ((page: Page) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#fetch({}).then(onFulfilled, onRejected);
  }

  /** Goes over the pages. */
  async *pages(): AsyncGenerator<Page, void, void> {
    let position: Record<string, unknown> = {};
    let count = 0;
    for (;;) {
      const page = await this.#fetch(position);
      yield page;
      const { has_more, next_cursor } = page as { has_more?: boolean; next_cursor?: string | null };
      const items = this.#entries(page);
      count += items.length;
      if (this.#by === 'cursor') {
        if (!next_cursor) return;
        if (next_cursor === position.cursor)
          throw new VoiceError('The list goes on where it was: it has no end.');
        position = { cursor: next_cursor };
      } else {
        if (!has_more || items.length === 0) return;
        position = { offset: count };
      }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    for await (const page of this.pages()) yield* this.#entries(page);
  }

  /** Collects entries; at most `limit` of them. */
  async all(limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }

  #entries(page: Page): readonly Item[] {
    return (page as Record<string, readonly Item[] | undefined>)[this.#items] ?? [];
  }
}
