interface Place<Item> {
  item: Item | undefined;
  before: Place<Item>;
  after: Place<Item>;
}

/**
 * What is under way at the moment, where much comes and goes. A `Set` is right and slow for that: each time that V8
 * makes it a new table, the old one keeps what was in it and points to the new one. Once one of them is old, all that
 * come after it, and each request, session or call that was in one, outlive every quick collection of garbage, and wait
 * for a whole one.
 */
export class LiveItems<Item> implements Iterable<Item> {
  readonly #ends: Place<Item>;

  constructor() {
    const ends = { item: undefined } as Place<Item>;
    ends.before = ends;
    ends.after = ends;
    this.#ends = ends;
  }

  /** Adds an item; returns what takes it out again, once. */
  add(item: Item): () => void {
    const ends = this.#ends;
    const place: Place<Item> = { item, before: ends.before, after: ends };
    ends.before.after = place;
    ends.before = place;
    return () => {
      place.before.after = place.after;
      place.after.before = place.before;
      // What holds on to the place holds nothing else by it.
      place.item = undefined;
      place.before = place;
      place.after = place;
    };
  }

  /** Returns the items that are there at the moment, in the order in which they came. */
  [Symbol.iterator](): Iterator<Item> {
    const items: Item[] = [];
    for (let place = this.#ends.after; place !== this.#ends; place = place.after)
      items.push(place.item as Item);
    return items[Symbol.iterator]();
  }
}
