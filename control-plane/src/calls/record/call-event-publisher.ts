import type { BackgroundWork } from '../../platform/jobs/background.js';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import type { TenantEvents } from '../../webhooks/events/tenant-events.js';
import { PUBLISHED_STATUSES } from './call-changes.js';
import { progressEvents } from './call-webhook-events.js';
import { gatheredCalls } from './gathered-calls.js';
import type { CallDocument, CallModel } from './model.js';
import { PENDING_STATUS } from './pending-status.js';

const BATCH = 100;

interface CallEventPublisherOptions {
  readonly calls: CallModel;
  readonly events: TenantEvents;
  readonly background: BackgroundWork;
}

/**
 * Publishes what happens to a call on its way: answered, hung up. Every change of status that has such an event marks
 * its call in the same write; the mark goes when the events are stored. They have ids of their own, so publishing
 * again is safe. The end itself waits for its fields: `end-publisher.ts`.
 */
export class CallEventPublisher {
  readonly #options: CallEventPublisherOptions;

  constructor(options: CallEventPublisherOptions) {
    this.#options = options;
  }

  /** Publishes in the background; after a failure `publishPending` does. */
  soon(call: TenantKey): void {
    this.#options.background.run('publish the events of a call', () => this.publish(call));
  }

  /** Publishes the pending events of a call; resolves when they are stored for delivery. */
  async publish({ _id, tenant_id }: TenantKey): Promise<void> {
    const call = await gatheredCalls(this.#options.calls).reads.get(tenant_id, _id);
    if (call) await this.publishOf(call);
  }

  /** Publishes the events that were pending when the call was read; resolves when they are stored for delivery. */
  async publishOf(call: CallDocument): Promise<void> {
    if (call[PENDING_STATUS]) await this.#publish(call);
  }

  /** Publishes the events that a crash left pending. */
  async publishPending(): Promise<void> {
    const pending = await this.#options.calls
      .find({ [PENDING_STATUS]: { $in: [...PUBLISHED_STATUSES] } })
      .limit(BATCH)
      .lean<CallDocument[]>();
    for (const call of pending) await this.#publish(call);
  }

  async #publish(call: CallDocument): Promise<void> {
    for (const event of progressEvents(call)) await this.#options.events.emit(event);
    // A status that came meanwhile has marked it anew.
    await gatheredCalls(this.#options.calls).published.make(
      { _id: call._id, tenant_id: call.tenant_id, [PENDING_STATUS]: call[PENDING_STATUS] },
      { $set: { [PENDING_STATUS]: null } },
    );
  }
}
