import type { Clock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { ScopedCollection } from '../../platform/store/tenant-collection.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import { newSigningSecret } from '../subscriptions/signature.js';
import type { SubscriptionModel, SubscriptionRow } from '../subscriptions/subscription-model.js';
import { sealSecret } from '../subscriptions/subscriptions.js';
import type { ListenerEventModel } from './listener-event-model.js';

/** For how long a listener is one that has not been heard of, in ms; it may come back until then. */
const LISTENER_LEASE_MS = 30_000;

export interface ListenerLeasesOptions {
  readonly subscriptions: SubscriptionModel;
  readonly waiting: ListenerEventModel;
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

/** Which connection has a listener, and until when. */
export interface ListenerLease {
  readonly listenerId: string;
  readonly connectionId: string;
}

/** Listeners in the store: subscriptions that are over soon after their connection. */
export class ListenerLeases {
  readonly #options: ListenerLeasesOptions;
  readonly #rows: ScopedCollection<SubscriptionRow>;

  constructor(options: ListenerLeasesOptions) {
    this.#options = options;
    this.#rows = new ScopedCollection(options.subscriptions);
  }

  count(scope: TenantScope): Promise<number> {
    return this.#rows.count(scope, this.#present());
  }

  /** Finds a listener that is not over. */
  find(scope: TenantScope, id: string): Promise<SubscriptionRow | null> {
    return this.#rows.findOne(scope, { _id: id, ...this.#present() });
  }

  /** Makes a listener for this connection. */
  async create(
    scope: TenantScope,
    connection: string,
    eventTypes: readonly string[],
  ): Promise<SubscriptionRow> {
    const id = newId();
    const row: SubscriptionRow = {
      _id: id,
      ...ownedBy(scope),
      kind: 'listener',
      url: 'listener:',
      // A replica of an older version knows no listeners: it skips a subscription that is switched off.
      is_active: false,
      description: '',
      secret: sealSecret(this.#options.secrets, id, newSigningSecret()),
      created_at: new Date(this.#options.clock.now()),
      ...this.#lease(connection, eventTypes),
    };
    await this.#rows.insert(scope, row);
    return row;
  }

  /** Gives a listener that comes back to this connection; null when it is over by now. */
  take(
    scope: TenantScope,
    id: string,
    connection: string,
    eventTypes: readonly string[],
  ): Promise<SubscriptionRow | null> {
    return this.#rows.set(scope, { _id: id, ...this.#present() }, this.#lease(connection, eventTypes));
  }

  /** Prolongs the lease; false when the listener is over or another connection's. */
  async renew(lease: ListenerLease): Promise<boolean> {
    const { matchedCount } = await this.#options.subscriptions.updateOne(filterOf(lease), {
      $set: { expires_at: this.#end() },
    });
    return matchedCount === 1;
  }

  /** Deletes the listener with all that waits for it, unless another connection has it. */
  async end(lease: ListenerLease): Promise<void> {
    const { subscriptions, waiting } = this.#options;
    const { deletedCount } = await subscriptions.deleteOne(filterOf(lease));
    if (deletedCount === 1) await waiting.deleteMany({ listener_id: lease.listenerId });
  }

  #present() {
    return { kind: 'listener' as const, expires_at: { $gt: new Date(this.#options.clock.now()) } };
  }

  #lease(connection: string, eventTypes: readonly string[]) {
    const updated_at = new Date(this.#options.clock.now());
    return { event_types: [...eventTypes], connection, updated_at, expires_at: this.#end() };
  }

  #end(): Date {
    return new Date(this.#options.clock.now() + LISTENER_LEASE_MS);
  }
}

function filterOf({ listenerId, connectionId }: ListenerLease) {
  return { _id: listenerId, kind: 'listener' as const, connection: connectionId };
}
