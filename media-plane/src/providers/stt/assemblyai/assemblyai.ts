import { type AssemblyAiParams, assemblyAiParams } from '@voice/shared/catalogue/params/assemblyai';
import { type Backoff, DEFAULT_BACKOFF } from '../../backoff.js';
import { invalidParams } from '../../invalid-params.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import { failedSession } from '../failed-session.js';
import type { SpeechToText, SttOptions } from '../port.js';
import { SocketSession } from '../socket-session/session.js';
import { AssemblyAiDialect, sentFormat } from './dialect.js';
import { PROVIDER } from './errors.js';

const BASE_URL = 'wss://streaming.assemblyai.com';
const DEFAULT_MODEL = 'universal-streaming-english';
const MULTILINGUAL_MODEL = 'universal-streaming-multilingual';
/** Of `keyterms_prompt`: terms, and characters of one; the service refuses more. */
const MOST_KEYTERMS = 100;
const LONGEST_KEYTERM = 50;

interface AssemblyAiOptions {
  readonly backoff?: Backoff;
  /** 0..1; spreads reconnections. */
  readonly random?: () => number;
}

/** Creates speech to text by AssemblyAI's streaming API, v3. Mu-law goes up as it is. */
export function createAssemblyAiSpeechToText({
  backoff = DEFAULT_BACKOFF,
  random = Math.random,
}: AssemblyAiOptions = {}): SpeechToText {
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open(options) {
      const { api_key: apiKey, base_url: base } = options.credentials;
      if (!apiKey) return failedSession(options, missingKey('stt', PROVIDER));
      const params = assemblyAiParams.safeParse(options.choice.params);
      if (!params.success) return failedSession(options, invalidParams('stt', PROVIDER, params.error));
      const url = webSocketUrl(base ?? BASE_URL, '/v3/ws');
      url.search = queryOf(options, params.data).toString();
      return new SocketSession(options, {
        provider: PROVIDER,
        url,
        headers: { Authorization: apiKey },
        createDialect: () =>
          new AssemblyAiDialect({
            format: options.format,
            formatsTurns: params.data.format_turns,
            threshold: params.data.end_of_turn_confidence_threshold,
          }),
        backoff,
        random,
      });
    },
  };
}

function queryOf(
  { choice, format, language, keyterms = [] }: SttOptions,
  { format_turns, end_of_turn_confidence_threshold, min_turn_silence, max_turn_silence }: AssemblyAiParams,
): URLSearchParams {
  const sends = sentFormat(format);
  const terms = keyterms.filter((term) => term.length <= LONGEST_KEYTERM).slice(0, MOST_KEYTERMS);
  return new URLSearchParams({
    speech_model: modelOf(choice.model, language),
    sample_rate: String(sends.sampleRate),
    encoding: sends.encoding === 'l16' ? 'pcm_s16le' : 'pcm_mulaw',
    format_turns: String(format_turns),
    end_of_turn_confidence_threshold: String(end_of_turn_confidence_threshold),
    ...(min_turn_silence === undefined ? {} : { min_turn_silence: String(min_turn_silence) }),
    ...(max_turn_silence === undefined ? {} : { max_turn_silence: String(max_turn_silence) }),
    ...(terms.length === 0 ? {} : { keyterms_prompt: JSON.stringify(terms) }),
  });
}

/** Returns the agent's model; without one, that of its language. */
function modelOf(model: string, language: string): string {
  if (model !== '') return model;
  return language.split('-')[0]!.toLowerCase() === 'en' ? DEFAULT_MODEL : MULTILINGUAL_MODEL;
}
