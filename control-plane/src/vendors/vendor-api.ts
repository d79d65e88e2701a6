import type { Vendor } from '@voice/shared/catalogue/providers';
import type { VendorAccess } from '../config.js';
import type { VendorHttp } from '../platform/vendor-http.js';

interface VendorApi {
  /** The vendor's own address. */
  readonly origin: string;
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
  /** Path of a request that costs nothing and is answered to the owner of a key only. */
  readonly keyCheck: string;
}

/** How each vendor's REST API is asked; a new vendor is one entry here. */
const VENDOR_APIS: Readonly<Record<Vendor, VendorApi>> = {
  deepgram: {
    origin: 'https://api.deepgram.com',
    headers: (key) => ({ authorization: `Token ${key}` }),
    // developers.deepgram.com/guides/fundamentals/make-your-first-api-request, "Testing API keys"
    keyCheck: '/v1/auth/token',
  },
  openai: {
    origin: 'https://api.openai.com/v1',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    keyCheck: '/models',
  },
  // Of the sessions themselves.
  assemblyai: {
    origin: 'https://streaming.assemblyai.com',
    headers: (key) => ({ authorization: key }),
    // www.assemblyai.com/docs, "Generate a temporary streaming token"
    keyCheck: '/v3/token?expires_in_seconds=60',
  },
  anthropic: {
    origin: 'https://api.anthropic.com',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    keyCheck: '/v1/models?limit=1',
  },
  cartesia: {
    origin: 'https://api.cartesia.ai',
    headers: (key) => ({ 'x-api-key': key, 'cartesia-version': '2026-03-01' }),
    keyCheck: '/voices?limit=1',
  },
  elevenlabs: {
    origin: 'https://api.elevenlabs.io',
    headers: (key) => ({ 'xi-api-key': key }),
    keyCheck: '/v2/voices?page_size=1',
  },
  gemini: {
    origin: 'https://generativelanguage.googleapis.com',
    headers: (key) => ({ 'x-goog-api-key': key }),
    keyCheck: '/v1beta/models?pageSize=1',
  },
};

/** Returns where the vendor is: its own address, or the one that the operator has set, which sockets write as ws: or wss:. */
export function vendorBase(vendor: Vendor, { url }: VendorAccess): string {
  return (url ?? VENDOR_APIS[vendor].origin).replace(/^ws/, 'http').replace(/\/+$/, '');
}

/** Returns the headers that show the vendor the account. */
export function vendorHeaders(
  vendor: Vendor,
  { apiKey = '' }: VendorAccess,
): Readonly<Record<string, string>> {
  return VENDOR_APIS[vendor].headers(apiKey);
}

/** Asks the vendor for JSON. Throws `VendorFailure`. */
export async function askVendor(
  http: Pick<VendorHttp, 'send'>,
  vendor: Vendor,
  account: VendorAccess,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const url = vendorBase(vendor, account) + path;
  const headers = vendorHeaders(vendor, account);
  // The address is the operator's or the vendor's own, never the tenant's.
  return (await http.send({ method: 'GET', url, query, headers }, true)).json;
}

/** Asks the vendor what only the owner of a key is answered. Throws `VendorFailure`. */
export function askOfKey(
  http: Pick<VendorHttp, 'send'>,
  vendor: Vendor,
  account: VendorAccess,
): Promise<unknown> {
  return askVendor(http, vendor, account, VENDOR_APIS[vendor].keyCheck);
}

/** Returns what the vendor said without the key, which some of them repeat. */
export function withoutKey(message: string, { apiKey }: VendorAccess): string {
  return apiKey ? message.replaceAll(apiKey, '…') : message;
}
