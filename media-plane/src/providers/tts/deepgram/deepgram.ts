import { type DeepgramSpeechParams, deepgramSpeechParams } from '@voice/shared/catalogue/params/deepgram';
import { invalidParams } from '../../invalid-params.js';
import { missingKey, webSocketUrl } from '../../provider-socket.js';
import { failedVoice } from '../failed-voice.js';
import type { TextToSpeech, VoiceOptions } from '../port.js';
import { SocketVoice } from '../socket-voice/voice.js';
import { errorOfEnd, PROVIDER, ttsError } from './errors.js';
import { SpeakProtocol } from './speak-protocol.js';
import { DEFAULT_MODEL, voiceOf } from './voices.js';

const BASE_URL = 'wss://api.deepgram.com';
/** The vendor closes a connection after an hour (developers.deepgram.com, "Streaming Text to Speech", limits). */
const LONGEST_MS = 55 * 60_000;
const ENCODINGS = { pcmu: 'mulaw', pcma: 'alaw', l16: 'linear16' } as const;

/** Creates text to speech by Deepgram's Aura voices, in the line's own format: the vendor has them all. */
export function createDeepgramTextToSpeech(): TextToSpeech {
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open(options) {
      const { api_key: apiKey } = options.credentials;
      if (!apiKey) return failedVoice(missingKey('tts', PROVIDER));
      const params = deepgramSpeechParams.safeParse(options.choice.params);
      if (!params.success) return failedVoice(invalidParams('tts', PROVIDER, params.error));
      return new SocketVoice({
        provider: PROVIDER,
        target: {
          url: speakUrl(options, params.data),
          headers: { Authorization: `Token ${apiKey}` },
          sends: options.format,
          longestMs: LONGEST_MS,
          createProtocol: () => new SpeakProtocol(options.clock),
          errorOfEnd,
        },
        voice: options,
        closedError: () => ttsError('unavailable', 'the voice is closed', false),
      });
    },
  };
}

function speakUrl(
  { choice, credentials, format, language }: VoiceOptions,
  params: DeepgramSpeechParams,
): URL {
  const url = webSocketUrl(credentials.base_url ?? BASE_URL, '/v1/speak');
  url.searchParams.set('model', voiceOf(choice.model, language));
  url.searchParams.set('encoding', ENCODINGS[format.encoding]);
  url.searchParams.set('sample_rate', String(format.sampleRate));
  if (params.speed !== undefined) url.searchParams.set('speed', String(params.speed));
  if (params.mip_opt_out !== undefined) url.searchParams.set('mip_opt_out', String(params.mip_opt_out));
  return url;
}
