/** Each look goes through a control plane and its store: what comes late is looked for seldom. */
const LONGEST_PAUSE_MS = 200;

/**
 * Returns the first value for which `found` holds, for what happens in the background. Looks again soon, then less
 * and less often: each look at a control plane takes from the machine what it waits for.
 * `withinMs` only ends the waiting for what never happens; on a busy machine anything takes its time.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  found: (value: T) => boolean = Boolean,
  withinMs = 240_000,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    const value = await look();
    if (found(value)) return value;
    if (performance.now() > until)
      throw new Error(`not within ${withinMs} ms; last: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
