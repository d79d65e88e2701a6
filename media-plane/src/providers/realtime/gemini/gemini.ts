import { type GeminiLiveParams, geminiLiveParams } from '@voice/shared/catalogue/params/gemini-live';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import type { Backoff } from '../../backoff.js';
import { invalidParams } from '../../invalid-params.js';
import { ProviderError } from '../../provider-error.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import type { RealtimeOptions, RealtimeProvider, RealtimeSession } from '../port.js';
import { liveError, PROVIDER } from './errors.js';
import { DEFAULT_MODEL, traitsOf } from './models.js';
import { GeminiLiveSession, type GeminiLiveSessionSettings } from './session.js';
import { setupMessage } from './setup.js';

const BASE_URL = 'https://generativelanguage.googleapis.com';
const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
/** A caller waits: the first attempts follow at once. */
const DEFAULT_BACKOFF: Backoff = { firstMs: 50, maxMs: 1000, maxFailures: 5 };

export interface GeminiLiveOptions {
  /** Where addresses that agents name may lead. */
  readonly egress: AddressPolicy;
  readonly backoff?: Backoff;
}

/** Creates speech to speech by Gemini Live (Gemini Developer API). */
export function createGeminiLive({ egress, backoff = DEFAULT_BACKOFF }: GeminiLiveOptions): RealtimeProvider {
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open(options) {
      try {
        return new GeminiLiveSession(options, settingsOf(options, egress, backoff));
      } catch (error) {
        if (error instanceof ProviderError) return failedSession(options, error);
        throw error;
      }
    },
  };
}

function settingsOf(
  options: RealtimeOptions,
  egress: AddressPolicy,
  backoff: Backoff,
): GeminiLiveSessionSettings {
  const params = parseParams(options);
  const model = options.choice.model === '' ? DEFAULT_MODEL : options.choice.model.replace(/^models\//, '');
  const traits = traitsOf(model);
  return {
    ...address(options, params, egress),
    backoff,
    traits,
    setup: (state) =>
      setupMessage({
        model,
        traits,
        params,
        ...state,
        withHistory: options.history.length > 0 && state.handle === undefined,
        options,
      }),
  };
}

function parseParams({ choice }: RealtimeOptions): GeminiLiveParams {
  const parsed = geminiLiveParams.safeParse(choice.params);
  if (parsed.success) return parsed.data;
  throw invalidParams('realtime', PROVIDER, parsed.error);
}

/** Builds the URL. The key is in its query, where the vendor's own SDK has it: it must not be logged. */
function address(
  { credentials }: RealtimeOptions,
  params: GeminiLiveParams,
  egress: AddressPolicy,
): Pick<GeminiLiveSessionSettings, 'url' | 'lookup'> {
  const own = params.base_url !== undefined && params.base_url !== credentials.base_url;
  const apiKey = params.api_key ?? (own ? undefined : credentials.api_key);
  if (!apiKey) throw missingKey('realtime', PROVIDER);
  const base = params.base_url ?? credentials.base_url ?? BASE_URL;
  if (own) checkAddress(base, egress);
  const url = webSocketUrl(base, PATH);
  url.searchParams.set('key', apiKey);
  return { url, lookup: own ? guardedLookup(egress) : undefined };
}

/** Names are checked when they are connected; an address written out must be checked here. */
function checkAddress(baseUrl: string, egress: AddressPolicy): void {
  try {
    parseUrl(baseUrl, egress);
  } catch (error) {
    throw liveError(
      'bad_request',
      'voice_config.realtime.params.base_url leads to an address that is not allowed',
      false,
      error,
    );
  }
}

/** Creates a session that reports its failure as every session does: by an event, after `open` has returned. */
function failedSession({ clock, onEvent }: RealtimeOptions, error: ProviderError): RealtimeSession {
  const report = clock.schedule(0, () => onEvent({ type: 'failed', error }));
  let responses = 0;
  return {
    audioMs: 0,
    write() {},
    voiceActivity() {},
    commit() {},
    discard() {},
    respond: () => ++responses,
    cancel() {},
    truncate() {},
    addNote() {},
    addItem() {},
    setTools() {},
    close: () => report.cancel(),
  };
}
