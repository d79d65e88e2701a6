import { type AddressPolicy, createAddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedRequest } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import { VendorFailure } from '../../platform/vendor-http.js';

const TIMEOUT_MS = 10_000;
/** Of a few seconds of speech, compressed. */
const MAX_BYTES = 2 * 1024 * 1024;
/** The operator says where a vendor is, so its address needs no guard. */
const ANYWHERE = createAddressPolicy(['0.0.0.0/0', '::/0']);

export interface Preview {
  readonly audio: Buffer;
  /** `audio/mpeg` and the like. */
  readonly type: string;
}

/** Where a vendor is, and what shows it the account. */
interface Vendor {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Fetches a vendor's recording of a voice. The address is the vendor's word, so it passes the egress guard; the key
 * goes to the vendor's own address alone. Throws `VendorFailure`.
 */
export async function fetchPreview(url: string, vendor: Vendor, guard: AddressPolicy): Promise<Preview> {
  const isVendors = URL.canParse(url) && new URL(url).origin === new URL(vendor.base).origin;
  try {
    const { status, headers, body } = await guardedRequest({
      url,
      method: 'GET',
      headers: { accept: 'audio/*', ...(isVendors ? vendor.headers : {}) },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      policy: isVendors ? ANYWHERE : guard,
    });
    if (status !== 200) throw new VendorFailure('refused', `The recording answered with status ${status}.`);
    return { audio: body, type: audioType(headers['content-type'], url) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new VendorFailure('unavailable', error.message, error);
  }
}

/** Some stores of files serve audio as bytes; anything else is none, and is not passed on to a browser. */
function audioType(given: string | string[] | undefined, url: string): string {
  const type = String(given ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  if (/^audio\/[a-z0-9.+-]+$/.test(type)) return type;
  const unnamed = ['', 'application/octet-stream', 'binary/octet-stream'].includes(type);
  if (unnamed) return new URL(url).pathname.endsWith('.wav') ? 'audio/wav' : 'audio/mpeg';
  throw new VendorFailure('refused', `The recording is no audio but ${type}.`);
}
