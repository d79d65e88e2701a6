import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** How late this process may be, 19 times in 20, for another conversation to begin beside those that are held, in ms. */
const LATE_MS = 25;
/** How long is looked, in ms: long enough for the conversation that began last to show what it costs. */
const LOOK_MS = 1000;
const RESOLUTION_MS = 10;

/**
 * Lets conversations begin one after the other, and only as many at the same time as the machine has time for: who
 * is made to speak late is misunderstood, which is no fault of the platform. One is always held.
 */
export class RoomForCalls {
  #held = 0;
  #begun: Promise<void> = Promise.resolve();

  async hold<T>(conversation: () => Promise<T>): Promise<T> {
    const begins = this.#begun.then(async () => {
      while (this.#held > 0 && (await lateness()) > LATE_MS);
      this.#held += 1;
    });
    this.#begun = begins;
    await begins;
    try {
      return await conversation();
    } finally {
      this.#held -= 1;
    }
  }
}

/** Returns how late the timers of this process are, 19 times in 20, in ms. */
async function lateness(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await sleep(LOOK_MS);
  delay.disable();
  return delay.percentile(95) / 1e6 - RESOLUTION_MS;
}
