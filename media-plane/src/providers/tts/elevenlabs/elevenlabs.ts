import { type ElevenLabsParams, elevenLabsParams } from '@voice/shared/catalogue/params/elevenlabs';
import { elevenLabsTextToSpeech } from '@voice/shared/catalogue/vendors/elevenlabs';
import { invalidParams } from '../../invalid-params.js';
import { languageCode } from '../../language-code.js';
import type { ProviderError } from '../../provider-error.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import type { TextToSpeech, Voice, VoiceOptions } from '../port.js';
import { PROVIDER } from './errors.js';
import { initialisation } from './messages.js';
import { outputFormat } from './output-format.js';
import { ElevenLabsVoice } from './voice.js';

const BASE_URL = 'wss://api.elevenlabs.io';
const DEFAULT_MODEL = 'eleven_flash_v2_5';
/** The models that take `language_code`; others refuse it. */
const MODELS_WITH_LANGUAGE = /^eleven_(flash|turbo)_v2_5$/;

/** Creates text to speech by ElevenLabs over `multi-stream-input`, in the line's format where the vendor has it. */
export function createElevenLabsTextToSpeech(): TextToSpeech {
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open(options) {
      const { api_key: apiKey } = options.credentials;
      if (!apiKey) return failedVoice(missingKey('tts', PROVIDER));
      const params = elevenLabsParams.safeParse(options.choice.params);
      if (!params.success) return failedVoice(invalidParams('tts', PROVIDER, params.error));
      return new ElevenLabsVoice({
        url: multiStreamInputUrl(options, params.data),
        apiKey,
        initialisation: (contextId) => initialisation(params.data, contextId),
        sends: outputFormat(options.format).format,
        format: options.format,
        clock: options.clock,
      });
    },
  };
}

/** Builds the address of a call's connection, which says how it is to be spoken. */
export function multiStreamInputUrl(
  { choice, credentials, format, language }: VoiceOptions,
  params: ElevenLabsParams,
): URL {
  const url = webSocketUrl(
    credentials.base_url ?? BASE_URL,
    `/v1/text-to-speech/${params.voice_id}/multi-stream-input`,
  );
  const model = choice.model === '' ? DEFAULT_MODEL : choice.model;
  url.searchParams.set('model_id', model);
  url.searchParams.set('output_format', outputFormat(format).name);
  url.searchParams.set('auto_mode', 'true');
  url.searchParams.set('sync_alignment', 'true');
  const code = languageCode(language, elevenLabsTextToSpeech, model);
  // ISO 639-1 only: two letters.
  if (MODELS_WITH_LANGUAGE.test(model) && code.length === 2) url.searchParams.set('language_code', code);
  if (params.enable_logging !== undefined)
    url.searchParams.set('enable_logging', String(params.enable_logging));
  if (params.apply_text_normalization !== undefined) {
    url.searchParams.set('apply_text_normalization', params.apply_text_normalization);
  }
  return url;
}

/** Creates a voice that fails where every voice does: when it is to speak. */
function failedVoice(error: ProviderError): Voice {
  return {
    characters: 0,
    speak: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
    close() {},
  };
}
