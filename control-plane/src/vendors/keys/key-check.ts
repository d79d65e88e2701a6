import type { Vendor } from '@voice/shared/catalogue/providers';
import type { VendorAccess } from '../../config.js';
import { VendorFailure, type VendorHttp } from '../../platform/vendor-http.js';

/** What a vendor says of a key. `unknown`: the address answers, and has no such question. */
export interface KeyVerdict {
  readonly health: 'healthy' | 'refused' | 'unreachable' | 'unknown';
  /** For people; never holds the key. */
  readonly detail: string;
}

interface Question {
  /** The vendor's own address. */
  readonly origin: string;
  readonly path: string;
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
}

/** What costs nothing and only the owner of a key is answered. */
const QUESTIONS: Readonly<Record<Vendor, Question>> = {
  // developers.deepgram.com/guides/fundamentals/make-your-first-api-request, "Testing API keys"
  deepgram: {
    origin: 'https://api.deepgram.com',
    path: '/v1/auth/token',
    headers: (key) => ({ authorization: `Token ${key}` }),
  },
  openai: {
    origin: 'https://api.openai.com/v1',
    path: '/models',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  // www.assemblyai.com/docs, "Generate a temporary streaming token": on the address of the sessions themselves
  assemblyai: {
    origin: 'https://streaming.assemblyai.com',
    path: '/v3/token?expires_in_seconds=60',
    headers: (key) => ({ authorization: key }),
  },
  anthropic: {
    origin: 'https://api.anthropic.com',
    path: '/v1/models?limit=1',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  cartesia: {
    origin: 'https://api.cartesia.ai',
    path: '/voices?limit=1',
    headers: (key) => ({ 'x-api-key': key, 'cartesia-version': '2025-04-16' }),
  },
  elevenlabs: {
    origin: 'https://api.elevenlabs.io',
    path: '/v2/voices?page_size=1',
    headers: (key) => ({ 'xi-api-key': key }),
  },
  gemini: {
    origin: 'https://generativelanguage.googleapis.com',
    path: '/v1beta/models?pageSize=1',
    headers: (key) => ({ 'x-goog-api-key': key }),
  },
};

/** A key that may speak and not list is genuine: ElevenLabs and OpenAI let their owners narrow keys down. */
const NARROWED = /missing (the )?(permission|scope)/i;

/** Asks the vendor whether it takes the key. */
export async function checkKey(
  http: Pick<VendorHttp, 'send'>,
  vendor: Vendor,
  { apiKey = '', url }: VendorAccess,
): Promise<KeyVerdict> {
  const { origin, path, headers } = QUESTIONS[vendor];
  // Sockets' addresses are written ws: or wss:.
  const base = (url ?? origin).replace(/^ws/, 'http').replace(/\/+$/, '');
  const withoutSecret = (text: string) => text.replaceAll(apiKey, '…');
  try {
    // The address is the operator's or the vendor's own, never the tenant's.
    await http.send({ method: 'GET', url: base + path, headers: headers(apiKey) }, true);
    return { health: 'healthy', detail: 'The vendor takes the key.' };
  } catch (error) {
    if (!(error instanceof VendorFailure)) throw error;
    if (NARROWED.test(error.message)) return { health: 'healthy', detail: 'The vendor takes the key.' };
    if (error.status === 404 || error.status === 405) {
      return { health: 'unknown', detail: 'The vendor cannot say here whether it takes the key.' };
    }
    const health = error.kind === 'unavailable' ? 'unreachable' : 'refused';
    return { health, detail: withoutSecret(error.message) };
  }
}
