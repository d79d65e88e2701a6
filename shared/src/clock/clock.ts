export interface Timer {
  cancel(): void;
}

/** Time, injected: nothing but `systemClock` reads the machine's clocks. */
export interface Clock {
  /** Returns wall-clock time in ms since the epoch; for timestamps. */
  now(): number;
  /** Returns monotonic time in ms (fractional) from an arbitrary origin; for durations and deadlines. */
  monotonic(): number;
  /** Runs `task` once, `delayMs` from now. */
  schedule(delayMs: number, task: () => void): Timer;
  /** Resolves after `delayMs`; rejects with the signal's reason when it aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, task) {
    const handle = setTimeout(task, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
};

export function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.schedule(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
