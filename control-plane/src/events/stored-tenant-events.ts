import type { Clock } from '@voice/shared/clock/clock';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../http/errors.js';
import { envelopeText } from './envelope.js';
import type { EventType } from './event-types.js';
import { EVENT_LIFE_MS, type EventModel, type EventRow, eventModel } from './model.js';
import type { TenantEvent, TenantEvents } from './tenant-events.js';

/** Makes sure that every subscription that is to hear of the event has its delivery; may run again. */
export type FanOut = (event: EventRow) => Promise<void>;

/** How old an event may be before somebody other than its emitter completes it, in ms. */
export const CUT_SHORT_AFTER_MS = 5000;
const BATCH = 200;

/** Tenant events kept in the store before anything is made of them. */
export class StoredTenantEvents implements TenantEvents {
  readonly #events: EventModel;
  readonly #clock: Clock;
  readonly #fanOut: FanOut;

  constructor(options: { readonly store: Connection; readonly clock: Clock; readonly fanOut: FanOut }) {
    this.#events = eventModel(options.store);
    this.#clock = options.clock;
    this.#fanOut = options.fanOut;
  }

  async emit<T extends EventType>(event: TenantEvent<T>): Promise<void> {
    const now = this.#clock.now();
    const row: EventRow = {
      _id: event.id,
      tenant_id: event.tenant,
      type: event.type,
      sandbox: event.sandbox,
      body: envelopeText(event),
      fanned_out: false,
      created_at: new Date(now),
      expires_at: new Date(now + EVENT_LIFE_MS),
    };
    try {
      await this.#events.insertOne(row);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const known = await this.#events.findOne({ _id: event.id, fanned_out: false }).lean<EventRow>();
      if (known) await this.#complete(known);
      return;
    }
    await this.#complete(row);
  }

  /** Completes events whose emitter died between storing and fanning out. */
  async resume(): Promise<void> {
    const before = new Date(this.#clock.now() - CUT_SHORT_AFTER_MS);
    const cutShort = await this.#events
      .find({ fanned_out: false, created_at: { $lte: before } })
      .sort({ created_at: 1 })
      .limit(BATCH)
      .lean<EventRow[]>();
    for (const event of cutShort) await this.#complete(event);
  }

  async #complete(event: EventRow): Promise<void> {
    await this.#fanOut(event);
    await this.#events.updateOne({ _id: event._id }, { $set: { fanned_out: true } });
  }
}
