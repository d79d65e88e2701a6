import type { OpenAiSpeechParams } from '@voice/shared/catalogue/params/openai-speech';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import OpenAI from 'openai';
import { fetch as undiciFetch } from 'undici';
import type { Preparation } from '../../preparation.js';
import { missingKey } from '../../provider-socket.js';
import { WarmConnections } from '../../warm-connections.js';
import { PROVIDER, ttsError } from './errors.js';

/** Longest wait for the head of a response, in ms; tighter limits are the pipeline's. */
const HEAD_TIMEOUT_MS = 30_000;
const BASE_URL = 'https://api.openai.com/v1';

/** A call's client, and the connections that are held open for it. */
export interface SpeechClient {
  readonly client: OpenAI;
  readonly held: Preparation;
}

/** Warm connections: to the platform's own address, and to those that tenants name. */
export class SpeechConnections {
  readonly #policy: AddressPolicy;
  readonly #platform: WarmConnections;
  readonly #tenants: WarmConnections;

  constructor(policy: AddressPolicy, clock: Clock) {
    this.#policy = policy;
    this.#platform = new WarmConnections({ clock });
    this.#tenants = new WarmConnections({ clock, lookup: guardedLookup(policy) });
  }

  /**
   * Creates a call's client. An address that the agent names is reached only where the egress policy lets it, and never
   * with the platform's key. Throws `ProviderError` `tts_bad_request` or `tts_unauthorized`.
   */
  client(
    params: OpenAiSpeechParams,
    { api_key: platformKey, base_url: platformUrl }: ProviderCredentials,
  ): SpeechClient {
    const isOwn = params.base_url !== undefined && params.base_url !== platformUrl;
    const apiKey = params.api_key ?? (isOwn ? undefined : platformKey);
    const baseURL = params.base_url ?? platformUrl;
    if (apiKey === undefined) throw missingKey('tts', PROVIDER);
    if (isOwn) this.#check(params.base_url ?? '');
    const connections = isOwn ? this.#tenants : this.#platform;
    const { dispatcher } = connections;
    const redirect = isOwn ? 'error' : 'follow';
    const client = new OpenAI({
      apiKey,
      ...(baseURL === undefined ? {} : { baseURL }),
      organization: null,
      project: null,
      maxRetries: 0,
      timeout: HEAD_TIMEOUT_MS,
      logLevel: 'off',
      fetch: (url, init) =>
        undiciFetch(url as string, {
          ...(init as object),
          dispatcher,
          redirect,
        }) as unknown as Promise<Response>,
    });
    return { client, held: connections.hold(new URL(baseURL ?? BASE_URL)) };
  }

  async close(): Promise<void> {
    await Promise.all([this.#platform.close(), this.#tenants.close()]);
  }

  /** Names are checked when they are connected; an address written out must be checked here. */
  #check(url: string): void {
    try {
      parseUrl(url, this.#policy);
    } catch (error) {
      const message = 'voice_config.tts.params.base_url leads to an address that is not allowed';
      throw ttsError('bad_request', message, false, error);
    }
  }
}
