import type { TenantId } from '@voice/shared/ids/ids';
import type { EventData, EventType } from './event-types.js';

/** A domain event of a tenant, for the subscriptions that match it. */
export interface TenantEvent<T extends EventType = EventType> {
  /**
   * Deterministic: derived from what happened (`derivedId` of the resource and the transition), so that
   * publishing it twice, also after a crash, is publishing it once.
   */
  readonly id: string;
  readonly type: T;
  readonly tenant: TenantId;
  readonly sandbox: boolean;
  /** Epoch ms. */
  readonly occurredAt: number;
  readonly data: EventData<T>;
}

/**
 * Publishes domain events of the control plane. Resolves when the event is stored and will be
 * delivered; an id that is known already changes nothing. Publish after the state is written, and again by a
 * job when that may have been cut short.
 */
export interface TenantEvents {
  emit<T extends EventType>(event: TenantEvent<T>): Promise<void>;
}

/** Publishes several events in their order, together. */
export interface TenantEventSeries {
  emitAll(events: readonly TenantEvent[]): Promise<void>;
}

/** Takes events that are published later. */
export interface EventCollector {
  add<T extends EventType>(event: TenantEvent<T>): void;
}
