import type { Clock, Timer } from '@voice/shared/clock/clock';
import { LiveItems } from '@voice/shared/collections/live-items';
import type { Connection, mongo } from 'mongoose';
import { apiError } from './error-codes.js';

/** How long a store may be away before requests that wait for it are refused, in ms: a restart is shorter. */
const DOWN_AFTER_MS = 1500;
/** Kinds of servers that take writes. */
const WRITABLE: ReadonlySet<string> = new Set(['Standalone', 'Mongos', 'RSPrimary', 'LoadBalancer']);

/**
 * Knows, by the driver's monitoring, whether a server that takes writes is there. A request makes several store
 * operations, each with a deadline of its own; this bounds their sum.
 */
export class StoreWatch {
  readonly #clock: Clock;
  readonly #waiting = new LiveItems<(error: Error) => void>();
  #timer: Timer | undefined;
  #down = false;

  constructor(store: Connection, clock: Clock) {
    this.#clock = clock;
    store.getClient().on('topologyDescriptionChanged', ({ newDescription }) => this.#observe(newDescription));
  }

  /**
   * Does the work; rejects with `store_unavailable` as soon as the store has been away for `DOWN_AFTER_MS`, at once
   * where it already is. The work is not stopped: it fails by itself, or ends after the store came back.
   */
  async whileUp<T>(work: () => Promise<T>): Promise<T> {
    if (this.#down) throw unavailable();
    let refuse: (error: Error) => void = () => {};
    const refused = new Promise<never>((_resolve, reject) => {
      refuse = reject;
    });
    const done = this.#waiting.add(refuse);
    try {
      return await Promise.race([work(), refused]);
    } finally {
      done();
    }
  }

  #observe({ servers }: mongo.TopologyDescription): void {
    if ([...servers.values()].some(({ type }) => WRITABLE.has(type))) {
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#down = false;
      return;
    }
    this.#timer ??= this.#clock.schedule(DOWN_AFTER_MS, () => {
      this.#down = true;
      for (const refuse of this.#waiting) refuse(unavailable());
    });
  }
}

function unavailable(): Error {
  return apiError('store_unavailable', undefined, {
    cause: new Error('no server of the store answers'),
    retryable: true,
    retryAfterSeconds: 1,
  });
}
