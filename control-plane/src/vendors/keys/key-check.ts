import type { Vendor } from '@voice/shared/catalogue/providers';
import type { VendorAccess } from '../../config.js';
import { VendorFailure, type VendorHttp } from '../../platform/vendor-http.js';
import { askOfKey, withoutKey } from '../vendor-api.js';

/** What a vendor says of a key. `unknown`: the address answers, and has no such question. */
export interface KeyVerdict {
  readonly health: 'healthy' | 'refused' | 'unreachable' | 'unknown';
  /** For people; never holds the key. */
  readonly detail: string;
}

/** A key that may speak and not list is genuine: ElevenLabs and OpenAI let their owners narrow keys down. */
const NARROWED = /missing (the )?(permission|scope)/i;
const HEALTHY: KeyVerdict = { health: 'healthy', detail: 'The vendor takes the key.' };

/** Asks the vendor whether it takes the key. */
export async function checkKey(
  http: Pick<VendorHttp, 'send'>,
  vendor: Vendor,
  account: VendorAccess,
): Promise<KeyVerdict> {
  try {
    await askOfKey(http, vendor, account);
    return HEALTHY;
  } catch (error) {
    if (!(error instanceof VendorFailure)) throw error;
    if (NARROWED.test(error.message)) return HEALTHY;
    if (error.status === 404 || error.status === 405) {
      return { health: 'unknown', detail: 'The vendor cannot say here whether it takes the key.' };
    }
    const health = error.kind === 'unavailable' ? 'unreachable' : 'refused';
    return { health, detail: withoutKey(error.message, account) };
  }
}
