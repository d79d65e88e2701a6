import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { Gathered } from '../../platform/store/gathered.js';
import { insertMissing } from '../../platform/store/insert-missing.js';
import { UNHURRIED } from '../../platform/store/pacer.js';
import { keyOf, type TenantKey } from '../../platform/store/tenant-scope.js';
import { envelopeText } from '../events/envelope.js';
import { placeOf } from '../events/event-order.js';
import type { EventType } from '../events/event-types.js';
import { EVENT_LIFE_MS, type EventModel, type EventRow } from '../events/model.js';
import type { TenantEvent, TenantEventSeries, TenantEvents } from '../events/tenant-events.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';

/** An event and its subscribers. */
export interface AddressedEvent {
  readonly event: EventRow;
  readonly subscribers: readonly SubscriptionRow[];
}

/** From events to their deliveries. Both may run again for the same events. */
export interface FanOut {
  /** Finds the subscribers of each event, in their order. */
  subscribersOf(events: readonly EventRow[]): Promise<readonly (readonly SubscriptionRow[])[]>;
  /** Makes sure that each subscriber has its delivery. */
  deliver(addressed: readonly AddressedEvent[]): Promise<void>;
}

/** How old an event may be before somebody other than its emitter completes it, in ms. */
export const CUT_SHORT_AFTER_MS = 5000;
/** For how long notes that events are complete are gathered into one write, in ms. */
const NOTE_DELAY_MS = 50;
const BATCH = 200;
/** How many events that were published last are known by their ids. */
const KNOWN_EVENTS = 10_000;

interface StoredTenantEventsOptions {
  readonly events: EventModel;
  readonly clock: Clock;
  readonly log: Log;
  readonly fanOut: FanOut;
}

/** Tenant events kept in the store before anything is made of them. */
export class StoredTenantEvents implements TenantEvents, TenantEventSeries {
  readonly #options: StoredTenantEventsOptions;
  readonly #emitted = new Gathered((rows: readonly (readonly EventRow[])[]) => this.#write(rows), UNHURRIED);
  /** Events that are stored with their deliveries, or about to be: what is published again is not asked of the store. */
  readonly #known = new Map<string, Promise<unknown>>();
  #complete: TenantKey[] = [];
  #timer: Timer | undefined;

  constructor(options: StoredTenantEventsOptions) {
    this.#options = options;
  }

  emit<T extends EventType>(event: TenantEvent<T>): Promise<void> {
    return this.emitAll([event]);
  }

  async emitAll(events: readonly TenantEvent[]): Promise<void> {
    const unknown = events.filter(({ id }) => !this.#known.has(id));
    const before = events.flatMap(({ id }) => this.#known.get(id) ?? []);
    await Promise.all([...before, unknown.length > 0 ? this.#store(unknown) : undefined]);
  }

  /** Stores events by one command, and remembers those that are stored. */
  #store(events: readonly TenantEvent[]): Promise<unknown> {
    const now = this.#options.clock.now();
    const stored = this.#emitted.add(events.map((event) => rowOf(event, now))).catch((error: unknown) => {
      for (const { id } of events) this.#known.delete(id);
      throw error;
    });
    for (const { id } of events) {
      this.#known.set(id, stored);
      if (this.#known.size > KNOWN_EVENTS) this.#known.delete(this.#known.keys().next().value!);
    }
    return stored;
  }

  /** Completes events whose emitter died between storing and fanning out. */
  async resume(): Promise<void> {
    const before = new Date(this.#options.clock.now() - CUT_SHORT_AFTER_MS);
    const cutShort = await this.#options.events
      .find({ fanned_out: false, created_at: { $lte: before } })
      .sort({ created_at: 1 })
      .limit(BATCH)
      .lean<EventRow[]>();
    if (cutShort.length > 0) await this.#deliver(await this.#withSubscribers(cutShort));
  }

  /** Erases events with their bodies: what is pending of them is skipped, and none can be replayed. */
  async erase(tenant: TenantId, ids: readonly string[]): Promise<void> {
    await this.#options.events.deleteMany({ _id: { $in: [...ids] }, tenant_id: tenant });
  }

  /** Finishes what is being stored and fanned out, and writes what is left to be noted. */
  async settled(): Promise<void> {
    await this.#emitted.idle();
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#note();
  }

  /** Stores the events first, then their deliveries: a crash in between leaves what `resume` looks for. */
  async #write(emitted: readonly (readonly EventRow[])[]): Promise<readonly undefined[]> {
    const rows = emitted.flat();
    const addressed = await this.#withSubscribers(rows);
    const inserted = await insertMissing(
      this.#options.events,
      addressed.map(({ event, subscribers }) => ({ ...event, fanned_out: subscribers.length === 0 })),
    );
    const stored = new Set(inserted.map(({ _id }) => _id));
    await this.#deliver(
      addressed.filter(({ event, subscribers }) => subscribers.length > 0 && stored.has(event._id)),
    );
    await this.#completeKnown(rows.filter((row) => !stored.has(row._id)));
    return emitted.map(() => undefined);
  }

  /** Completes events that were published again: perhaps the first time was cut short. */
  async #completeKnown(known: readonly TenantKey[]): Promise<void> {
    if (known.length === 0) return;
    const cutShort = await this.#options.events
      .find({ ...namedBy(known), fanned_out: false })
      .lean<EventRow[]>();
    if (cutShort.length > 0) await this.#deliver(await this.#withSubscribers(cutShort));
  }

  async #withSubscribers(events: readonly EventRow[]): Promise<AddressedEvent[]> {
    const subscribers = await this.#options.fanOut.subscribersOf(events);
    return events.map((event, i) => ({ event, subscribers: subscribers[i] ?? [] }));
  }

  async #deliver(addressed: readonly AddressedEvent[]): Promise<void> {
    if (addressed.length === 0) return;
    await this.#options.fanOut.deliver(addressed);
    this.#complete.push(...addressed.map(({ event }) => keyOf(event)));
    this.#timer ??= this.#options.clock.schedule(NOTE_DELAY_MS, () => {
      this.#timer = undefined;
      void this.#note();
    });
  }

  /** A note that is lost costs only a fan-out that finds everything there. */
  async #note(): Promise<void> {
    const complete = this.#complete.splice(0);
    if (complete.length === 0) return;
    await this.#options.events
      .updateMany(namedBy(complete), { $set: { fanned_out: true } })
      .catch((err: unknown) => this.#options.log.warn({ err }, 'events were not noted as complete'));
  }
}

/** Returns the filter of events by tenant and id. */
function namedBy(events: readonly TenantKey[]) {
  return {
    tenant_id: { $in: [...new Set(events.map(({ tenant_id }) => tenant_id))] },
    _id: { $in: events.map(({ _id }) => _id) },
  };
}

function rowOf(event: TenantEvent, now: number): EventRow {
  return {
    _id: event.id,
    tenant_id: event.tenant,
    type: event.type,
    sandbox: event.sandbox,
    ...placeOf(event),
    body: envelopeText(event),
    fanned_out: false,
    created_at: new Date(now),
    expires_at: new Date(now + EVENT_LIFE_MS),
  };
}
