import { newId, type TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../platform/http/error-codes.js';
import { parseOrRefuse } from '../platform/http/validation.js';
import { VendorFailure } from '../platform/vendor-http.js';
import type { Adapter, Credentials, KeyAdapter, VendorCall } from './adapter.js';
import { adapters, findAdapter } from './catalog.js';
import type { Connections, TokenOptions } from './connections.js';
import { integrationInfo } from './integration-info.js';
import { authorizationUrl, exchangeCode, refreshTokens } from './oauth-flow.js';
import type { OAuthBeginner, OAuthStates } from './oauth-states.js';
import type { Revocations } from './revocations.js';
import type { ConnectionHealth, DisconnectResponse, IntegrationInfo } from './schemas.js';
import { VendorCalls, type VendorCallsOptions } from './vendor-calls.js';

interface IntegrationsOptions extends VendorCallsOptions {
  readonly states: OAuthStates;
  readonly connections: (refresh: ConstructorParameters<typeof Connections>[0]['refresh']) => Connections;
  readonly revocations: (
    options: Pick<ConstructorParameters<typeof Revocations>[0], 'connections' | 'revoke'>,
  ) => Revocations;
}

/** Tokens that are renewed at the very moment are asked for again this often before the client gets an error. */
const DISCONNECT_ATTEMPTS = 3;

/** Connects tenants' accounts at other services, and lets them be used. */
export class Integrations {
  readonly #options: IntegrationsOptions;
  readonly #connections: Connections;
  readonly #vendors: VendorCalls;
  readonly revocations: Revocations;

  constructor(options: IntegrationsOptions) {
    this.#options = options;
    this.#vendors = new VendorCalls(options);
    this.#connections = options.connections((slug, old) => {
      const adapter = adapterOf(slug);
      if (adapter.kind !== 'oauth') throw new Error(`${slug} has no tokens to refresh`);
      return refreshTokens(this.#vendors.site(adapter), old);
    });
    this.revocations = options.revocations({
      connections: this.#connections,
      revoke: async (slug, credentials) => {
        const adapter = adapterOf(slug);
        if (adapter.kind !== 'oauth') throw new Error(`${slug} has no tokens to revoke`);
        const call = this.#vendors.call(adapter, { credentials, config: {} }, newId());
        try {
          await adapter.revoke({ ...call, credentials });
        } catch (error) {
          if (!(error instanceof VendorFailure && adapter.isUnknownToken(error))) throw error;
        }
      },
    });
  }

  async list(tenant: TenantId): Promise<IntegrationInfo[]> {
    const rows = new Map((await this.#connections.list(tenant)).map((row) => [row.slug, row]));
    return adapters.map((adapter) =>
      integrationInfo(this.#options.settings, adapter, rows.get(adapter.slug) ?? null),
    );
  }

  /** Begins OAuth: where the person must go, and what their browser must bring back, where it began in one. */
  async connect(
    tenant: TenantId,
    slug: string,
    by: OAuthBeginner,
  ): Promise<{ redirectUrl: string; browser: string | null; expiresAt: Date }> {
    const adapter = adapterOf(slug);
    if (adapter.kind !== 'oauth') {
      throw apiError('integration_connects_otherwise', `${adapter.name} is connected by api-key-connect.`);
    }
    const site = this.#vendors.site(adapter);
    const { state, challenge, browser, expiresAt } = await this.#options.states.begin(tenant, slug, by);
    return { redirectUrl: authorizationUrl(site, state, challenge), browser, expiresAt };
  }

  /**
   * Ends OAuth without a connection: the vendor has sent the person back with an error (RFC 6749, 4.1.2.1). Always
   * throws: 400 `oauth_denied` with the vendor's `reason`. The state, if it is one, is used up.
   */
  async callbackError(
    slug: string,
    reason: string,
    state: string | undefined,
    browser: string | undefined,
  ): Promise<never> {
    const { name } = adapterOf(slug);
    if (state !== undefined) await this.#options.states.redeem(slug, state, browser);
    // A made-up address must not put words of its author into our page.
    const known = /^[a-z_]{1,64}$/.test(reason) ? reason : 'unknown';
    throw apiError('oauth_denied', denialOf(name, known), { fields: { reason: known } });
  }

  /** Ends OAuth: the vendor has sent the person back. Resolves with the name of the integration. */
  async callback(slug: string, code: string, state: string, browser: string | undefined): Promise<string> {
    const adapter = adapterOf(slug);
    const begun = await this.#options.states.redeem(slug, state, browser);
    if (!begun || adapter.kind !== 'oauth') throw apiError('oauth_state_invalid');
    const credentials = await orApiError(
      exchangeCode(this.#vendors.site(adapter), code, begun.verifier),
      'oauth_code_invalid',
    );
    const account = await orApiError(this.#check(adapter, credentials), 'integration_vendor_error');
    await this.#connections.save(begun.tenant, slug, credentials, account);
    return adapter.name;
  }

  /** Connects by what the tenant has typed in, once the vendor has taken it. */
  async connectByKey(tenant: TenantId, slug: string, given: unknown): Promise<IntegrationInfo> {
    const adapter = adapterOf(slug);
    if (adapter.kind !== 'api_key') {
      throw apiError('integration_connects_otherwise', `${adapter.name} is connected by OAuth.`);
    }
    const fields = parseOrRefuse(adapter.fields.strict(), 'body', given);
    this.#checkWebhookUrl(adapter, fields.webhook_url);
    const credentials: Credentials = { kind: 'api_key', fields };
    const account = await orApiError(this.#check(adapter, credentials), 'integration_credentials_refused');
    return integrationInfo(
      this.#options.settings,
      adapter,
      await this.#connections.save(tenant, slug, credentials, account),
    );
  }

  /** Asks the vendor now. */
  async status(tenant: TenantId, slug: string): Promise<ConnectionHealth> {
    const adapter = adapterOf(slug);
    const row = await this.#connections.find(tenant, slug);
    const checked_at = new Date(this.#options.clock.now()).toISOString();
    const health = (health: ConnectionHealth['health'], detail: string): ConnectionHealth => ({
      slug,
      connected: row !== null,
      health,
      account: row?.account ?? null,
      checked_at,
      detail,
    });
    if (!row) return health('not_connected', 'The integration is not connected.');
    if (row.broken) return health('unhealthy', 'The vendor refuses the credentials; connect again.');
    if (!adapter.check) return health('unknown', 'It can only be tried out by starting it.');
    try {
      // Somebody who has just mended the app at the vendor sees it at once.
      await this.use(tenant, slug, newId(), (call) => check(adapter, call), { ignorePause: true });
      return health('healthy', 'The vendor takes the credentials.');
    } catch (error) {
      if (error instanceof VendorFailure) return health('unhealthy', error.message);
      const again = await this.#connections.find(tenant, slug);
      if (again?.broken) return health('unhealthy', 'The vendor refuses the credentials; connect again.');
      throw error;
    }
  }

  async mergeConfig(
    tenant: TenantId,
    slug: string,
    config: Readonly<Record<string, unknown>>,
  ): Promise<IntegrationInfo> {
    const adapter = adapterOf(slug);
    return integrationInfo(
      this.#options.settings,
      adapter,
      await this.#connections.mergeConfig(tenant, slug, config),
    );
  }

  /** Removes the connection, and makes its tokens useless at the vendor: now, or as soon as the vendor is back. */
  async disconnect(tenant: TenantId, slug: string): Promise<DisconnectResponse> {
    adapterOf(slug);
    for (let attempt = 0; attempt < DISCONNECT_ATTEMPTS; attempt++) {
      const row = await this.#connections.find(tenant, slug);
      if (!row) throw apiError('integration_not_connected');
      const { credentials } = this.#connections.open(tenant, row);
      const noted =
        credentials.kind === 'oauth'
          ? await this.revocations.note(tenant, slug, credentials, row.account)
          : null;
      if (await this.#connections.remove(tenant, slug, credentials)) {
        const revocation = noted ? await this.revocations.attempt(noted) : 'not_offered';
        return { slug, connected: false, revocation };
      }
      // Other tokens came in between: these are to be revoked.
      if (noted) await this.revocations.forget(noted);
    }
    throw apiError('conflict', undefined, { retryable: true, retryAfterSeconds: 1 });
  }

  /**
   * Uses a connected account. A token that the vendor refuses is renewed once. Throws `VendorFailure`,
   * `integration_not_connected` or `integration_reconnect_needed`.
   */
  async use<T>(
    tenant: TenantId,
    slug: string,
    runId: string,
    work: (call: VendorCall) => Promise<T>,
    options: Pick<TokenOptions, 'ignorePause'> = {},
  ): Promise<T> {
    const adapter = adapterOf(slug);
    const first = await this.#connections.usable(tenant, slug, options);
    try {
      return await work(this.#vendors.call(adapter, first, runId));
    } catch (error) {
      const { credentials } = first;
      if (!isUnauthorized(error) || credentials.kind !== 'oauth') throw error;
      if (credentials.refresh_token === null) {
        await this.#connections.markBroken(tenant, slug, credentials);
        throw error;
      }
      const second = await this.#connections.usable(tenant, slug, { ...options, refused: credentials });
      try {
        return await work(this.#vendors.call(adapter, second, runId));
      } catch (again) {
        if (isUnauthorized(again)) await this.#connections.markBroken(tenant, slug, second.credentials);
        throw again;
      }
    }
  }

  async #check(adapter: Adapter, credentials: Credentials): Promise<string | null> {
    return check(adapter, this.#vendors.call(adapter, { credentials, config: {} }, newId()));
  }

  #checkWebhookUrl(adapter: KeyAdapter, url: string | undefined): void {
    if (adapter.webhookUrl === undefined || url === undefined) return;
    const configured = this.#options.settings[adapter.vendor].url;
    const isVendors =
      configured === undefined ? adapter.webhookUrl.test(url) : url.startsWith(`${configured}/`);
    if (!isVendors) {
      throw apiError('integration_credentials_refused', `This is not a webhook URL of ${adapter.name}.`);
    }
  }
}

function denialOf(name: string, reason: string): string {
  switch (reason) {
    case 'access_denied':
      return `You did not allow the connection at ${name}. Nothing was connected; you can connect again at any time.`;
    case 'server_error':
    case 'temporarily_unavailable':
      return `${name} is not available at the moment (${reason}). Please connect again in a few minutes.`;
    default:
      return `${name} did not allow the connection and gave the reason ${reason}. Please connect again; if it stays so, ask the operator of this installation.`;
  }
}

function adapterOf(slug: string): Adapter {
  const adapter = findAdapter(slug);
  if (!adapter) throw apiError('integration_not_found');
  return adapter;
}

/** Whose account it is; null where the vendor cannot be asked. */
async function check(adapter: Adapter, call: VendorCall): Promise<string | null> {
  const { credentials } = call;
  if (adapter.kind === 'oauth') {
    if (credentials.kind !== 'oauth') throw new Error('credentials of another kind');
    return (await adapter.check({ ...call, credentials })).account;
  }
  if (credentials.kind !== 'api_key') throw new Error('credentials of another kind');
  return (await adapter.check?.({ ...call, credentials }))?.account ?? null;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof VendorFailure && error.kind === 'unauthorized';
}

/** What the vendor refused is the client's fault and has this code; that it cannot be reached is not. */
async function orApiError<T>(
  asked: Promise<T>,
  refusal: 'oauth_code_invalid' | 'integration_credentials_refused' | 'integration_vendor_error',
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof VendorFailure)) throw error;
    if (error.kind === 'unavailable') {
      throw apiError('integration_vendor_error', error.message, { cause: error, retryable: true });
    }
    throw apiError(refusal, error.message, { cause: error });
  }
}
