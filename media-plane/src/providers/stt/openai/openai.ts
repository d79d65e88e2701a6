import type { LookupFunction } from 'node:net';
import {
  type OpenAiTranscriptionParams,
  openAiTranscriptionParams,
} from '@voice/shared/catalogue/params/openai-transcription';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedLookup, parseUrl } from '@voice/shared/egress/guarded-request';
import type {
  RealtimeTranscriptionSessionCreateRequest,
  SessionUpdateEvent,
} from 'openai/resources/realtime/realtime';
import { type Backoff, DEFAULT_BACKOFF } from '../../backoff.js';
import { invalidParams } from '../../invalid-params.js';
import { primaryLanguage } from '../../language-code.js';
import { ProviderError } from '../../provider-error.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import { failedSession } from '../failed-session.js';
import type { SpeechToText, SttOptions } from '../port.js';
import { SocketSession } from '../socket-session/session.js';
import { CommittingSession } from './committing-session.js';
import { sentFormat, TranscriptionDialect } from './dialect.js';
import { PROVIDER } from './errors.js';

const BASE_URL = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'gpt-live-transcribe';
/** Models that write while somebody speaks; the service's detector is refused for them. */
const STREAMING = /^gpt-(live-transcribe|realtime-whisper)/;
/** Models that are given words to expect. */
const WITH_KEYWORDS = /^gpt-(live-)?transcribe/;

interface OpenAiTranscriptionOptions {
  readonly egress: AddressPolicy;
  readonly backoff?: Backoff;
  /** 0..1; spreads reconnections. */
  readonly random?: () => number;
}

/** Creates speech to text by OpenAI's realtime transcription. G.711 goes up as it is. */
export function createOpenAiSpeechToText({
  egress,
  backoff = DEFAULT_BACKOFF,
  random = Math.random,
}: OpenAiTranscriptionOptions): SpeechToText {
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open(options) {
      try {
        const params = parseParams(options);
        const model = options.choice.model === '' ? DEFAULT_MODEL : options.choice.model;
        const isStreaming = STREAMING.test(model);
        const configuration = sessionUpdate(model, options, params);
        const settings = {
          provider: PROVIDER,
          ...targetOf(options, params, egress),
          createDialect: () =>
            new TranscriptionDialect({ format: options.format, configuration, findsTurns: !isStreaming }),
          backoff,
          random,
          writesAtEnd: !isStreaming,
        };
        return isStreaming ? new CommittingSession(options, settings) : new SocketSession(options, settings);
      } catch (error) {
        if (error instanceof ProviderError) return failedSession(options, error);
        throw error;
      }
    },
  };
}

function badRequest(message: string, cause: unknown): ProviderError {
  return new ProviderError({
    provider: PROVIDER,
    kind: 'stt',
    code: 'bad_request',
    message,
    retryable: false,
    cause,
  });
}

function parseParams({ choice }: SttOptions): OpenAiTranscriptionParams {
  const parsed = openAiTranscriptionParams.safeParse(choice.params);
  if (parsed.success) return parsed.data;
  throw invalidParams('stt', PROVIDER, parsed.error);
}

/** An address that the agent names is reached only where the egress policy lets it, and never with the platform's key. */
function targetOf(
  { credentials }: SttOptions,
  params: OpenAiTranscriptionParams,
  egress: AddressPolicy,
): { url: URL; headers: Readonly<Record<string, string>>; lookup: LookupFunction | undefined } {
  const isOwn = params.base_url !== undefined && params.base_url !== credentials.base_url;
  const apiKey = params.api_key ?? (isOwn ? undefined : credentials.api_key);
  if (!apiKey) throw missingKey('stt', PROVIDER);
  const base = params.base_url ?? credentials.base_url ?? BASE_URL;
  if (isOwn) checkAddress(base, egress);
  const url = webSocketUrl(base, '/realtime');
  url.searchParams.set('intent', 'transcription');
  return {
    url,
    headers: { Authorization: `Bearer ${apiKey}` },
    lookup: isOwn ? guardedLookup(egress) : undefined,
  };
}

/** Names are checked when they are connected; an address written out must be checked here. */
function checkAddress(url: string, egress: AddressPolicy): void {
  try {
    parseUrl(url, egress);
  } catch (error) {
    throw badRequest('voice_config.stt.params.base_url leads to an address that is not allowed', error);
  }
}

function sessionUpdate(
  model: string,
  { format, language, keyterms = [], endpointingMs }: SttOptions,
  { prompt, noise_reduction: noise, vad_threshold: threshold, delay }: OpenAiTranscriptionParams,
): SessionUpdateEvent {
  const primary = primaryLanguage(language);
  const isWhisper = model.startsWith('gpt-realtime-whisper');
  const session: RealtimeTranscriptionSessionCreateRequest = {
    type: 'transcription',
    audio: {
      input: {
        format: formatOf(format),
        transcription: {
          model,
          // ISO 639-1 only: two letters.
          ...(primary.length === 2 ? { language: primary } : {}),
          ...(keyterms.length > 0 && WITH_KEYWORDS.test(model) ? { keywords: [...keyterms] } : {}),
          ...(prompt === undefined || isWhisper ? {} : { prompt }),
          ...(delay === undefined || !isWhisper ? {} : { delay }),
        },
        turn_detection: STREAMING.test(model)
          ? null
          : {
              type: 'server_vad',
              silence_duration_ms: endpointingMs,
              ...(threshold === undefined ? {} : { threshold }),
            },
        ...(noise === undefined ? {} : { noise_reduction: { type: noise } }),
      },
    },
  };
  return { type: 'session.update', session };
}

function formatOf(format: SttOptions['format']) {
  switch (sentFormat(format).encoding) {
    case 'pcmu':
      return { type: 'audio/pcmu' } as const;
    case 'pcma':
      return { type: 'audio/pcma' } as const;
    case 'l16':
      return { type: 'audio/pcm', rate: 24_000 } as const;
  }
}
