import type { TenantEvent, TenantEvents } from '../../webhooks/events/tenant-events.js';

/** Keeps what is published, each event once by its id. */
export class RecordedEvents implements TenantEvents {
  readonly #events = new Map<string, TenantEvent>();

  async emit(event: TenantEvent): Promise<void> {
    if (!this.#events.has(event.id)) this.#events.set(event.id, event);
  }

  /** In the order in which they came. */
  get all(): readonly TenantEvent[] {
    return [...this.#events.values()];
  }
}
