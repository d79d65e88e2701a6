import type { TenantId } from '@voice/shared/ids/ids';
import type { EventData, EventType } from './event-types.js';

/** Something that happened to a tenant and that its subscriptions may hear of. */
export interface TenantEvent<T extends EventType = EventType> {
  /**
   * Deterministic: derived from what happened (`derivedId` of the resource and the transition), so that
   * telling it twice, also after a crash, is telling it once.
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
 * Where the parts of the control plane tell what happened. Resolves when the event is stored and will be
 * delivered; an id that is known already changes nothing. Tell after the state is written, and again by a
 * job when that may have been cut short.
 */
export interface TenantEvents {
  emit<T extends EventType>(event: TenantEvent<T>): Promise<void>;
}
