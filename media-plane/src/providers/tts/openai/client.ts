import type { OpenAiSpeechParams } from '@voice/shared/catalogue/params/openai-speech';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import OpenAI from 'openai';
import { Agent, fetch as undiciFetch } from 'undici';
import { missingKey } from '../../provider-socket.js';
import { PROVIDER, ttsError } from './errors.js';

/** Longest wait for the head of a response, in ms; tighter limits are the pipeline's. */
const HEAD_TIMEOUT_MS = 30_000;
/** How long an idle connection is kept, in ms: turns are often further apart than the 4 s of fetch. */
const KEEP_ALIVE_MS = 60_000;

/** Warm connections: to the platform's own address, and to those that tenants name. */
export class SpeechConnections {
  readonly #policy: AddressPolicy;
  readonly #platform: Agent;
  readonly #tenants: Agent;

  constructor(policy: AddressPolicy) {
    const options = { keepAliveTimeout: KEEP_ALIVE_MS, connections: null };
    this.#policy = policy;
    this.#platform = new Agent(options);
    this.#tenants = new Agent({ ...options, connect: { lookup: guardedLookup(policy) } });
  }

  /**
   * Creates a call's client. An address that the agent names is reached only where the egress policy lets it, and never
   * with the platform's key. Throws `ProviderError` `tts_bad_request` or `tts_unauthorized`.
   */
  client(
    params: OpenAiSpeechParams,
    { api_key: platformKey, base_url: platformUrl }: ProviderCredentials,
  ): OpenAI {
    const isOwn = params.base_url !== undefined && params.base_url !== platformUrl;
    const apiKey = params.api_key ?? (isOwn ? undefined : platformKey);
    const baseURL = params.base_url ?? platformUrl;
    if (apiKey === undefined) throw missingKey('tts', PROVIDER);
    if (isOwn) this.#check(params.base_url ?? '');
    const dispatcher = isOwn ? this.#tenants : this.#platform;
    const redirect = isOwn ? 'error' : 'follow';
    return new OpenAI({
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
  }

  async close(): Promise<void> {
    await Promise.all([this.#platform.destroy(), this.#tenants.destroy()]);
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
