import type { Clock } from '@voice/shared/clock/clock';

/** How often it is looked whether there is less to do, in ms. */
const LOOK_EVERY_MS = 250;

export interface WhileProgressOptions {
  readonly clock: Clock;
  /** Returns what is left to do, as a number that falls. */
  readonly left: () => number;
  /** Time without progress after which the work is given up, in ms. */
  readonly stalledMs: number;
}

/** Runs work to its end, however long that takes, as long as less and less of it is left. */
export async function whileProgress(
  work: (signal: AbortSignal) => Promise<unknown>,
  { clock, left, stalledMs }: WhileProgressOptions,
): Promise<void> {
  const controller = new AbortController();
  let least = left();
  let progressAt = clock.monotonic();
  const look = () => {
    const now = left();
    if (now < least) {
      least = now;
      progressAt = clock.monotonic();
    }
    if (clock.monotonic() - progressAt >= stalledMs) controller.abort();
    else timer = clock.schedule(LOOK_EVERY_MS, look);
  };
  let timer = clock.schedule(LOOK_EVERY_MS, look);
  try {
    await work(controller.signal);
  } finally {
    timer.cancel();
  }
}
