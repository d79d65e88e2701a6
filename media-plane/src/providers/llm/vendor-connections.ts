import { type Clock, systemClock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import { ProviderError } from '../provider-error.js';
import { missingKey } from '../provider-socket.js';
import { WarmConnections, type WarmConnectionsOptions } from '../warm-connections.js';
import type { LlmTarget } from './port.js';

export interface VendorConnectionsOptions extends Pick<WarmConnectionsOptions, 'ca' | 'connect'> {
  readonly egress: AddressPolicy;
  readonly clock?: Clock;
}

/** What an agent may name of a vendor. */
interface OwnServer {
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
}

/** Where a request goes, and with which key. */
interface Destination {
  /** Undefined: the vendor's own address. */
  readonly baseUrl: string | undefined;
  /** Undefined: the server wants none. */
  readonly apiKey: string | undefined;
  /** Whether an agent names the address. */
  readonly isTenants: boolean;
  readonly connections: WarmConnections;
}

/** Keeps warm connections to a vendor: to the platform's own address, and to those that tenants name. */
export class VendorConnections {
  readonly #provider: string;
  readonly #egress: AddressPolicy;
  readonly #platform: WarmConnections;
  readonly #tenants: WarmConnections;

  constructor(provider: string, options: VendorConnectionsOptions) {
    const { egress, clock = systemClock, ...transport } = options;
    this.#provider = provider;
    this.#egress = egress;
    this.#platform = new WarmConnections({ clock, ...transport });
    this.#tenants = new WarmConnections({ clock, lookup: guardedLookup(egress), ...transport });
  }

  /**
   * Decides where a request goes. The platform's key goes to no address that an agent names, and such an address is
   * reached only where the egress policy lets it. Throws without a key, unless `isKeyless` says that the address needs
   * none.
   */
  destinationOf(target: LlmTarget, own: OwnServer): Destination & { readonly apiKey: string };
  destinationOf(
    target: LlmTarget,
    own: OwnServer,
    isKeyless: (baseUrl: string | undefined) => boolean,
  ): Destination;
  destinationOf(
    { credentials }: LlmTarget,
    own: OwnServer,
    isKeyless: (baseUrl: string | undefined) => boolean = () => false,
  ): Destination {
    const { api_key: platformKey, base_url: platformUrl } = credentials;
    const isTenants = own.base_url !== undefined && own.base_url !== platformUrl;
    const apiKey = own.api_key ?? (isTenants ? undefined : platformKey);
    const baseUrl = own.base_url ?? platformUrl;
    if (apiKey === undefined && !isKeyless(baseUrl)) throw missingKey('llm', this.#provider);
    if (isTenants) this.#checkAddress(baseUrl ?? '');
    return { baseUrl, apiKey, isTenants, connections: isTenants ? this.#tenants : this.#platform };
  }

  /** Closes idle connections. */
  async close(): Promise<void> {
    await Promise.all([this.#platform.close(), this.#tenants.close()]);
  }

  /** Names are checked when they are connected; an address written out must be checked here. */
  #checkAddress(url: string): void {
    try {
      parseUrl(url, this.#egress);
    } catch (cause) {
      throw new ProviderError({
        provider: this.#provider,
        kind: 'llm',
        code: 'bad_request',
        message: 'voice_config.llm.params.base_url leads to an address that is not allowed',
        retryable: false,
        cause,
      });
    }
  }
}
