import type { Clock } from '@voice/shared/clock/clock';
import { apiError } from '../platform/http/error-codes.js';
import type { IntegrationSettings } from '../platform/settings/integrations.js';
import type { VendorHttp } from '../platform/vendor-http.js';
import type { Adapter, Credentials, OAuthAdapter, VendorCall } from './adapter.js';
import type { OpenConnection } from './connections.js';
import type { OAuthSite } from './oauth-flow.js';

export interface VendorCallsOptions {
  readonly settings: IntegrationSettings;
  readonly http: VendorHttp;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

/** Gives adapters their way to the vendor: its hosts, or what stands in their place, and the credentials. */
export class VendorCalls {
  readonly #options: VendorCallsOptions;

  constructor(options: VendorCallsOptions) {
    this.#options = options;
  }

  /** Returns what an adapter asks its vendor by, with these credentials. */
  call(adapter: Adapter, { credentials, config }: OpenConnection, runId: string): VendorCall {
    const { http, clock } = this.#options;
    const at = this.#at(adapter);
    const known = Object.keys(adapter.hosts).map((host) => at(host, '/'));
    return {
      credentials,
      config,
      runId,
      now: clock.now(),
      at,
      send: (request) =>
        http.send(
          {
            ...request,
            headers: {
              ...(request.anonymous ? {} : authorization(adapter, credentials)),
              ...request.headers,
            },
          },
          known.some((origin) => request.url.startsWith(origin)),
        ),
    };
  }

  #at(adapter: Adapter): (host: string, path: string) => string {
    const url = this.#options.settings[adapter.vendor].url;
    return (host, path) => {
      const home = adapter.hosts[host];
      if (home === undefined) throw new Error(`${adapter.slug} has no host ${host}`);
      return (url ?? home) + path;
    };
  }

  /** Returns where OAuth with the vendor takes place. Throws `integration_not_configured` where there is no app. */
  site(adapter: OAuthAdapter): OAuthSite {
    const { settings, publicUrl, http, clock } = this.#options;
    const { client } = settings[adapter.vendor];
    if (!client) throw apiError('integration_not_configured');
    return {
      adapter,
      client,
      redirectUri: `${publicUrl()}/api/v1/integrations/${adapter.slug}/callback`,
      at: this.#at(adapter),
      http,
      now: () => clock.now(),
    };
  }
}

function authorization(adapter: Adapter, credentials: Credentials): Readonly<Record<string, string>> {
  if (credentials.kind === 'oauth') return { authorization: `Bearer ${credentials.access_token}` };
  return adapter.kind === 'api_key' ? adapter.headers(credentials.fields) : {};
}
