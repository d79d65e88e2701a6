/**
 * The first value for which `found` holds; looks again every few ms, for what happens in the background.
 * `withinMs` only ends the waiting for what never happens; on a busy machine anything takes its time.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  found: (value: T) => boolean = Boolean,
  withinMs = 30_000,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (found(value)) return value;
    if (performance.now() > until)
      throw new Error(`not within ${withinMs} ms; last: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
