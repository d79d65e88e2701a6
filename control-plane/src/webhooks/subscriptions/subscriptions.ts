import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { parseUrl } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import { derivedId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { NEWEST_FIRST } from '../../platform/http/pagination.js';
import { ValidationError } from '../../platform/http/validation.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { ScopedCollection } from '../../platform/store/tenant-collection.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import type {
  WebhookConfigResponse,
  WebhookCreate,
  WebhookCreateResponse,
  WebhookResponse,
  WebhookUpdate,
} from '../schemas.js';
import { newSigningSecret } from './signature.js';
import type { SubscriptionModel, SubscriptionRow } from './subscription-model.js';
import { SWITCHED_OFF } from './subscription-model.js';

/** Subscriptions that a tenant may have. */
const MAX_SUBSCRIPTIONS = 1000;

/** Returns what a subscription's secret is sealed for. */
export function sealedFor(subscriptionId: string): string {
  return `webhooks/${subscriptionId}`;
}

/** Seals a subscription's secret as its row has it. */
export function sealSecret(secrets: SecretBox, subscriptionId: string, secret: string): string {
  return secrets.seal(sealedFor(subscriptionId), secret);
}

interface SubscriptionsOptions {
  readonly subscriptions: SubscriptionModel;
  readonly secrets: SecretBox;
  readonly policy: AddressPolicy;
  readonly clock: Clock;
  /** Skips what waits for a subscription that is gone or switched off. */
  readonly skipPending: (scope: TenantScope, subscriptionId: string, reason: string) => Promise<void>;
}

/** Webhook subscriptions, and the tenant-level single webhook, which is one of them under a derived id. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #rows: ScopedCollection<SubscriptionRow>;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#rows = new ScopedCollection(options.subscriptions);
  }

  /** `id` is the same for a request that is retried, which gets the same answer, secret included. */
  async create(
    scope: TenantScope,
    id: string,
    { url, event_types, description }: Required<Omit<WebhookCreate, 'sandbox'>>,
  ): Promise<WebhookCreateResponse> {
    this.#requireAllowed(url);
    if ((await this.#rows.count(scope, { kind: 'subscription' })) >= MAX_SUBSCRIPTIONS) {
      throw apiError('webhook_limit_reached');
    }
    const made = await this.#insert(scope, {
      id,
      kind: 'subscription',
      url,
      event_types,
      description,
    });
    return { ...present(made), secret: this.#secret(made) };
  }

  async list(scope: TenantScope): Promise<WebhookResponse[]> {
    const rows = await this.#rows.findPage(
      scope,
      { kind: 'subscription' },
      { sort: NEWEST_FIRST, limit: MAX_SUBSCRIPTIONS },
    );
    return rows.map(present);
  }

  async get(scope: TenantScope, id: string): Promise<WebhookResponse> {
    return present(await this.require(scope, id));
  }

  /** Changes only what is given. What waits for it goes to the new URL. */
  async update(scope: TenantScope, id: string, change: WebhookUpdate): Promise<WebhookResponse> {
    if (change.url !== undefined) this.#requireAllowed(change.url);
    const changed = await this.#rows.set(
      scope,
      { _id: id, kind: 'subscription' },
      { ...change, updated_at: new Date(this.#options.clock.now()) },
    );
    if (!changed) throw apiError('webhook_not_found');
    if (!changed.is_active) await this.#options.skipPending(scope, id, SWITCHED_OFF);
    return present(changed);
  }

  async delete(scope: TenantScope, id: string): Promise<void> {
    if (!(await this.#rows.delete(scope, { _id: id, kind: 'subscription' }))) {
      throw apiError('webhook_not_found');
    }
    await this.#options.skipPending(scope, id, 'The subscription is gone.');
  }

  /** Finds one that has a URL. Throws 404 `webhook_not_found`. */
  async require(scope: TenantScope, id: string): Promise<SubscriptionRow> {
    const row = await this.find(scope, id);
    if (!row) throw apiError('webhook_not_found');
    return row;
  }

  find(scope: TenantScope, id: string): Promise<SubscriptionRow | null> {
    return this.#rows.findOne(scope, { _id: id, kind: { $ne: 'listener' } });
  }

  async config(scope: TenantScope): Promise<WebhookConfigResponse> {
    return presentConfig(await this.find(scope, configId(scope)), scope);
  }

  /** Sets the URL; the secret is generated with the first one and kept after that. */
  async setConfig(scope: TenantScope, url: string): Promise<WebhookConfigResponse> {
    this.#requireAllowed(url);
    const id = configId(scope);
    const now = new Date(this.#options.clock.now());
    const changed = await this.#rows.set(scope, { _id: id }, { url, updated_at: now });
    if (changed) return presentConfig(changed, scope);
    const secret = newSigningSecret();
    const made = await this.#insert(scope, {
      id,
      kind: 'config',
      url,
      event_types: ['*'],
      description: '',
      secret,
    });
    // Another request may have been first: its secret is the one that counts, and was returned to it.
    const mine = this.#secret(made) === secret;
    return { ...presentConfig(made, scope), secret: mine ? secret : null };
  }

  /** Removes it with its secret; does nothing when there is none. */
  async deleteConfig(scope: TenantScope): Promise<void> {
    const id = configId(scope);
    await this.#rows.delete(scope, { _id: id });
    await this.#options.skipPending(scope, id, 'The subscription is gone.');
  }

  async #insert(
    scope: TenantScope,
    {
      id,
      secret = newSigningSecret(),
      ...rest
    }: Pick<SubscriptionRow, 'kind' | 'url' | 'event_types' | 'description'> & {
      id: string;
      secret?: string;
    },
  ): Promise<SubscriptionRow> {
    const now = new Date(this.#options.clock.now());
    const row: SubscriptionRow = {
      _id: id,
      ...ownedBy(scope),
      ...rest,
      is_active: true,
      secret: sealSecret(this.#options.secrets, id, secret),
      created_at: now,
      updated_at: now,
    };
    try {
      await this.#rows.insert(scope, row);
      return row;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.require(scope, id);
    }
  }

  #secret(row: SubscriptionRow): string {
    return this.#options.secrets.open(sealedFor(row._id), row.secret);
  }

  /** As far as it is known without resolving the name; that is done at every attempt. */
  #requireAllowed(url: string): void {
    try {
      parseUrl(url, this.#options.policy);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ValidationError([{ loc: ['body', 'url'], msg: error.message, type: error.code }]);
    }
  }
}

/** Returns the id of the configuration: one a tenant and mode. */
function configId({ tenant, sandbox }: TenantScope): string {
  return derivedId(tenant, `webhook config: ${sandbox ? 'sandbox' : 'production'}`);
}

function present(row: SubscriptionRow): WebhookResponse {
  return {
    id: row._id,
    url: row.url,
    event_types: row.event_types,
    sandbox: row.sandbox,
    is_active: row.is_active,
    description: row.description,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function presentConfig(row: SubscriptionRow | null, { sandbox }: TenantScope): WebhookConfigResponse {
  return {
    webhook_id: row?._id ?? null,
    url: row?.url ?? null,
    sandbox,
    has_secret: row !== null,
    secret: null,
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}
