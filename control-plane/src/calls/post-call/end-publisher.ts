import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import type { TenantEvent, TenantEventSeries } from '../../webhooks/events/tenant-events.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { isTestSession } from '../record/test-sessions.js';
import type { Publication } from './publication.js';

/** When to look again at a call that waits for a step, in ms: the steps normally wake the publisher. */
const LOOK_AGAIN_MS = 5000;
/** How many calls one sweep takes on. */
const BATCH = 200;

export interface EndPublisherOptions {
  readonly calls: CallModel;
  /** In the order in which they go out. */
  readonly publications: readonly Publication[];
  readonly events: TenantEventSeries;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Publishes the end of calls and what follows it, of each call in one order. The end of a call marks it as due in the
 * same write, and the mark goes when everything is out: after a crash in between, the sweep finds the call and goes
 * on. No lease is needed: two that publish the same call publish the same events in the same order.
 */
export class EndPublisher {
  readonly #options: EndPublisherOptions;
  /** Calls that are being published here; `again`: something has come meanwhile. */
  readonly #running = new Map<string, { again: boolean; readonly done: Promise<void> }>();

  constructor(options: EndPublisherOptions) {
    this.#options = options;
  }

  /** Publishes what can go out now; returns at once. */
  soon(call: TenantKey): void {
    void this.publish(call).catch((err: unknown) =>
      this.#options.log.error({ call_id: call._id, err }, 'a call could not be published'),
    );
  }

  /** Resolves when all that can go out now is stored. */
  publish(call: TenantKey): Promise<void> {
    const { _id: callId } = call;
    const running = this.#running.get(callId);
    if (running) {
      running.again = true;
      return running.done;
    }
    const done = this.#run(call).finally(() => {
      const again = this.#running.get(callId)?.again;
      this.#running.delete(callId);
      if (again) this.soon(call);
    });
    this.#running.set(callId, { again: false, done });
    return done;
  }

  /** Goes on with the calls that are due: those held until now, and those that a crash left. */
  async sweep(): Promise<void> {
    const { calls, clock } = this.#options;
    const isDue = { publish_due_at: { $gte: new Date(0), $lte: new Date(clock.now()) } };
    if (!(await gatheredCalls(calls).due.has(isDue))) return;
    const due = await calls
      .find(isDue, { tenant_id: 1 })
      .sort({ publish_due_at: 1 })
      .limit(BATCH)
      .lean<TenantKey[]>();
    await Promise.allSettled(due.map((call) => this.publish(call)));
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  async #run({ _id: callId, tenant_id }: TenantKey): Promise<void> {
    for (;;) {
      const running = this.#running.get(callId);
      if (running) running.again = false;
      const call = await gatheredCalls(this.#options.calls).reads.get(tenant_id, callId);
      // What a lost worker had spooled is waited for; its coming, or the end of the waiting, clears the mark.
      if (!call?.publish_due_at || call.spool_due_at) return;
      const isNoted = await this.#publishReady(call);
      if (isNoted && !this.#running.get(callId)?.again) return;
    }
  }

  /**
   * Publishes what is ready. Returns false when something came meanwhile: then it is looked at again, and what went out
   * goes out no second time.
   */
  async #publishReady(call: CallDocument): Promise<boolean> {
    const { calls, publications, events, clock } = this.#options;
    const now = clock.now();
    const ready: TenantEvent[] = [];
    const published = [...(call.published ?? [])];
    const before = published.length;
    let at = call.published_at?.getTime() ?? 0;
    let isWaiting = false;
    for (const publication of isTestSession(call) ? [] : publications) {
      if (published.includes(publication.name)) continue;
      if (!publication.isReady(call, now)) {
        isWaiting = true;
        break;
      }
      at = await publication.publish(call, at, { add: (event) => void ready.push(event) });
      published.push(publication.name);
    }
    await events.emitAll(ready);
    const dueAt = call.publish_due_at?.getTime() ?? 0;
    if (isWaiting && dueAt > now && published.length === before) return true;
    const heldUntil = call.end_held_until?.getTime() ?? 0;
    const next = heldUntil > now ? heldUntil : now + LOOK_AGAIN_MS;
    const { _id, tenant_id } = call;
    const noted = {
      published,
      published_at: new Date(at),
      publish_due_at: isWaiting ? new Date(next) : null,
    };
    return gatheredCalls(calls).steps.make({
      filter: { _id, tenant_id, publish_due_at: call.publish_due_at },
      update: { $set: noted },
      // One that published the same has noted the same.
      applied: { _id, tenant_id, ...noted },
    });
  }
}
