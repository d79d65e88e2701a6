import type { LookupFunction } from 'node:net';
import {
  type OpenAiRealtimeParams,
  openAiRealtimeParams,
} from '@voice/shared/catalogue/params/openai-realtime';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import { invalidParams } from '../../invalid-params.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import type { RealtimeOptions } from '../port.js';
import { PROVIDER, realtimeError } from './errors.js';

export const DEFAULT_MODEL = 'gpt-realtime';
const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** Where a session connects to, and with what. */
export interface RealtimeTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Resolves names only to addresses that a tenant may reach; undefined for the platform's own address. */
  readonly lookup: LookupFunction | undefined;
  readonly params: OpenAiRealtimeParams;
}

/**
 * Reads the agent's choice. An address that the agent names is reached only where the egress policy lets it, and
 * never with the platform's key. Throws `ProviderError` `realtime_bad_request` or `realtime_unauthorized`.
 */
export function resolveTarget(
  { choice, credentials }: Pick<RealtimeOptions, 'choice' | 'credentials'>,
  egress: AddressPolicy,
): RealtimeTarget {
  const parsed = openAiRealtimeParams.safeParse(choice.params);
  if (!parsed.success) throw invalidParams('realtime', PROVIDER, parsed.error);
  const params = parsed.data;
  const own = params.base_url !== undefined && params.base_url !== credentials.base_url;
  const apiKey = params.api_key ?? (own ? undefined : credentials.api_key);
  const base = params.base_url ?? credentials.base_url;
  if (apiKey === undefined && base === undefined) throw missingKey('realtime', PROVIDER);
  if (own) checkAddress(params.base_url ?? '', egress);
  const url = webSocketUrl(base ?? DEFAULT_BASE_URL, '/realtime');
  url.searchParams.set('model', choice.model === '' ? DEFAULT_MODEL : choice.model);
  return {
    url,
    headers: apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` },
    lookup: own ? guardedLookup(egress) : undefined,
    params,
  };
}

/** Names are checked when they are connected; an address written out must be checked here. */
function checkAddress(baseUrl: string, egress: AddressPolicy): void {
  try {
    parseUrl(baseUrl, egress);
  } catch (error) {
    const message = 'voice_config.realtime.params.base_url leads to an address that is not allowed';
    throw realtimeError('bad_request', message, false, error);
  }
}
