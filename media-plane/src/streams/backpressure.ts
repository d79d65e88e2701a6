/** Writers that wait until there is room. */
export class Backpressure {
  readonly #checks = new Set<() => void>();

  /** Resolves once `hasRoom` is true, now or after a `wake`. Rejects with the signal's reason. */
  wait(hasRoom: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const check = () => {
        if (!hasRoom()) return;
        settle();
        resolve();
      };
      const onAbort = () => {
        settle();
        reject(signal.reason);
      };
      const settle = () => {
        this.#checks.delete(check);
        signal.removeEventListener('abort', onAbort);
      };
      this.#checks.add(check);
      signal.addEventListener('abort', onAbort, { once: true });
      check();
    });
  }

  /** Lets everyone who waits look again. */
  wake(): void {
    if (this.#checks.size === 0) return;
    for (const check of [...this.#checks]) check();
  }
}
