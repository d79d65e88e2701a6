import { createHash } from 'node:crypto';
import { PROVIDER_CATALOGUE, providerNames, VENDORS, type Vendor } from '@voice/shared/catalogue/providers';
import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import type { VendorAccess } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import { VendorFailure } from '../../platform/vendor-http.js';
import type { VendorKeys } from '../keys/service.js';
import { vendorBase, vendorHeaders, withoutKey } from '../vendor-api.js';
import { fetchPreview, type Preview } from './preview.js';
import { unknownForm } from './sdk/run-sdk.js';
import { StaleCache } from './stale-cache.js';
import type { Voice } from './voice.js';
import { VOICE_LISTS, type VoiceListOptions, type VoiceProvider } from './voice-lists.js';

/** Accounts whose voices are kept. */
const MAX_LISTS = 200;
const MAX_PREVIEWS = 40;
const FRESH_MS = 10 * 60_000;
const STALE_MS = 24 * 3_600_000;

export const VOICE_PROVIDERS = providerNames('tts') as [VoiceProvider, ...VoiceProvider[]];

/** What one provider answered. */
export interface VoiceSource {
  readonly provider: string;
  readonly voices: readonly Voice[];
  /** `stale`: kept from before, because the vendor is away. */
  readonly state: 'fresh' | 'stale' | 'unavailable';
  /** Epoch ms; null where nothing is fetched, or nothing could be. */
  readonly fetchedAt: number | null;
  /** Why it is not fresh; null where it is. */
  readonly detail: string | null;
}

export interface VoicesOptions extends VoiceListOptions {
  readonly keys: Pick<VendorKeys, 'account'>;
  /** Where vendors' recordings may be. */
  readonly guard: AddressPolicy;
  readonly clock: Pick<Clock, 'now'>;
}

/** The voices that a tenant's agents can have, by the catalogues of their vendors. */
export class Voices {
  readonly #options: VoicesOptions;
  readonly #lists: StaleCache<readonly Voice[]>;
  readonly #previews: StaleCache<Preview>;

  constructor(options: VoicesOptions) {
    this.#options = options;
    const { clock } = options;
    this.#lists = new StaleCache({ clock, size: MAX_LISTS, freshMs: FRESH_MS, staleMs: STALE_MS });
    this.#previews = new StaleCache({ clock, size: MAX_PREVIEWS, freshMs: STALE_MS, staleMs: STALE_MS });
  }

  /** Returns those of every provider that the tenant can use; who cannot answer now is said, and left out. */
  async all(tenant: TenantId): Promise<VoiceSource[]> {
    const sources = await Promise.all(
      VOICE_PROVIDERS.map(async (provider) => {
        const account = await this.#account(tenant, provider);
        if (account === 'no key') return [];
        return [
          await this.#source(provider, account).catch((error: unknown) => unavailable(provider, error)),
        ];
      }),
    );
    return sources.flat();
  }

  /** Returns those of one provider. Throws `provider_unavailable` without a key, and `vendor_unavailable`. */
  async of(tenant: TenantId, provider: VoiceProvider): Promise<VoiceSource> {
    const account = await this.#account(tenant, provider);
    if (account === 'no key') throw noKey(provider);
    try {
      return await this.#source(provider, account);
    } catch (error) {
      throw asApiError(provider, error);
    }
  }

  /** Returns the vendor's recording of a voice. Throws `voice_not_found`, and what `of` throws. */
  async preview(tenant: TenantId, provider: VoiceProvider, id: string): Promise<Preview> {
    const { voices } = await this.of(tenant, provider);
    const sample = voices.find((voice) => voice.id === id)?.sample;
    if (sample == null) throw apiError('voice_not_found');
    const account = await this.#account(tenant, provider);
    if (account === 'no key' || account === null) throw apiError('voice_not_found');
    const vendor = provider as Vendor;
    const at = { base: vendorBase(vendor, account), headers: vendorHeaders(vendor, account) };
    try {
      const kept = await this.#previews.get(`${accountKey(provider, account)} ${id}`, () =>
        fetchPreview(sample, at, this.#options.guard),
      );
      return kept.value;
    } catch (error) {
      throw asApiError(provider, error);
    }
  }

  /** Null where none is needed. */
  async #account(tenant: TenantId, provider: string): Promise<VendorAccess | null | 'no key'> {
    const entry = PROVIDER_CATALOGUE.find(({ kind, name }) => kind === 'tts' && name === provider);
    if (!entry?.vendor) return null;
    const account = await this.#options.keys.account(tenant, entry.vendor);
    const access = { hasKey: account.apiKey !== undefined, url: account.url, isAgentsOwn: false };
    return entry.isReachable(access) ? account : 'no key';
  }

  async #source(provider: VoiceProvider, account: VendorAccess | null): Promise<VoiceSource> {
    const list = VOICE_LISTS[provider];
    if ('known' in list) return built(provider, list.known(this.#options));
    const access = account ?? {};
    const { value, fetchedAt, failure } = await this.#lists.get(accountKey(provider, access), () =>
      this.#read(list.read, access),
    );
    return {
      provider,
      voices: value,
      state: failure === null ? 'fresh' : 'stale',
      fetchedAt,
      detail: failure === null ? null : detailOf(failure),
    };
  }

  async #read(
    read: (options: VoiceListOptions, account: VendorAccess) => Promise<Voice[]>,
    account: VendorAccess,
  ): Promise<Voice[]> {
    try {
      return await read(this.#options, account);
    } catch (error) {
      if (error instanceof VendorFailure) {
        throw new VendorFailure(error.kind, withoutKey(error.message, account), error, error.status);
      }
      if (error instanceof z.ZodError) throw unknownForm(error);
      throw error;
    }
  }
}

function built(provider: string, voices: readonly Voice[]): VoiceSource {
  return { provider, voices, state: 'fresh', fetchedAt: null, detail: null };
}

function unavailable(provider: string, error: unknown): VoiceSource {
  return { provider, voices: [], state: 'unavailable', fetchedAt: null, detail: detailOf(error) };
}

function detailOf(error: unknown): string {
  if (error instanceof VendorFailure) return error.message;
  throw error;
}

/** Names the account without its key: what one account may see is for its tenants alone. */
function accountKey(provider: string, { apiKey = '', url = '' }: VendorAccess): string {
  return `${provider} ${createHash('sha256')
    .update(JSON.stringify([apiKey, url]))
    .digest('base64')}`;
}

function noKey(provider: string) {
  const { apiKey } = VENDORS[provider as Vendor];
  const reason = 'neither you nor this installation has a key for it';
  const remedy = `save your key by PUT /api/v1/vendor-keys/${provider}, or set ${apiKey}`;
  return apiError(
    'provider_unavailable',
    `The voices of '${provider}' cannot be listed: ${reason}; ${remedy}.`,
    {
      fields: { kind: 'tts', provider, reason, remedy },
    },
  );
}

function asApiError(provider: string, error: unknown) {
  if (!(error instanceof VendorFailure)) return error;
  const fields = { provider };
  if (error.kind === 'unauthorized') {
    return apiError('vendor_key_refused', `${provider} does not take the key: ${error.message}`, { fields });
  }
  return apiError('vendor_unavailable', `${provider} cannot say now: ${error.message}`, {
    fields,
    retryable: true,
    cause: error,
  });
}
