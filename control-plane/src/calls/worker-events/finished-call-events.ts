import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { CallDocument } from '../record/model.js';

/** How many calls are remembered at most. */
const MOST_CALLS = 200;
/** For how long they are, in ms: what follows a call's end asks for its events one step after the other. */
const REMEMBERED_MS = 10_000;

interface Remembered {
  readonly events: readonly CallEvent[];
  readonly until: number;
}

interface FinishedCallEventsOptions {
  readonly read: (call: CallDocument) => Promise<readonly CallEvent[]>;
  readonly now: () => number;
}

/**
 * Reads what a worker reported of a call. Where all of it has come, nothing more will: then what follows the call's end
 * reads it once.
 */
export class FinishedCallEvents {
  readonly #options: FinishedCallEventsOptions;
  /** In the order in which they came. */
  readonly #calls = new Map<string, Remembered>();

  /** @param options.now monotonic, in ms */
  constructor(options: FinishedCallEventsOptions) {
    this.#options = options;
  }

  async of(call: CallDocument): Promise<readonly CallEvent[]> {
    const known = this.#calls.get(call._id);
    if (known && this.#options.now() < known.until) return known.events;
    const events = await this.#options.read(call);
    this.#calls.delete(call._id);
    if (isComplete(events)) this.#remember(call._id, events);
    return events;
  }

  #remember(callId: string, events: readonly CallEvent[]): void {
    this.#calls.set(callId, { events, until: this.#options.now() + REMEMBERED_MS });
    for (const [id, { until }] of this.#calls) {
      if (this.#calls.size <= MOST_CALLS && this.#options.now() < until) return;
      this.#calls.delete(id);
    }
  }
}

/** Whether a call's last event is there, and all before it. */
function isComplete(events: readonly CallEvent[]): boolean {
  return events.at(-1)?.kind === 'ended' && events.every(({ seq }, at) => seq === at + 1);
}
