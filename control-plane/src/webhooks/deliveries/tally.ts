/** How many of something each tenant has; one that has none takes no room. */
export class Tally {
  readonly #counts = new Map<string, number>();

  of(tenant: string): number {
    return this.#counts.get(tenant) ?? 0;
  }

  /** Counts so many more, or fewer. */
  add(tenant: string, change: number): void {
    const count = this.of(tenant) + change;
    if (count > 0) this.#counts.set(tenant, count);
    else this.#counts.delete(tenant);
  }
}
