import type { Clock } from '@voice/shared/clock/clock';

/** How often it is looked whether there is less to do, in ms. */
const LOOK_EVERY_MS = 250;

export interface WhileProgressOptions {
  readonly clock: Clock;
  /** Returns what is left to do, as a number that falls. */
  readonly left: () => number;
  /** Returns how far what takes long has come, as a number that rises. */
  readonly done?: () => number;
  /** Time without progress after which the work is given up, in ms. */
  readonly stalledMs: number;
}

/** Runs work to its end, however long that takes, as long as less and less of it is left. */
export async function whileProgress(
  work: (signal: AbortSignal) => Promise<unknown>,
  { clock, left, done = () => 0, stalledMs }: WhileProgressOptions,
): Promise<void> {
  const controller = new AbortController();
  let least = left();
  let most = done();
  let progressAt = clock.monotonic();
  const look = () => {
    const now = left();
    const doneNow = done();
    if (now < least || doneNow > most) {
      least = Math.min(least, now);
      most = Math.max(most, doneNow);
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
