import { ZodError } from 'zod';
import { type Backoff, DEFAULT_BACKOFF } from '../../backoff.js';
import { invalidParams } from '../../invalid-params.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import { failedSession } from '../failed-session.js';
import type { SpeechToText } from '../port.js';
import { SocketSession } from '../socket-session/session.js';
import { flux } from './flux.js';
import { DEFAULT_MODEL, nova } from './nova.js';

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
        if (!(error instanceof ZodError)) throw error;
        return failedSession(options, invalidParams('stt', 'deepgram', error));
      }
      return new SocketSession(options, {
        provider: 'deepgram',
        url,
        headers: { Authorization: `Token ${apiKey}` },
        createDialect: () => dialect,
        backoff,
        random,
      });
    },
  };
}
