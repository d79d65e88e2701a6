import type { Worker } from './worker.js';

/** What signals come from: the process, or what stands for it in tests. */
interface Source {
  on(event: 'SIGTERM' | 'SIGINT' | 'disconnect', listener: () => void): unknown;
}

export interface DrainOptions {
  readonly worker: Pick<Worker, 'drain' | 'endCalls'>;
  readonly notify: (reason: string) => void;
  /** Ends the process with the exit code; `error` says what the drain failed of. */
  readonly exit: (code: number, error?: unknown) => void;
}

/**
 * Drains at the first signal; a second one, or the launcher's end, hangs up at once. Returns what drains for another
 * reason, unless the worker does so already: its end has the given exit code. Then, too, the first signal hangs up
 * nobody.
 */
export function drainOnSignals(
  source: Source,
  { worker, notify, exit }: DrainOptions,
): (reason: string, code: number) => void {
  let isDraining = false;
  let isSignalled = false;
  const drain = (reason: string, code: number) => {
    if (isDraining) return;
    isDraining = true;
    notify(reason);
    void worker.drain().then(
      () => exit(code),
      (error: unknown) => exit(1, error),
    );
  };
  const stop = (reason: 'SIGTERM' | 'SIGINT' | 'disconnect') => {
    const isUrgent = isSignalled || reason === 'disconnect';
    isSignalled = true;
    drain(reason, 0);
    if (isUrgent) worker.endCalls();
  };
  for (const reason of ['SIGTERM', 'SIGINT', 'disconnect'] as const) source.on(reason, () => stop(reason));
  return drain;
}
