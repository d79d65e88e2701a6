import type { Clock, Timer } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Counter } from 'prom-client';
import type { WebSocket } from 'ws';
import { apiError } from '../../platform/http/error-codes.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { insertMissing } from '../../platform/store/insert-missing.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { ListenerOutlet } from '../deliveries/fan-out.js';
import type { EventModel, EventRow } from '../events/model.js';
import type { SubscriptionModel, SubscriptionRow } from '../subscriptions/subscription-model.js';
import { sealedFor } from '../subscriptions/subscriptions.js';
import { ListenerConnection, type ListenerOutcome } from './listener-connection.js';
import { type ListenerEventModel, type ListenerEventRow, waitingEvent } from './listener-event-model.js';
import { type ListenerLease, ListenerLeases } from './listener-leases.js';
import { LISTENER_CLOSE } from './listener-messages.js';

/** Listeners that a tenant may have in one mode. */
export const MAX_LISTENERS = 10;
/** What may wait for a listener. */
export const MAX_WAITING = 1000;
/** How often connections are asked whether they are still there, in ms. */
const BEAT_MS = 10_000;
/** How often it is looked for what other replicas have published, all connections by one query, in ms. */
const LOOK_MS = 500;
const BATCH = 200;
/** When to try again where there are too many, in seconds. */
const RETRY_AFTER_SECONDS = 10;

export interface ListenersOptions {
  readonly subscriptions: SubscriptionModel;
  readonly waiting: ListenerEventModel;
  readonly events: EventModel;
  readonly secrets: SecretBox;
  readonly headerPrefix: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly outcomes: Pick<Counter<'outcome'>, 'inc'>;
}

/**
 * Listeners: connections that are sent events in place of a URL, for development. A listener is a subscription while
 * its connection lives and a little longer. Any replica may publish what it is sent: events wait in the store for the
 * replica that has the connection. Nothing is tried again, and nothing stays.
 */
export class Listeners implements ListenerOutlet {
  readonly #options: ListenersOptions;
  readonly #leases: ListenerLeases;
  /** By the listener's id. */
  readonly #connections = new Map<string, ListenerConnection>();
  /** Rows that were taken from the store, until they are deleted. */
  readonly #taken = new Set<string>();
  /** Listeners of which more waits than there was room for. */
  readonly #left = new Set<string>();
  readonly #background = new Set<Promise<unknown>>();
  #beat: Timer | undefined;
  #timer: Timer | undefined;
  #looking = false;
  #lookAgain = false;
  #closed = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#leases = new ListenerLeases(options);
  }

  /**
   * Returns the listener that comes back, null for a new one. Throws 404 `webhook_not_found` for one that is over, 429
   * `live_limit_reached` where no more are taken, 503 `draining` when the replica stops.
   */
  async admit(scope: TenantScope, listenerId: string | undefined): Promise<SubscriptionRow | null> {
    const retry = { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (this.#closed) throw apiError('draining', undefined, retry);
    if (listenerId !== undefined) {
      const known = await this.#leases.find(scope, listenerId);
      if (!known)
        throw apiError('webhook_not_found', 'This listener is over. Connect without `listener_id`.');
      return known;
    }
    if ((await this.#leases.count(scope)) >= MAX_LISTENERS) {
      const message = `${MAX_LISTENERS} webhook listeners of this tenant are open in this mode already. Close one of them.`;
      throw apiError('live_limit_reached', message, retry);
    }
    return null;
  }

  /** Sends events to the WebSocket until either side closes it. */
  accept(
    scope: TenantScope,
    known: SubscriptionRow | null,
    eventTypes: readonly string[],
    socket: WebSocket,
  ): void {
    socket.on('error', () => {});
    this.#run('a listener could not be set up', async () => {
      try {
        await this.#open(scope, known, eventTypes, socket);
      } catch (error) {
        socket.close(LISTENER_CLOSE.failed, 'the listener could not be set up; connect again');
        throw error;
      }
    });
  }

  async queue(
    listened: readonly { readonly event: EventRow; readonly listener: SubscriptionRow }[],
  ): Promise<void> {
    const now = this.#options.clock.now();
    await insertMissing(
      this.#options.waiting,
      listened.map(({ event, listener }) => waitingEvent(event, listener, now)),
    );
    if (listened.some(({ listener }) => this.#connections.has(listener._id))) this.#schedule(0);
  }

  /** The replica stops: its listeners come back to another. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#beat?.cancel();
    for (const connection of this.#connections.values()) {
      connection.close(LISTENER_CLOSE.goingAway, 'this replica is shutting down; connect again');
    }
  }

  /** Resolves when nothing more is written. */
  async settled(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  async #open(
    scope: TenantScope,
    known: SubscriptionRow | null,
    eventTypes: readonly string[],
    socket: WebSocket,
  ): Promise<void> {
    const { clock, secrets, headerPrefix } = this.#options;
    const connectionId = newId();
    const listener = known
      ? await this.#leases.take(scope, known._id, connectionId, eventTypes)
      : await this.#leases.create(scope, connectionId, eventTypes);
    if (!listener) return socket.close(LISTENER_CLOSE.refused, 'the listener is over');
    if (this.#closed) return socket.close(LISTENER_CLOSE.goingAway, 'this replica is shutting down');
    // It may have left meanwhile.
    if (socket.readyState !== socket.OPEN) return;
    this.#connections.get(listener._id)?.close(LISTENER_CLOSE.refused, 'another connection has its place');
    const connection = new ListenerConnection({
      listener,
      lease: { listenerId: listener._id, connectionId },
      secret: secrets.open(sealedFor(listener._id), listener.secret),
      socket,
      headerPrefix,
      clock,
      onOutcome: (rowId, outcome) => this.#note(listener._id, rowId, outcome),
      onClosed: (code, held) => this.#connectionClosed(connection, code, held),
    });
    this.#connections.set(listener._id, connection);
    connection.begin();
    this.#beat ??= clock.schedule(BEAT_MS, () => this.#beatAll());
    this.#schedule(0);
  }

  #note(listenerId: string, rowId: string, outcome: ListenerOutcome): void {
    const { waiting, outcomes } = this.#options;
    outcomes.inc({ outcome });
    this.#run('an event that was sent to a listener could not be deleted', async () => {
      try {
        await waiting.deleteOne({ _id: rowId });
      } finally {
        this.#taken.delete(rowId);
        if (this.#left.delete(listenerId)) this.#schedule(0);
      }
    });
  }

  /** A listener that has closed its connection is over; one that was cut off may come back. */
  #connectionClosed(connection: ListenerConnection, code: number, held: readonly string[]): void {
    for (const rowId of held) this.#taken.delete(rowId);
    if (this.#connections.get(connection.lease.listenerId) === connection) {
      this.#connections.delete(connection.lease.listenerId);
      this.#left.delete(connection.lease.listenerId);
    }
    if (code === LISTENER_CLOSE.normal || code === LISTENER_CLOSE.none) this.#end(connection.lease);
    if (this.#connections.size > 0) return;
    this.#timer?.cancel();
    this.#beat?.cancel();
    this.#beat = undefined;
  }

  #end(lease: ListenerLease): void {
    this.#run('a listener that is over could not be deleted', () => this.#leases.end(lease));
  }

  #beatAll(): void {
    this.#beat = this.#options.clock.schedule(BEAT_MS, () => this.#beatAll());
    for (const connection of this.#connections.values()) {
      connection.beat();
      this.#run('the lease of a listener could not be renewed', async () => {
        if (await this.#leases.renew(connection.lease)) return;
        connection.close(LISTENER_CLOSE.refused, 'another connection has its place');
      });
    }
  }

  #schedule(inMs: number): void {
    if (this.#closed) return;
    if (this.#looking) {
      this.#lookAgain ||= inMs === 0;
      return;
    }
    this.#timer?.cancel();
    this.#timer = this.#options.clock.schedule(inMs, () =>
      this.#run('the events of listeners could not be read', () => this.#look()),
    );
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#lookAgain = false;
    try {
      const present = [...this.#connections.values()];
      await this.#dropSlow(present.filter(({ room }) => room === 0));
      await this.#give(present.filter(({ room }) => room > 0));
    } finally {
      this.#looking = false;
      if (this.#connections.size > 0) this.#schedule(this.#lookAgain ? 0 : LOOK_MS);
    }
  }

  /** Takes what waits for these connections, as far as they have room. */
  async #give(open: readonly ListenerConnection[]): Promise<void> {
    if (open.length === 0) return;
    const { waiting, events } = this.#options;
    const rows = await waiting
      .find({
        listener_id: { $in: open.map(({ lease }) => lease.listenerId) },
        _id: { $nin: [...this.#taken] },
      })
      .sort({ created_at: 1, rank: 1 })
      .limit(BATCH)
      .lean<ListenerEventRow[]>();
    if (rows.length === 0) return;
    const bodies = await events
      .find(
        {
          tenant_id: { $in: [...new Set(rows.map(({ tenant_id }) => tenant_id))] },
          _id: { $in: rows.map(({ event_id }) => event_id) },
        },
        { body: 1 },
      )
      .lean<Pick<EventRow, '_id' | 'body'>[]>();
    const bodyOf = new Map(bodies.map(({ _id, body }) => [_id, body]));
    const erased = rows.filter(({ event_id }) => !bodyOf.has(event_id));
    if (erased.length > 0) await waiting.deleteMany({ _id: { $in: erased.map(({ _id }) => _id) } });
    for (const row of rows) {
      const [connection, body] = [this.#connections.get(row.listener_id), bodyOf.get(row.event_id)];
      if (connection === undefined || body === undefined) continue;
      if (connection.room > 0) {
        this.#taken.add(row._id);
        connection.take({ row, body });
      } else this.#left.add(row.listener_id);
    }
    // Others' may lie behind what one listener has waiting.
    if (rows.length === BATCH) this.#lookAgain = true;
  }

  /** Ends listeners for which too much waits, with what waits. */
  async #dropSlow(full: readonly ListenerConnection[]): Promise<void> {
    for (const connection of full) {
      const { listenerId } = connection.lease;
      this.#left.add(listenerId);
      const count = await this.#options.waiting.countDocuments(
        { listener_id: listenerId },
        { limit: MAX_WAITING + 1 },
      );
      if (count <= MAX_WAITING) continue;
      connection.close(LISTENER_CLOSE.tooSlow, `more than ${MAX_WAITING} events wait for this listener`);
      this.#end(connection.lease);
    }
  }

  #run(failure: string, task: () => Promise<void>): void {
    const running = task()
      .catch((err: unknown) => this.#options.log.warn({ err }, failure))
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }
}
