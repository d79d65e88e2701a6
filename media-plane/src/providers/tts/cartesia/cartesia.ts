import { type AudioFormat, L16_24K } from '@voice/shared/audio/format';
import { type CartesiaParams, cartesiaParams } from '@voice/shared/catalogue/params/cartesia';
import { cartesiaTextToSpeech } from '@voice/shared/catalogue/vendors/cartesia';
import { invalidParams } from '../../invalid-params.js';
import { languageCode } from '../../language-code.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import { failedVoice } from '../failed-voice.js';
import type { TextToSpeech, VoiceOptions } from '../port.js';
import { SocketVoice } from '../socket-voice/voice.js';
import { ContextProtocol, type ContextSettings } from './context-protocol.js';
import { errorOfEnd, PROVIDER, ttsError } from './errors.js';

const BASE_URL = 'wss://api.cartesia.ai';
const DEFAULT_MODEL = 'sonic-3';
const API_VERSION = '2026-03-01';
/** A connection is kept for as long as a call may be. */
const LONGEST_MS = 24 * 60 * 60_000;
const ENCODINGS = { pcmu: 'pcm_mulaw', pcma: 'pcm_alaw', l16: 'pcm_s16le' } as const;

/** Creates text to speech by Cartesia's WebSocket, in the line's format where the vendor has it. */
export function createCartesiaTextToSpeech(): TextToSpeech {
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open(options) {
      const { api_key: apiKey, base_url: base } = options.credentials;
      if (!apiKey) return failedVoice(missingKey('tts', PROVIDER));
      const params = cartesiaParams.safeParse(options.choice.params);
      if (!params.success) return failedVoice(invalidParams('tts', PROVIDER, params.error));
      const url = webSocketUrl(base ?? BASE_URL, '/tts/websocket');
      url.searchParams.set('cartesia_version', API_VERSION);
      const sends = sentFormat(options.format);
      const settings = contextSettings(options, sends, params.data);
      return new SocketVoice({
        provider: PROVIDER,
        target: {
          url,
          headers: { 'X-API-Key': apiKey },
          sends,
          longestMs: LONGEST_MS,
          createProtocol: () => new ContextProtocol(settings, sends),
          errorOfEnd,
        },
        voice: options,
        closedError: () => ttsError('unavailable', 'the voice is closed', false),
      });
    },
  };
}

/** The vendor has 8, 16, 22.05, 24 and 44.1 kHz. */
function sentFormat(format: AudioFormat): AudioFormat {
  return format.sampleRate > L16_24K.sampleRate ? L16_24K : format;
}

function contextSettings(
  { choice, language }: VoiceOptions,
  sends: AudioFormat,
  { voice_id, speed, volume, emotion, pronunciation_dict_id, max_buffer_delay_ms }: CartesiaParams,
): ContextSettings {
  const model = choice.model === '' ? DEFAULT_MODEL : choice.model;
  const manner = {
    ...(speed === undefined ? {} : { speed }),
    ...(volume === undefined ? {} : { volume }),
    ...(emotion === undefined ? {} : { emotion }),
  };
  return {
    model_id: model,
    voice: { mode: 'id', id: voice_id },
    language: languageCode(language, cartesiaTextToSpeech, model),
    output_format: { container: 'raw', encoding: ENCODINGS[sends.encoding], sample_rate: sends.sampleRate },
    add_timestamps: true,
    max_buffer_delay_ms,
    ...(Object.keys(manner).length === 0 ? {} : { generation_config: manner }),
    ...(pronunciation_dict_id === undefined ? {} : { pronunciation_dict_id }),
  };
}
