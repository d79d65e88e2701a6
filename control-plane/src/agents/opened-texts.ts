interface OpenedTextsOptions {
  /** How many characters of texts are kept, with what they say. */
  readonly characters: number;
}

/** Remembers what texts say that are read again and again: each is opened once, as long as there is room for it. */
export class OpenedTexts<Value extends object> {
  readonly #options: OpenedTextsOptions;
  readonly #open: (text: string) => Value;
  /** The longest known first: to put one that is asked for last again and again would make the map new tables. */
  readonly #known = new Map<string, Value>();
  #characters = 0;

  constructor(open: (text: string) => Value, options: OpenedTextsOptions) {
    this.#open = open;
    this.#options = options;
  }

  /** Returns what the text says, the same object for each who asks: it cannot be changed. */
  get(text: string): Value {
    const known = this.#known.get(text);
    if (known) return known;
    const value = frozen(this.#open(text));
    if (text.length > this.#options.characters) return value;
    this.#known.set(text, value);
    this.#characters += text.length;
    for (const [oldest] of this.#known) {
      if (this.#characters <= this.#options.characters) break;
      this.#known.delete(oldest);
      this.#characters -= oldest.length;
    }
    return value;
  }
}

/** Freezes a value of JSON with all that is in it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
