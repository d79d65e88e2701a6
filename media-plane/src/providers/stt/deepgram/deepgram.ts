import { ZodError } from 'zod';
import { type Backoff, DEFAULT_BACKOFF } from '../../backoff.js';
import { ProviderError } from '../../provider-error.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import type { SpeechToText, SttOptions, SttSession } from '../port.js';
import { flux } from './flux.js';
import { DEFAULT_MODEL, nova } from './nova.js';
import { DeepgramSession } from './session.js';

const BASE_URL = 'wss://api.deepgram.com';

export interface DeepgramOptions {
  readonly backoff?: Backoff;
  /** 0..1; spreads reconnections. */
  readonly random?: () => number;
}

/**
 * Creates speech to text by Deepgram: Flux for models that start with `flux`, else Nova. Audio goes up in the line's
 * format.
 */
export function createDeepgramSpeechToText({
  backoff = DEFAULT_BACKOFF,
  random = Math.random,
}: DeepgramOptions = {}): SpeechToText {
  return {
    name: 'deepgram',
    defaultModel: DEFAULT_MODEL,
    open(options) {
      const { api_key: apiKey, base_url: baseUrl } = options.credentials;
      if (!apiKey) return failedSession(options, missingKey('stt', 'deepgram'));
      const dialect = options.choice.model.startsWith('flux') ? flux : nova;
      const url = webSocketUrl(baseUrl ?? BASE_URL, dialect.path);
      try {
        url.search = dialect.query(options).toString();
      } catch (error) {
        return failedSession(options, invalidParams(error));
      }
      return new DeepgramSession(options, { url, apiKey, dialect, backoff, random });
    },
  };
}

function invalidParams(error: unknown): ProviderError {
  const where = error instanceof ZodError ? error.issues.map((issue) => issue.path.join('.')).join(', ') : '';
  return new ProviderError({
    provider: 'deepgram',
    kind: 'stt',
    code: 'bad_request',
    message: `voice_config.stt.params is not valid for deepgram: ${where}`,
    retryable: false,
    cause: error,
  });
}

/** Creates a session that reports its failure as every session does: by an event, after `open` has returned. */
function failedSession(options: SttOptions, error: ProviderError): SttSession {
  const report = options.clock.schedule(0, () => options.onEvent({ type: 'failed', error }));
  return {
    audioMs: 0,
    write() {},
    voiceActivity() {},
    finalize() {},
    close: () => report.cancel(),
  };
}
