import type { Call } from './call.js';

/** Ended calls that can still be asked about; the oldest are forgotten first. */
const REMEMBERED = 10_000;

/** The calls of the carrier by their SID, live ones and those that ended lately. */
export class CallRegistry {
  readonly #calls = new Map<string, Call>();
  readonly #ended: string[] = [];
  readonly #live = new Set<Promise<void>>();

  /** Starts the call's life. */
  add(call: Call): void {
    this.#calls.set(call.sid, call);
    const life = call.run().then(() => {
      this.#live.delete(life);
      this.#ended.push(call.sid);
      if (this.#ended.length > REMEMBERED) this.#calls.delete(this.#ended.shift()!);
    });
    this.#live.add(life);
  }

  get(sid: string): Call | undefined {
    return this.#calls.get(sid);
  }

  /** Hangs up all live calls; resolves when their callbacks are delivered. */
  async endAll(): Promise<void> {
    for (const call of this.#calls.values()) {
      if (!call.ended) call.hangUp(call.status === 'in-progress' ? 'completed' : 'canceled');
    }
    await Promise.all(this.#live);
  }
}
