/** How long a tick is, in ms. */
const TICK_MS = 20;

/**
 * Runs a task and measures how long it takes, in ms, by ticks that each count the same however late they come. A wait
 * counts in full; of the time in which a busy machine lets the whole process stand still, next to nothing counts.
 */
export async function timed<T>(task: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
  let ticks = 0;
  const counting = setInterval(() => ticks++, TICK_MS);
  try {
    const result = await task();
    return { result, tookMs: ticks * TICK_MS };
  } finally {
    clearInterval(counting);
  }
}
