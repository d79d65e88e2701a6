import { HEARTBEAT_INTERVAL_MS, type Heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';

/** At every how many heartbeats all calls of a worker are compared, whatever changed: what is lost is so within 15 s. */
const COMPARE_EVERY = 4;
/** A heartbeat that comes later than that after the one before is compared whole, in ms. */
const NEXT_WITHIN_MS = 1.5 * HEARTBEAT_INTERVAL_MS;

/** What a worker held at its last heartbeat. Times are epoch ms. */
interface Held {
  readonly calls: ReadonlySet<string>;
  readonly at: number;
  /** When all of its calls were compared last. */
  readonly comparedAt: number;
  /** Heartbeats since then. */
  readonly since: number;
  /** Whether nothing was missing then, and nothing waited for. */
  readonly isQuiet: boolean;
}

/** What is to be looked at of a heartbeat whose worker was compared whole a moment ago. */
export interface Change {
  /** When the heartbeat before it was taken. */
  readonly after: Date;
  /** Calls that the one before it had. */
  readonly gone: readonly string[];
  /** What the worker holds when this one is taken. */
  readonly next: Omit<Held, 'at'>;
}

/**
 * What each worker reported to this replica last. While one worker's heartbeats follow each other here, what it no longer
 * holds is all that can be lost of what it had; for the rest its whole list is compared with what is stored.
 */
export class HeldCalls {
  readonly #workers = new Map<string, Held>();

  /** Returns what has changed since the heartbeat before; null where the whole list is to be compared. */
  changeOf({ worker_id, calls }: Heartbeat, now: number): Change | null {
    const held = this.#workers.get(worker_id);
    if (!held?.isQuiet || held.since + 1 >= COMPARE_EVERY) return null;
    if (now < held.at || now - held.at > NEXT_WITHIN_MS) return null;
    const still = new Set(calls);
    return {
      after: new Date(held.at),
      gone: [...held.calls].filter((id) => !still.has(id)),
      next: { ...held, calls: still, since: held.since + 1 },
    };
  }

  /** Notes that a heartbeat was taken by its change, and when. */
  noteChange(workerId: string, { next }: Change, at: Date): void {
    this.#workers.set(workerId, { ...next, at: at.getTime() });
  }

  /** Notes a heartbeat whose calls were compared whole. */
  noteCompared({ worker_id, calls }: Heartbeat, at: Date, isQuiet: boolean): void {
    this.#forgetSilent(at.getTime());
    const held = { calls: new Set(calls), at: at.getTime(), comparedAt: at.getTime(), since: 0, isQuiet };
    this.#workers.set(worker_id, held);
  }

  /**
   * Returns when a call that is missing now was held last, as far as that is known: at the worker's last heartbeat,
   * unless that was taken here and had not got it. Then it was neither missing when all were compared last.
   */
  heldAt(workerId: string, callId: string, lastSeenAt: Date): Date {
    const held = this.#workers.get(workerId);
    if (held?.at !== lastSeenAt.getTime() || held.calls.has(callId)) return lastSeenAt;
    return new Date(held.comparedAt);
  }

  #forgetSilent(now: number): void {
    for (const [id, { at }] of this.#workers) if (now - at > WORKER_LOST_AFTER_MS) this.#workers.delete(id);
  }
}
